/** The sounds of the game, made by the browser: no files, no licence. */
export type Sound =
  | 'slide'
  | 'turn'
  | 'chip'
  | 'your-turn'
  | 'win'
  | 'push'
  | 'grand'
  | 'tick'
  | 'lock'
  | 'multiply'
  | 'great'
  | 'refused';

interface Tone {
  at: number;
  frequency: number;
  length: number;
  level: number;
  shape: OscillatorType;
}
interface Brush {
  at: number;
  from: number;
  to: number;
  length: number;
  level: number;
  narrow: number;
}
interface Score {
  tones: readonly Tone[];
  brushes: readonly Brush[];
}

const tone = (at: number, frequency: number, length: number, level: number, shape: OscillatorType = 'sine'): Tone => ({
  at,
  frequency,
  length,
  level,
  shape,
});
const brush = (at: number, from: number, to: number, length: number, level: number, narrow = 1): Brush => ({
  at,
  from,
  to,
  length,
  level,
  narrow,
});

/**
 * Seconds and hertz. A slide is paper over felt, a chip two clicks of clay, a turn to act two soft notes; a tick is the
 * pointer of a wheel on a pin.
 */
export const SCORES: Record<Sound, Score> = {
  slide: { tones: [], brushes: [brush(0, 2400, 900, 0.16, 0.3)] },
  turn: { tones: [], brushes: [brush(0, 1200, 3600, 0.05, 0.26), brush(0.05, 3200, 1600, 0.05, 0.2)] },
  chip: {
    tones: [tone(0, 3100, 0.035, 0.16, 'triangle'), tone(0.045, 2550, 0.05, 0.12, 'triangle')],
    brushes: [brush(0, 5200, 4200, 0.02, 0.24, 3)],
  },
  'your-turn': { tones: [tone(0, 587.33, 0.22, 0.2), tone(0.16, 783.99, 0.34, 0.18)], brushes: [] },
  win: {
    tones: [tone(0, 523.25, 0.2, 0.16), tone(0.12, 659.25, 0.22, 0.16), tone(0.24, 783.99, 0.42, 0.17)],
    brushes: [],
  },
  tick: { tones: [tone(0, 1350, 0.022, 0.1, 'triangle')], brushes: [brush(0, 3600, 2400, 0.014, 0.14, 2)] },
  lock: {
    tones: [tone(0, 659.25, 0.14, 0.13), tone(0.05, 987.77, 0.2, 0.1)],
    brushes: [brush(0, 4200, 2600, 0.03, 0.2, 2)],
  },
  multiply: {
    tones: [tone(0, 392, 0.16, 0.12), tone(0.1, 523.25, 0.16, 0.13), tone(0.2, 783.99, 0.34, 0.15)],
    brushes: [brush(0, 700, 3200, 0.5, 0.12)],
  },
  great: {
    tones: [
      tone(0, 523.25, 0.6, 0.13),
      tone(0.07, 659.25, 0.6, 0.13),
      tone(0.14, 783.99, 0.6, 0.13),
      tone(0.21, 1046.5, 0.58, 0.14),
    ],
    brushes: [],
  },
  refused: { tones: [tone(0, 196, 0.18, 0.3, 'square'), tone(0.24, 155.56, 0.34, 0.3, 'square')], brushes: [] },
  push: { tones: [tone(0, 493.88, 0.26, 0.14)], brushes: [] },
  grand: {
    tones: [261.63, 329.63, 392, 493.88, 587.33].map((frequency, k) =>
      tone(k * 0.06, frequency, 0.78 - k * 0.06, 0.12),
    ),
    brushes: [],
  },
};

export class Sounds {
  on = true;
  #volume = 0.8;
  #context: AudioContext | null = null;
  #out: GainNode | null = null;
  #dealer: GainNode | null = null;
  #dealerLevel = 0.8;
  #noise: AudioBuffer | null = null;
  readonly #make: () => AudioContext;

  constructor(make: () => AudioContext = () => new AudioContext()) {
    this.#make = make;
  }

  /** From 0 to 100, as it stands in the settings (V-68). */
  set volume(percent: number) {
    this.#volume = Math.min(100, Math.max(0, percent)) / 100;
    if (this.#out) this.#out.gain.value = this.#volume;
  }
  get volume(): number {
    return Math.round(this.#volume * 100);
  }

  /** How loud somebody is who speaks over the line, from 0 to 100. */
  set dealerVolume(percent: number) {
    this.#dealerLevel = Math.min(100, Math.max(0, percent)) / 100;
    if (this.#dealer) this.#dealer.gain.value = this.#dealerLevel;
  }

  /** Where the sound of a stream goes; none before the first touch. */
  dealerOut(): GainNode | null {
    if (!this.#context) return null;
    if (!this.#dealer) {
      this.#dealer = this.#context.createGain();
      this.#dealer.gain.value = this.#dealerLevel;
      this.#dealer.connect(this.#context.destination);
    }
    return this.#dealer;
  }

  /** Browsers give sound only after a first touch; this is called on it. */
  wake(): void {
    if (!this.#context) {
      this.#context = this.#make();
      this.#out = this.#context.createGain();
      this.#out.gain.value = this.#volume;
      this.#out.connect(this.#context.destination);
    }
    if (this.#context.state === 'suspended') void this.#context.resume();
  }

  /** Plays a sound, where there is one to play: off, silent or before the first touch nothing happens. */
  play(sound: Sound): void {
    if (!this.on || !this.#volume || !this.#context || !this.#out || this.#context.state !== 'running') return;
    const start = this.#context.currentTime;
    for (const one of SCORES[sound].tones) this.#sing(this.#context, this.#out, one, start);
    for (const one of SCORES[sound].brushes) this.#sweep(this.#context, this.#out, one, start);
  }

  #sing(context: AudioContext, out: AudioNode, one: Tone, start: number): void {
    const source = context.createOscillator();
    source.type = one.shape;
    source.frequency.value = one.frequency;
    source.connect(fadeOut(context, out, start + one.at, one.length, one.level));
    source.start(start + one.at);
    source.stop(start + one.at + one.length + 0.02);
  }

  #sweep(context: AudioContext, out: AudioNode, one: Brush, start: number): void {
    const source = context.createBufferSource();
    const filter = context.createBiquadFilter();
    source.buffer = this.#noise ??= hiss(context);
    filter.type = 'bandpass';
    filter.Q.value = one.narrow;
    filter.frequency.setValueAtTime(one.from, start + one.at);
    filter.frequency.exponentialRampToValueAtTime(one.to, start + one.at + one.length);
    source.connect(filter).connect(fadeOut(context, out, start + one.at, one.length, one.level));
    source.start(start + one.at);
    source.stop(start + one.at + one.length + 0.02);
  }
}

function fadeOut(context: AudioContext, out: AudioNode, start: number, length: number, level: number): GainNode {
  const gain = context.createGain();
  gain.gain.setValueAtTime(0.0001, start);
  gain.gain.exponentialRampToValueAtTime(level, start + Math.min(0.012, length / 4));
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  gain.connect(out);
  return gain;
}

function hiss(context: AudioContext): AudioBuffer {
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * 0.3), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = Math.random() * 2 - 1;
  return buffer;
}
