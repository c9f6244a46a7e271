import { heard } from './lines';
import { Sounds, type Sound } from './sounds';
import { Voice } from './voice';
import type { PlaceWord } from '../table/settlement';
import type { Views } from '../table/views';
import type { Settings } from '../wire/types';
import { LANGUAGES, reading } from '../words/words.svelte';

const STEP = 10;

/** What is heard at the tables: one switch over all of it, which every change of table sets on again (V-67, V-68). */
class Audio {
  #on = $state(true);
  #volume = $state(80);
  #sounds = new Sounds();
  #voice = new Voice();
  #chosen: Settings['audio'] | null = null;
  #live = false;

  get on(): boolean {
    return this.#on;
  }
  set on(on: boolean) {
    this.#on = on;
    this.#mix();
    if (!on) this.#voice.hush();
  }
  get volume(): number {
    return this.#volume;
  }

  /** Whether the dealer is heard at all: one switch for a person at a microphone and for the browser's voice (V-68). */
  get hearsDealer(): boolean {
    return this.#on && (this.#chosen?.voice ?? true) && (this.#chosen?.voice_volume ?? 80) > 0;
  }
  /** While a person speaks over the line, the browser's voice is silent. */
  set livePlaying(live: boolean) {
    if (live === this.#live) return;
    this.#live = live;
    this.#mix();
    if (live) this.#voice.hush();
  }
  /** Where the sound of a stream goes. */
  dealerOut(): GainNode | null {
    return this.#sounds.dealerOut();
  }

  /** Browsers give sound only after a first touch. */
  wake(): void {
    this.#sounds.wake();
  }

  apply(settings: Settings['audio']): void {
    this.#chosen = settings;
    this.#mix();
  }

  /** Up or down by a step, both voices alike (S-06). */
  turn(by: 1 | -1): void {
    const turned = (level: number): number => Math.min(100, Math.max(0, level + by * STEP));
    const held = this.#chosen ?? { voice: true, voice_volume: 80, sounds: true, sounds_volume: 80 };
    this.apply({ ...held, voice_volume: turned(held.voice_volume), sounds_volume: turned(held.sounds_volume) });
  }

  /** One sound of a scene, at the moment that it belongs to. */
  play(sound: Sound): void {
    this.#sounds.play(sound);
  }

  /** Sounds of what has changed; gives what the dealer said last, for the eye. A table may have its own language. */
  follow(before: Views | null, after: Views, speaks: boolean, place?: PlaceWord, dealer?: string): string | undefined {
    const language = LANGUAGES.find((one) => one === dealer) ?? reading.language;
    const { sounds, lines } = heard(before, after.open, after.mine, place, language);
    for (const sound of sounds) this.#sounds.play(sound);
    if (speaks) for (const line of lines) this.#voice.say(line, language);
    return lines.at(-1);
  }

  #mix(): void {
    const held = this.#chosen;
    this.#sounds.on = this.#on && (held?.sounds ?? true);
    this.#voice.on = this.#on && (held?.voice ?? true) && !this.#live;
    this.#sounds.dealerVolume = this.hearsDealer ? (held?.voice_volume ?? 80) : 0;
    this.#volume = this.#sounds.volume = held?.sounds_volume ?? 80;
    this.#voice.volume = held?.voice_volume ?? 80;
    this.#voice.language = reading.language;
  }
}

export const audio = new Audio();
