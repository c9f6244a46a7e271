import type { Language } from '../words/amounts';

/** What speaks: the browser's own synthesis, or a stand-in. */
export interface Speaker {
  speak: (utterance: SpeechSynthesisUtterance) => void;
  cancel: () => void;
  getVoices: () => SpeechSynthesisVoice[];
  readonly pending: boolean;
}

const LOCALES: Record<Language, string> = { it: 'it-IT', en: 'en-GB' };

/** The dealer's voice, in the language of the player; its own switch and volume (V-68). */
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
  say(text: string): void {
    if (!this.on || !this.volume || !this.#speaker || !text) return;
    if (this.#speaker.pending) this.#speaker.cancel();
    const said = this.#utter(text);
    said.lang = LOCALES[this.language];
    said.voice =
      this.#speaker.getVoices().find((voice) => voice.lang.replace('_', '-').startsWith(this.language)) ?? null;
    said.volume = this.volume / 100;
    said.rate = 1.05;
    this.#speaker.speak(said);
  }

  hush(): void {
    this.#speaker?.cancel();
  }
}
