import { audio } from '../sound/audio.svelte';
import type { Settings } from '../wire/types';
import { NO_PICTURE, SOUND, readChunk, type Chunk } from './chunks';
import { PictureDecoder, SoundDecoder, canDecode } from './decoder';
import type { Track, VideoTold } from './messages';
import { AutomaticQuality, chooseTrack } from './quality';
import { shownStream } from './shown.svelte';
import { VideoSocket, type VideoWiring } from './video_socket';

/**
 * `off`: not watched. `calling`: on the way. `live`: the picture moves. `none`: nobody films the table now. `lost`: it
 * stood still. `unable`: this browser cannot decode it. In all but `live` the drawn dealer is shown.
 */
export type StreamState = 'off' | 'calling' | 'live' | 'none' | 'lost' | 'unable';

/** Milliseconds without a new picture after which the stream counts as lost. */
export const STILL = 2_000;
/** How much of a new measure of the delay counts. */
const WEIGHT = 0.1;

/** The live picture and sound of one table, with what was measured of it (V-72). */
export class VideoStream {
  state = $state<StreamState>('off');
  tracks = $state.raw<readonly Track[]>([]);
  /** The track that is shown. */
  track = $state(NO_PICTURE);
  /** Milliseconds from capture to sight, measured; 0 while nothing is seen. */
  delay = $state(0);
  /** The same of the last picture alone, for who measures. */
  last = 0;
  readonly table: string;
  readonly #wires: Partial<VideoWiring>;
  #socket: VideoSocket | null = null;
  #canvas: HTMLCanvasElement | null = null;
  #chosen: Settings['video']['quality'] = 'auto';
  #automatic = new AutomaticQuality();
  #wished = { track: NO_PICTURE, sound: false };
  #pictures = new PictureDecoder(
    (frame) => this.#keep(frame),
    () => this.#socket?.say({ type: 'keyframe' }),
  );
  #sounds = new SoundDecoder(() => audio.dealerOut());
  #next: VideoFrame | null = null;
  #drawing = 0;
  #drawnAt = 0;
  #second: ReturnType<typeof setInterval> | undefined;

  constructor(table: string, wires: Partial<VideoWiring> = {}) {
    this.table = table;
    this.#wires = wires;
  }

  get live(): boolean {
    return this.state === 'live';
  }

  /** Shows the stream on a canvas, from now until `stop`; another canvas takes its place. */
  start(canvas: HTMLCanvasElement): void {
    this.#canvas = canvas;
    if (this.#socket) return;
    if (!canDecode()) {
      this.state = 'unable';
      return;
    }
    this.state = 'calling';
    this.#socket = new VideoSocket({
      table: this.table,
      opened: () => {
        this.#wished = { track: NO_PICTURE, sound: false };
        this.#wish(null);
      },
      told: (message) => this.#read(message),
      chunk: (data) => this.#take(data),
      lost: () => this.#lose('lost'),
      ...this.#wires,
    });
    this.#socket.start();
    this.#second = setInterval(() => this.#look(), 1_000);
  }

  stop(): void {
    clearInterval(this.#second);
    this.#socket?.stop();
    this.#socket = this.#canvas = null;
    this.#automatic = new AutomaticQuality();
    this.#clear();
    this.tracks = shownStream.tracks = [];
    this.state = 'off';
  }

  /** As it stands in Settings → VIDEO. */
  choose(quality: Settings['video']['quality']): void {
    this.#chosen = quality;
    this.#wish(null);
  }

  #read(message: VideoTold): void {
    if (message.type !== 'stream') return;
    this.tracks = shownStream.tracks = message.tracks;
    if (!message.tracks.length) this.#lose('none');
    else {
      if (this.state !== 'live') this.state = 'calling';
      this.#wish(null);
    }
  }

  /** Asks for what is to be seen and heard, where that has changed. */
  #wish(second: Parameters<AutomaticQuality['next']>[1]): void {
    const track =
      this.#chosen === 'auto' ? this.#automatic.next(this.tracks, second) : chooseTrack(this.#chosen, this.tracks);
    const wish = { track, sound: audio.hearsDealer };
    if (wish.track === this.#wished.track && wish.sound === this.#wished.sound) return;
    if (!this.#socket?.open) return;
    this.#wished = wish;
    this.#socket.say({ type: 'watch', ...wish });
  }

  #take(data: ArrayBuffer): void {
    const chunk: Chunk | null = readChunk(data);
    if (chunk?.track === SOUND) this.#sounds.take(chunk, this.tracks);
    else if (chunk) this.#pictures.take(chunk, this.tracks);
  }

  /** The newest picture waits for the screen; one that was not drawn in time is dropped. */
  #keep(frame: VideoFrame): void {
    this.#next?.close();
    this.#next = frame;
    this.#drawing ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#drawing = 0;
    const [frame, canvas, time] = [this.#next, this.#canvas, this.#socket?.time];
    this.#next = null;
    if (!frame) return;
    if (canvas && time) {
      if (canvas.width !== frame.displayWidth) canvas.width = frame.displayWidth;
      if (canvas.height !== frame.displayHeight) canvas.height = frame.displayHeight;
      canvas.getContext('2d', { desynchronized: true })?.drawImage(frame, 0, 0);
      this.#drawnAt = performance.now();
      this.last = Math.max(0, time.now() - frame.timestamp / 1_000);
      this.delay = Math.round(this.delay ? this.delay + (this.last - this.delay) * WEIGHT : this.last);
      this.track = this.#pictures.track;
      this.state = 'live';
      audio.livePlaying = this.tracks.some(({ track }) => track === SOUND);
    }
    frame.close();
  }

  /** Once a second: whether the picture moves, and how well it comes through. */
  #look(): void {
    const decoder = this.#pictures;
    const track = this.tracks.find((one) => one.track === decoder.track);
    const hidden = globalThis.document?.hidden ?? false;
    if (this.state === 'live' && !hidden && performance.now() - this.#drawnAt > STILL) this.#lose('lost');
    const measured = {
      frames: decoder.frames,
      dropped: decoder.dropped,
      bits: decoder.bits,
      expected: Math.max(1, decoder.frames + decoder.missing),
      delay: this.delay,
    };
    [decoder.frames, decoder.dropped, decoder.missing, decoder.bits] = [0, 0, 0, 0];
    this.#wish(track && !hidden ? measured : null);
  }

  #lose(state: StreamState): void {
    this.#clear();
    this.state = state;
  }

  #clear(): void {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = 0;
    this.#next?.close();
    this.#next = null;
    this.#pictures.reset();
    this.#sounds.reset();
    this.delay = this.last = 0;
    this.track = NO_PICTURE;
    audio.livePlaying = false;
  }
}

const streams = new Map<string, VideoStream>();

/** The stream of a table: the same for who shows it and for who waits for its delay. */
export function streamOf(table: string): VideoStream {
  const stream = streams.get(table) ?? new VideoStream(table);
  streams.set(table, stream);
  return stream;
}
