import type { Language } from '../words/amounts';

/** What speaks: the browser's own synthesis, or a stand-in. */
export interface Speaker {
  speak: (utterance: SpeechSynthesisUtterance) => void;
  cancel: () => void;
  getVoices: () => SpeechSynthesisVoice[];
  readonly pending: boolean;
  addEventListener?: (type: 'voiceschanged', changed: () => void) => void;
  removeEventListener?: (type: 'voiceschanged', changed: () => void) => void;
}

const LOCALES: Record<Language, string> = { it: 'it-IT', en: 'en-GB' };

/** Every platform has its best voices under other names; the first of these that is there speaks. */
const BEST: Record<Language, RegExp> = {
  it: /natural|neural|premium|enhanced|google italiano|alice|elsa|federica/i,
  en: /natural|neural|premium|enhanced|google uk english female|serena|sonia|hazel|kate/i,
};

/**
 * The voice for a language among those of the platform: its own locale before another country's, a good one before any,
 * one on the device before one on a network. None where the platform does not speak the language.
 */
export function chooseVoice(voices: readonly SpeechSynthesisVoice[], language: Language): SpeechSynthesisVoice | null {
  const locale = (voice: SpeechSynthesisVoice): string => voice.lang.replace('_', '-').toLowerCase();
  const rank = (voice: SpeechSynthesisVoice): number =>
    (locale(voice) === LOCALES[language].toLowerCase() ? 4 : 0) +
    (BEST[language].test(voice.name) ? 2 : 0) +
    (voice.localService ? 1 : 0);
  const able = voices.filter((voice) => locale(voice).split('-')[0] === language);
  return able.sort((one, other) => rank(other) - rank(one))[0] ?? null;
}

/** The dealer's voice, in the language of the player unless the table has one; its own switch and volume (V-68). */
export class Voice {
  on = true;
  /** From 0 to 100. */
  volume = 80;
  language: Language = 'it';
  readonly #speaker: Speaker | null;
  readonly #utter: (text: string) => SpeechSynthesisUtterance;

  constructor(
    speaker: Speaker | null = globalThis.speechSynthesis ?? null,
    utter = (text: string) => new SpeechSynthesisUtterance(text),
  ) {
    this.#speaker = speaker;
    this.#utter = utter;
  }

  /** Says a line. The table does not wait for a dealer who talks too long: what is still waiting is dropped first. */
  say(text: string, language = this.language): void {
    if (!this.on || !this.volume || !this.#speaker || !text) return;
    if (this.#speaker.pending) this.#speaker.cancel();
    const said = this.#utter(text);
    said.lang = LOCALES[language];
    said.voice = chooseVoice(this.#speaker.getVoices(), language);
    said.volume = this.volume / 100;
    said.rate = 1.05;
    this.#speaker.speak(said);
  }

  /** The name of who speaks on this platform; none where it has no voice for the language. */
  get name(): string | null {
    return this.#speaker ? (chooseVoice(this.#speaker.getVoices(), this.language)?.name ?? null) : null;
  }

  /** Platforms load their voices late: calls back when there are others. Gives what ends it. */
  watch(changed: () => void): () => void {
    const speaker = this.#speaker;
    if (!speaker?.addEventListener) return () => {};
    speaker.addEventListener('voiceschanged', changed);
    return () => speaker.removeEventListener?.('voiceschanged', changed);
  }

  hush(): void {
    this.#speaker?.cancel();
  }
}
