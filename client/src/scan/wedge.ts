import { parsePrinted, type Code } from './codes';

/**
 * A scanner that types. It sends the characters of a code within some milliseconds of each other and ends with Enter;
 * a person takes longer. What somebody types into a text field stays there.
 */
export interface Wedge {
  /** A code that was read. */
  read: (code: Code) => void;
  /** A burst of a scanner that is no code of ours: said aloud, never guessed. */
  refuse?: (text: string) => void;
  /** What was typed so far and not ended. */
  typed?: (text: string) => void;
  /** What is a code: printed ones where nothing else is said. */
  parse?: (text: string) => Code | null;
  /** Milliseconds after which strokes are forgotten; longer than `LONGEST_GAP`, slow scanners and hands are read. */
  pause?: number;
  /** The fewest characters that are looked at. */
  shortest?: number;
  /** When a key was pressed, in milliseconds: as the browser got it, also where the page was busy meanwhile. */
  now?: (event: KeyboardEvent) => number;
}

/** At most so long between two characters. Cheap scanners take up to 30 ms, hands seldom less than 60. */
export const LONGEST_GAP = 50;
/** A shorter burst is somebody who presses two keys at once. */
const SHORTEST_BURST = 5;
const LONGEST_BURST = 64;
const TYPING = 'input, textarea, select, [contenteditable]:not([contenteditable=false])';

/** Keys as a keyboard of the United States has them, by their place: most scanners type so by default. */
const PLACES: Readonly<Record<string, string>> = { Minus: '-', NumpadSubtract: '-' };

function placed(code: string): string {
  return PLACES[code] ?? /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code)?.[1] ?? '';
}

/** Lengths of `V21-TD-6` and `V21-CUT-G`. */
const CODE_LENGTHS = [8, 9];

/** Where the code begins with which a text ends, -1 where there is none: somebody may have typed right before. */
function findCode(text: string): number {
  const length = CODE_LENGTHS.find((count) => parsePrinted(text.slice(-count)) !== null);
  return length === undefined ? -1 : Math.max(0, text.length - length);
}

/** One key of a burst: what this keyboard's language makes of it, and what stands at its place. */
interface Stroke {
  key: string;
  place: string;
}

/** Collects the strokes of a burst. Without a clock and without a page, so that it can be tested by hand. */
export class Burst {
  #strokes: Stroke[] = [];
  #last = -Infinity;

  constructor(
    readonly pause = LONGEST_GAP,
    readonly shortest = SHORTEST_BURST,
  ) {}

  /** What was typed so far, as this keyboard's language has it. */
  get text(): string {
    return this.#strokes.map((stroke) => stroke.key).join('');
  }

  /** Whether this key belongs to the burst of a scanner: only then does the page take it from others. */
  add(event: Pick<KeyboardEvent, 'key' | 'code'>, now: number, pause = this.pause): boolean {
    const since = now - this.#last;
    if (since > pause || this.#strokes.length >= LONGEST_BURST) this.#strokes = [];
    this.#strokes.push({ key: event.key, place: placed(event.code) });
    this.#last = now;
    return since <= LONGEST_GAP && this.#strokes.length > 1;
  }

  /** The texts of a burst that ends now, by the keyboard's language and by place; null where a person typed. */
  end(now: number): string[] | null {
    const strokes = now - this.#last <= this.pause ? this.#strokes : [];
    this.clear();
    if (strokes.length < this.shortest) return null;
    return [strokes.map((stroke) => stroke.key).join(''), strokes.map((stroke) => stroke.place).join('')];
  }

  clear(): void {
    this.#strokes = [];
    this.#last = -Infinity;
  }
}

/**
 * Listens to a scanner until the returned function is called.
 *
 * It listens before all others and keeps the second and later keys of a burst from them: no shortcut of the page is
 * pressed by a code. The first key cannot be known from a person's: codes begin with V, and a page with a scanner
 * gives V no meaning. In a text field nothing is kept back, but a code with its check character is taken out again
 * before its Enter could send it: a face-down card must not be told in the chat.
 */
export function listenToScanner(target: EventTarget, wedge: Wedge): () => void {
  const now = wedge.now ?? ((event: KeyboardEvent) => event.timeStamp);
  const burst = new Burst(wedge.pause, wedge.shortest);
  const parse = wedge.parse ?? parsePrinted;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The text field that has the focus: what goes into it is not the beginning of what is typed elsewhere. */
  let last: Element | null = null;

  function down(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.isComposing || event.ctrlKey || event.altKey || event.metaKey)
      return;
    const field = event.target instanceof Element ? event.target.closest(TYPING) : null;
    if (field !== last) burst.clear();
    last = field;
    if (event.key === 'Enter' || event.key === 'Tab') finish(event, field);
    else if (event.key === 'Escape') forget();
    else if (event.key.length === 1 && !event.repeat) {
      const fast = burst.add(event, now(event), field ? LONGEST_GAP : burst.pause);
      if (field) return;
      if (fast) take(event);
      wedge.typed?.(burst.text);
      clearTimeout(timer);
      timer = setTimeout(forget, burst.pause);
    }
  }

  function forget(): void {
    clearTimeout(timer);
    burst.clear();
    wedge.typed?.('');
  }

  function finish(event: KeyboardEvent, field: Element | null): void {
    const texts = burst.end(now(event));
    forget();
    if (!texts) return;
    const [text, start] = texts.map((each) => [each, findCode(each)] as const).find(([, at]) => at >= 0) ?? ['', -1];
    if (field && start < 0) return;
    take(event); // a focused button is not pressed by the Enter of a scanner, a message is not sent by it
    if (field) removeTyped(field, texts[0]!.slice(start));
    const code =
      start < 0 ? (texts.map(parse).find((found) => found !== null) ?? null) : parsePrinted(text.slice(start));
    if (code) wedge.read(code);
    else wedge.refuse?.(texts[0]!);
  }

  target.addEventListener('keydown', down, { capture: true });
  return () => {
    clearTimeout(timer);
    target.removeEventListener('keydown', down, { capture: true });
  };
}

function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Takes the text of a scanner out of the field that had the focus. */
function removeTyped(field: Element, text: string): void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  const at = field.value.lastIndexOf(text);
  if (at < 0) return;
  field.value = field.value.slice(0, at) + field.value.slice(at + text.length);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
