import type { Chunk } from './chunks';
import type { Track } from './messages';

export interface Shown {
  frame: VideoFrame;
  captured: number;
}

/** Whether this browser can decode what the house relays. */
export const canDecode = (): boolean => 'VideoDecoder' in globalThis && 'EncodedVideoChunk' in globalThis;

/** Frames that may wait for the decoder; more and this device is too slow for them. */
const MOST_WAITING = 8;

/** Decodes the picture: whichever track comes with a key frame, and nothing after a gap until the next one. */
export class PictureDecoder {
  frames = 0;
  dropped = 0;
  /** Frames of the track that were sent and never came. */
  missing = 0;
  bits = 0;
  /** The track that is decoded now. */
  track = -1;
  readonly #show: (frame: VideoFrame) => void;
  readonly #broken: () => void;
  #decoder: VideoDecoder | null = null;
  #codec = '';
  #last = -1;
  #starved = true;

  constructor(show: (frame: VideoFrame) => void, broken: () => void) {
    this.#show = show;
    this.#broken = broken;
  }

  take(chunk: Chunk, tracks: readonly Track[]): void {
    this.frames += 1;
    this.bits += chunk.frame.byteLength * 8;
    const follows = chunk.track === this.track && chunk.number === this.#last + 1;
    if (!follows && !chunk.key) this.#starved = true;
    if (chunk.track === this.track) this.missing += Math.max(0, chunk.number - this.#last - 1);
    if (chunk.key) this.#starved = false;
    if (chunk.track === this.track || chunk.key) this.#last = chunk.number;
    if (this.#starved || (this.#decoder?.decodeQueueSize ?? 0) > MOST_WAITING) {
      this.dropped += 1;
      this.#starved = true;
      return;
    }
    const track = tracks.find((one) => one.track === chunk.track);
    if (!track) return;
    try {
      this.#configure(track);
      this.track = chunk.track;
      this.#decoder!.decode(
        new EncodedVideoChunk({
          type: chunk.key ? 'key' : 'delta',
          timestamp: chunk.captured,
          data: chunk.frame as BufferSource,
        }),
      );
    } catch {
      this.#fail();
    }
  }

  #configure(track: Track): void {
    const codec = `${track.track} ${track.codec} ${track.width}`;
    if (this.#decoder?.state === 'configured' && codec === this.#codec) return;
    if (!this.#decoder || this.#decoder.state === 'closed')
      this.#decoder = new VideoDecoder({ output: this.#show, error: () => this.#fail() });
    this.#decoder.configure({
      codec: track.codec,
      codedWidth: track.width,
      codedHeight: track.height,
      optimizeForLatency: true,
    });
    this.#codec = codec;
  }

  #fail(): void {
    this.dropped += 1;
    this.reset();
    this.#broken();
  }

  reset(): void {
    if (this.#decoder && this.#decoder.state !== 'closed') this.#decoder.close();
    this.#decoder = null;
    [this.track, this.#last, this.#starved] = [-1, -1, true];
  }
}

/** Seconds of sound that are kept ahead, and beyond which some is left out to catch up. */
const [AHEAD, MOST_AHEAD] = [0.06, 0.4];

/** Decodes the dealer's sound and plays it into the mixer. */
export class SoundDecoder {
  readonly #out: () => GainNode | null;
  #decoder: AudioDecoder | null = null;
  #next = 0;

  constructor(out: () => GainNode | null) {
    this.#out = out;
  }

  take(chunk: Chunk, tracks: readonly Track[]): void {
    const track = tracks.find((one) => one.track === chunk.track);
    if (!track || !('AudioDecoder' in globalThis) || !this.#out()) return;
    try {
      if (this.#decoder?.state !== 'configured') {
        this.#decoder = new AudioDecoder({ output: (data) => this.#play(data), error: () => this.reset() });
        this.#decoder.configure({
          codec: track.codec,
          sampleRate: track.rate,
          numberOfChannels: track.channels || 1,
        });
      }
      this.#decoder.decode(
        new EncodedAudioChunk({ type: 'key', timestamp: chunk.captured, data: chunk.frame as BufferSource }),
      );
    } catch {
      this.reset();
    }
  }

  #play(data: AudioData): void {
    const out = this.#out();
    if (!out || out.context.state !== 'running') {
      data.close();
      return;
    }
    const context = out.context;
    const buffer = context.createBuffer(data.numberOfChannels, data.numberOfFrames, data.sampleRate);
    for (let channel = 0; channel < data.numberOfChannels; channel += 1) {
      const samples = new Float32Array(data.numberOfFrames);
      data.copyTo(samples, { planeIndex: channel, format: 'f32-planar' });
      buffer.copyToChannel(samples, channel);
    }
    data.close();
    if (this.#next > context.currentTime + MOST_AHEAD) return;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(out);
    this.#next = Math.max(this.#next, context.currentTime + AHEAD);
    source.start(this.#next);
    this.#next += buffer.duration;
  }

  reset(): void {
    if (this.#decoder && this.#decoder.state !== 'closed') this.#decoder.close();
    this.#decoder = null;
    this.#next = 0;
  }
}
