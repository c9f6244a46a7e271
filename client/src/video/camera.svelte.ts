import { PictureEncoder, SOUND_TRACK, SoundEncoder, canEncode, findTracks } from './encoders';
import { readFrames } from './frames';
import type { Track, VideoTold } from './messages';
import microphoneModule from './microphone.worklet.js?url';
import { VideoSocket, type VideoWiring } from './video_socket';

/**
 * `off`. `asking`: the browser asks for the camera. `calling`: on the way to the house. `on`: the house takes it.
 * `away`: the line is lost and comes back. `refused`: no camera was given. `ended`: the house or another camera ended
 * it, `code` says why. `unable`: this browser cannot encode.
 */
export type CameraState = 'off' | 'asking' | 'calling' | 'on' | 'away' | 'refused' | 'ended' | 'unable';

/** One quality as it was sent in the last second. */
export interface Sent {
  track: Track;
  frames: number;
  bits: number;
  dropped: number;
}

/** The dealer's camera and microphone, sent to the house in several qualities (V-72). */
export class Camera {
  state = $state<CameraState>('off');
  /** With which the house ended it. */
  code = $state(0);
  microphone = $state(true);
  /** How loud the microphone is, from 0 to 1. */
  level = $state(0);
  viewers = $state(0);
  sent = $state.raw<readonly Sent[]>([]);
  /** What the preview shows. */
  media = $state.raw<MediaStream | null>(null);
  readonly #wires: Partial<VideoWiring>;
  #socket: VideoSocket | null = null;
  #tracks: Track[] = [];
  #pictures: PictureEncoder[] = [];
  #sound: SoundEncoder | null = null;
  #context: AudioContext | null = null;
  #endFrames: (() => void) | null = null;
  #second: ReturnType<typeof setInterval> | undefined;
  #peak = 0;

  constructor(wires: Partial<VideoWiring> = {}) {
    this.#wires = wires;
  }

  get running(): boolean {
    return this.#socket !== null;
  }

  /** Asks for camera and microphone and sends them; `source` is something else to send. `video` shows the preview. */
  async start(table: string, video: HTMLVideoElement, source?: MediaStream): Promise<void> {
    if (this.running || this.state === 'asking') return;
    this.state = 'asking';
    if (!canEncode() || !navigator.mediaDevices) {
      this.state = 'unable';
      return;
    }
    try {
      this.media = source ?? (await askForCamera());
    } catch {
      this.state = 'refused';
      return;
    }
    this.#tracks = await findTracks();
    if (!this.#tracks.length) {
      this.#release();
      this.state = 'unable';
      return;
    }
    video.srcObject = this.media;
    void video.play().catch(() => {});
    await this.#listen();
    this.state = 'calling';
    this.code = 0;
    this.#socket = new VideoSocket({
      table,
      opened: () => this.#socket?.say({ type: 'publish', tracks: this.#announced }),
      told: (message) => this.#read(message),
      lost: (code, final) => this.#lose(code, final),
      ...this.#wires,
    });
    this.#socket.start();
    this.#endFrames = readFrames(this.media, video, (frame) => this.#encode(frame));
    this.#second = setInterval(() => this.#look(), 1_000);
  }

  stop(): void {
    this.#socket?.stop();
    this.#end('off');
  }

  /** The microphone on or off: off, silence is sent, so that viewers need not guess. */
  mute(off: boolean): void {
    this.microphone = !off;
    for (const track of this.media?.getAudioTracks() ?? []) track.enabled = !off;
  }

  get #announced(): Track[] {
    return this.#context ? [...this.#tracks, SOUND_TRACK] : this.#tracks;
  }

  #read(message: VideoTold): void {
    if (message.type === 'viewers') this.viewers = message.number;
    else if (message.type === 'keyframe') this.#pictures.find(({ track }) => track.track === message.track)?.demand();
    else if (message.type === 'publishing') this.#open();
  }

  /** The house takes it: encoders begin with key frames. */
  #open(): void {
    this.#closeEncoders();
    const socket = this.#socket;
    if (!socket) return;
    this.#pictures = this.#tracks.map((track) => new PictureEncoder(track, socket, () => this.#open()));
    if (this.#context) this.#sound = new SoundEncoder(socket, () => (this.#sound = null));
    this.state = 'on';
  }

  #encode(frame: VideoFrame): void {
    const socket = this.#socket;
    if (this.state !== 'on' || !socket?.time.known) return;
    const [captured, at] = [Math.round(socket.time.now() * 1_000), performance.now()];
    for (const picture of this.#pictures) picture.encode(frame, captured, at);
  }

  async #listen(): Promise<void> {
    const stream = this.media;
    if (!stream?.getAudioTracks().length || !('AudioEncoder' in globalThis)) return;
    try {
      const context = new AudioContext({ sampleRate: SOUND_TRACK.rate });
      await context.audioWorklet.addModule(microphoneModule);
      const node = new AudioWorkletNode(context, 'microphone', { numberOfInputs: 1, numberOfOutputs: 0 });
      node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => this.#hear(data);
      context.createMediaStreamSource(stream).connect(node);
      this.#context = context;
      this.mute(!this.microphone);
    } catch {
      this.#context = null;
    }
  }

  #hear(samples: Float32Array): void {
    for (const sample of samples) this.#peak = Math.max(this.#peak, Math.abs(sample));
    this.level = this.#peak;
    this.#peak *= 0.8;
    const time = this.#socket?.time;
    if (this.state === 'on' && time?.known) this.#sound?.encode(samples, Math.round(time.now() * 1_000));
  }

  #look(): void {
    this.sent = this.#pictures.map((picture) => {
      const second = {
        track: picture.track,
        frames: picture.sent,
        bits: picture.bytes * 8,
        dropped: picture.dropped,
      };
      picture.sent = picture.bytes = picture.dropped = 0;
      return second;
    });
  }

  #lose(code: number, final: boolean): void {
    this.#closeEncoders();
    if (!final) {
      this.state = 'away';
      return;
    }
    this.code = code;
    this.#end('ended');
  }

  #closeEncoders(): void {
    for (const picture of this.#pictures) picture.close();
    this.#sound?.close();
    this.#pictures = [];
    this.#sound = null;
  }

  #end(state: CameraState): void {
    clearInterval(this.#second);
    this.#socket = null;
    this.#endFrames?.();
    this.#endFrames = null;
    this.#closeEncoders();
    this.#release();
    void this.#context?.close();
    this.#context = null;
    [this.sent, this.viewers, this.level] = [[], 0, 0];
    this.state = state;
  }

  #release(): void {
    for (const track of this.media?.getTracks() ?? []) track.stop();
    this.media = null;
  }
}

/** Camera and microphone; the camera alone where there is no microphone. */
async function askForCamera(): Promise<MediaStream> {
  const video = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } };
  const sound = { echoCancellation: true, noiseSuppression: true };
  try {
    return await navigator.mediaDevices.getUserMedia({ video, audio: sound });
  } catch {
    return navigator.mediaDevices.getUserMedia({ video });
  }
}
