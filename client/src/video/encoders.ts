import { SOUND, writeChunk } from './chunks';
import type { Track } from './messages';

/** What is sent: the best first. The second is for most, the third for poor lines. */
export const QUALITIES = [
  { width: 1280, height: 720, rate: 30, bits: 2_500_000 },
  { width: 640, height: 360, rate: 30, bits: 1_000_000 },
  { width: 320, height: 180, rate: 15, bits: 250_000 },
] as const;
/** What every browser with WebCodecs decodes, the one that is best for its bits first. */
const CODECS = ['vp09.00.31.08', 'vp8', 'avc1.42E01F'];
export const SOUND_TRACK: Track = {
  track: SOUND,
  codec: 'opus',
  rate: 48_000,
  bits: 32_000,
  width: 0,
  height: 0,
  channels: 1,
};
/** Milliseconds between two key frames. */
const KEY_EVERY = 1_000;
/** Bytes that wait at the socket beyond which a quality is left out, the best first; sound goes last. */
export const UNSENT_PICTURE = [128 << 10, 256 << 10, 384 << 10] as const;
const UNSENT_SOUND = 512 << 10;
/** Frames that may wait in an encoder. */
const MOST_WAITING = 2;

const configOf = (track: Track): VideoEncoderConfig => ({
  codec: track.codec,
  width: track.width,
  height: track.height,
  bitrate: track.bits,
  framerate: track.rate,
  latencyMode: 'realtime',
  ...(track.codec.startsWith('avc1') ? { avc: { format: 'annexb' as const } } : {}),
});

export const canEncode = (): boolean => 'VideoEncoder' in globalThis && 'VideoFrame' in globalThis;

/** The tracks of the picture that this browser can encode; none where it can none. */
export async function findTracks(qualities: readonly (typeof QUALITIES)[number][] = QUALITIES): Promise<Track[]> {
  for (const codec of CODECS) {
    const tracks = qualities.map((quality, track) => ({ ...quality, track, codec, channels: 0 }));
    const able = await Promise.all(
      tracks.map(async (track) => (await VideoEncoder.isConfigSupported(configOf(track))).supported === true),
    ).catch(() => [false]);
    if (able.every(Boolean)) return tracks;
  }
  return [];
}

/** What encoders hand their chunks to. */
export interface Outlet {
  readonly unsent: number;
  send: (chunk: ArrayBuffer) => void;
}

/** One quality of the picture: encodes what it is given, unless the line or this device cannot take it. */
export class PictureEncoder {
  readonly track: Track;
  sent = 0;
  bytes = 0;
  dropped = 0;
  readonly #outlet: Outlet;
  readonly #encoder: VideoEncoder;
  readonly #canvas: OffscreenCanvas;
  #number = 0;
  #keyAt = -KEY_EVERY;
  #frameAt = 0;
  #wanted = true;

  constructor(track: Track, outlet: Outlet, failed: () => void) {
    this.track = track;
    this.#outlet = outlet;
    this.#canvas = new OffscreenCanvas(track.width, track.height);
    this.#encoder = new VideoEncoder({ output: (chunk) => this.#take(chunk), error: failed });
    this.#encoder.configure(configOf(track));
  }

  /** The next frame is a key frame. */
  demand(): void {
    this.#wanted = true;
  }

  /** `captured`: by the house's clock, in microseconds; `at`: by the one here, in milliseconds. */
  encode(source: VideoFrame, captured: number, at: number): void {
    const pace = 1_000 / this.track.rate;
    if (at - this.#frameAt < pace * 0.7) return;
    const full = this.#outlet.unsent > UNSENT_PICTURE[Math.min(this.track.track, 2)]!;
    if (full || this.#encoder.encodeQueueSize > MOST_WAITING || this.#encoder.state !== 'configured') {
      this.dropped += 1;
      if (full) this.#wanted = true;
      return;
    }
    this.#frameAt = at;
    const keyFrame = this.#wanted || at - this.#keyAt >= KEY_EVERY;
    if (keyFrame) [this.#keyAt, this.#wanted] = [at, false];
    const frame = this.#scale(source, captured);
    this.#encoder.encode(frame, { keyFrame });
    frame.close();
  }

  /** The frame in the size of this quality; what is wider or higher than that is cut off evenly. */
  #scale(source: VideoFrame, captured: number): VideoFrame {
    const { width, height } = this.track;
    const [wide, high] = [source.displayWidth, source.displayHeight];
    const scale = Math.max(width / wide, height / high);
    const draw = this.#canvas.getContext('2d', { alpha: false })!;
    const [w, h] = [wide * scale, high * scale];
    draw.drawImage(source, (width - w) / 2, (height - h) / 2, w, h);
    return new VideoFrame(this.#canvas, { timestamp: captured });
  }

  #take(chunk: EncodedVideoChunk): void {
    const head = {
      track: this.track.track,
      key: chunk.type === 'key',
      number: this.#number,
      captured: chunk.timestamp,
    };
    this.#number += 1;
    this.sent += 1;
    this.bytes += chunk.byteLength;
    this.#outlet.send(writeChunk(head, chunk.byteLength, (frame) => chunk.copyTo(frame as BufferSource)));
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }
}

/** The sound: Opus in pieces of 20 ms. */
export class SoundEncoder {
  bytes = 0;
  readonly #encoder: AudioEncoder;
  readonly #outlet: Outlet;
  #number = 0;

  constructor(outlet: Outlet, failed: () => void) {
    this.#outlet = outlet;
    this.#encoder = new AudioEncoder({ output: (chunk) => this.#take(chunk), error: failed });
    const { codec, rate, bits, channels } = SOUND_TRACK;
    this.#encoder.configure({ codec, sampleRate: rate, numberOfChannels: channels, bitrate: bits });
  }

  encode(samples: Float32Array, captured: number): void {
    if (this.#encoder.state !== 'configured' || this.#outlet.unsent > UNSENT_SOUND) return;
    const data = new AudioData({
      format: 'f32-planar',
      sampleRate: SOUND_TRACK.rate,
      numberOfFrames: samples.length,
      numberOfChannels: 1,
      timestamp: captured,
      data: samples as BufferSource,
    });
    this.#encoder.encode(data);
    data.close();
  }

  #take(chunk: EncodedAudioChunk): void {
    const head = { track: SOUND, key: true, number: this.#number, captured: chunk.timestamp };
    this.#number += 1;
    this.bytes += chunk.byteLength;
    this.#outlet.send(writeChunk(head, chunk.byteLength, (frame) => chunk.copyTo(frame as BufferSource)));
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }
}
