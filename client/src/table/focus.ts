/** Where the keyboard goes by itself at a table, and where it is left alone. */

/** Whoever types, answers a dialog or chooses in a menu is not called away. */
const ENGAGED = 'input, textarea, select, [contenteditable], dialog, [role=menu], [aria-expanded=true]';
const OPEN = 'button:not([aria-disabled])';
/** The question itself and not its first answer: a key that was meant for something else answers nothing. */
const QUESTIONS = ['.decision h2', '.insure h2'];
/** What one comes to a table for, in this order: the question that is due, one's main bet, a free seat, money. */
const AIMS = [...QUESTIONS, 'button.spot.main.open', 'button.sit', `.foot ${OPEN}`, `.felt ${OPEN}`];

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

/** To the question, one stop before its answers, unless the hands are elsewhere or on an answer already. */
export function focusQuestion(root: ParentNode): void {
  const active = document.activeElement;
  if (document.querySelector('dialog[open]') || active?.closest(ENGAGED)) return;
  if (active?.closest('.decision, .insure') && root.contains(active)) return;
  const question = findFirst(root, QUESTIONS);
  if (question) giveFocus(question, isKeyed);
}
