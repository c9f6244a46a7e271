/** Where the keyboard goes by itself at a table, and where it is left alone. */

/** Whoever types, answers a dialog or chooses in a menu is not called away. */
const ENGAGED = 'input, textarea, select, [contenteditable], dialog, [role=menu], [aria-expanded=true]';
const OPEN = 'button:not([aria-disabled])';
const ANSWERS = [`.decision .acts ${OPEN}`, `.insure ${OPEN}`];
/** What one comes to a table for, in this order: the answer that is due, one's main bet, a free seat, money. */
const AIMS = [...ANSWERS, 'button.spot.main.open', 'button.sit', `.foot ${OPEN}`, `.felt ${OPEN}`];

const findFirst = (root: ParentNode, selectors: readonly string[]): HTMLElement | null => {
  for (const selector of selectors) {
    const found = root.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return null;
};

let isKeyed = false;
if (typeof addEventListener === 'function') {
  addEventListener('keydown', () => (isKeyed = true), { capture: true, passive: true });
  addEventListener('pointerdown', () => (isKeyed = false), { capture: true, passive: true });
}

/** The ring is for who uses the keys: it shows where they are, and does not shine at anybody else. */
function giveFocus(element: HTMLElement, focusVisible: boolean): void {
  const options: FocusOptions & { focusVisible?: boolean } = { preventScroll: !focusVisible, focusVisible };
  element.focus(options);
}

/** From the skip link to the bet or the answer. */
export function focusAim(root: ParentNode): void {
  const aim = findFirst(root, AIMS);
  if (aim) giveFocus(aim, true);
}

/** To the first answer that is open, unless the hands are elsewhere or on an answer already. */
export function focusAnswer(root: ParentNode): void {
  const active = document.activeElement;
  if (document.querySelector('dialog[open]') || active?.closest(ENGAGED)) return;
  if (active?.closest('.decision, .insure') && root.contains(active)) return;
  const answer = findFirst(root, ANSWERS);
  if (answer) giveFocus(answer, isKeyed);
}
