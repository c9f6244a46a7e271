/* The theme's script makes these when a page is shown: a table that scrolls is reached by keys too, and a button that
   copies an example is no place to go to. */
new MutationObserver(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    table.tabIndex = 0
  }
  for (const buttons of document.querySelectorAll(".md-code__nav:not([role])")) {
    buttons.setAttribute("role", "none")
  }
}).observe(document.documentElement, { childList: true, subtree: true })
