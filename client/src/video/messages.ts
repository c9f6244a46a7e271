/** What is said on a socket of video beside chunks; the house's side is `web/video/messages.py`. */
export interface Track {
  track: number;
  codec: string;
  /** Frames or samples in a second. */
  rate: number;
  /** In a second, as the encoder was told. */
  bits: number;
  width: number;
  height: number;
  channels: number;
}
export type VideoAsked =
  | { type: 'publish'; tracks: readonly Track[] }
  | { type: 'watch'; track: number; sound: boolean }
  | { type: 'clock'; sent: number }
  | { type: 'keyframe' };
export type VideoTold =
  | { type: 'stream'; tracks: Track[] }
  | { type: 'clock'; sent: number; now: number }
  | { type: 'keyframe'; track: number }
  | { type: 'publishing' }
  | { type: 'viewers'; number: number }
  | { type: 'refused'; code: string };

/** Why the house ends a socket of video for good: the session, the account, no desk, another camera, no table. */
export const FINAL_CODES: ReadonlySet<number> = new Set([4004, 4005, 4008, 4009, 4010, 4011, 4012]);
