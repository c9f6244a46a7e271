/* The controls in some places of the page that are outside of the window, too small, or over another. */
([where, least]) => {
  const found = [], kept = [];
  const shown = (one) => one.checkVisibility({ checkVisibilityCSS: true, opacityProperty: true });
  const name = (one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40);
  /** A tray of chips that is longer than its place is scrolled: what is out of sight there is in reach. */
  const scrolled = (one) => {
    for (let at = one.parentElement; at; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at);
      if (overflowX === 'auto' || overflowX === 'scroll') {
        const [frame, place] = [at.getBoundingClientRect(), one.getBoundingClientRect()];
        return place.right > frame.right + 1 || place.left < frame.left - 1;
      }
    }
    return false;
  };
  for (const one of document.querySelectorAll(where)) {
    for (const control of one.querySelectorAll('button, a[href]')) {
      if (!shown(control) || scrolled(control) || control.closest('.unseen, dialog, .skip')) continue;
      const place = control.getBoundingClientRect();
      if (place.bottom <= 0) continue;
      const after = getComputedStyle(control, '::after');
      const grown = after.position === 'absolute' && after.content !== 'none' ? [parseFloat(after.width), parseFloat(after.height)] : [0, 0];
      const [wide, high] = [Math.max(place.width, grown[0] || 0), Math.max(place.height, grown[1] || 0)];
      if (place.left < -1 || place.right > innerWidth + 1 || place.top < -1 || place.bottom > innerHeight + 1)
        found.push(`outside: ${name(control)} ${Math.round(place.left)}-${Math.round(place.right)} of ${innerWidth}, ${Math.round(place.top)}-${Math.round(place.bottom)} of ${innerHeight}`);
      if (wide < least - 1 || high < least - 1) found.push(`small: ${name(control)} ${Math.round(wide)} x ${Math.round(high)}`);
      kept.push([control, place]);
    }
  }
  for (const [k, [one, a]] of kept.entries()) for (const [other, b] of kept.slice(k + 1)) {
    if (one.contains(other) || other.contains(one)) continue;
    const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
    if (x > 1 && y > 1) found.push(`overlap: ${name(one)} and ${name(other)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push(`wide: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  return found;
}
