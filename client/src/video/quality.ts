import type { Settings } from '../wire/types';
import { NO_PICTURE } from './chunks';
import type { Track } from './messages';

/** How a second of watching went. */
export interface Second {
  /** Frames that came, and those that were sent: their numbers tell. */
  frames: number;
  expected: number;
  /** Frames that came and could not be shown: after a gap, or because this device is too slow. */
  dropped: number;
  /** Bits that came. */
  bits: number;
  /** Milliseconds from capture to sight. */
  delay: number;
}
type Chosen = Settings['video']['quality'];

const CHOICES: Record<Exclude<Chosen, 'auto'>, number> = { high: 0, medium: 1, low: 2 };
/** Seconds of calm before a better quality is tried; each try that fails makes the next one twice as late. */
const [PATIENCE, LONGEST] = [6, 96];
/** Below this part of the frames, or so far behind, a second was bad; two in a row and the quality goes down. */
const [ENOUGH, BEHIND, BAD_SECONDS] = [0.8, 1_200, 2];

/** The qualities of the picture that are sent, the best first. */
export const pictures = (tracks: readonly Track[]): Track[] =>
  tracks.filter(({ width }) => width > 0).sort((one, other) => one.track - other.track);

/** Which of the tracks a choice of the settings means (V-72); the nearest where it is not sent. */
export function chooseTrack(chosen: Exclude<Chosen, 'auto'>, tracks: readonly Track[]): number {
  const sent = pictures(tracks);
  return sent[Math.min(CHOICES[chosen], sent.length - 1)]?.track ?? NO_PICTURE;
}

/**
 * The automatic quality: by what comes through and what is dropped (V-72). It begins in the middle, goes down after two
 * bad seconds, and tries one better after some calm.
 */
export class AutomaticQuality {
  #place = -1;
  #bad = 0;
  #calm = 0;
  #patience = PATIENCE;
  #tried = false;

  /** The track to watch, after one more second of the current one; null: nothing was measured yet. */
  next(tracks: readonly Track[], second: Second | null): number {
    const sent = pictures(tracks);
    if (!sent.length) return NO_PICTURE;
    if (this.#place < 0) this.#place = Math.min(1, sent.length - 1);
    this.#place = Math.min(this.#place, sent.length - 1);
    if (second) this.#judge(second, sent.length - 1);
    return sent[this.#place]!.track;
  }

  #judge(second: Second, last: number): void {
    const came = second.frames - second.dropped;
    const bad = came < second.expected * ENOUGH || second.delay > BEHIND;
    this.#bad = bad ? this.#bad + 1 : 0;
    this.#calm = bad ? 0 : this.#calm + 1;
    if (this.#bad >= BAD_SECONDS && this.#place < last) {
      this.#place += 1;
      if (this.#tried) this.#patience = Math.min(LONGEST, this.#patience * 2);
      [this.#bad, this.#calm, this.#tried] = [0, 0, false];
    } else if (this.#calm >= this.#patience && this.#place > 0) {
      this.#place -= 1;
      [this.#calm, this.#tried] = [0, true];
    } else if (this.#calm >= this.#patience) this.#tried = false;
  }
}
