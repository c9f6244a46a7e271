import { parsePrinted, type Code } from './codes';
import { chooseDetector, type Detector } from './detector';
import { Presence } from './presence';

/** Why no camera reads: there is none, another program has it, somebody said no, or the page is not secure. */
export type CameraFault = 'absent' | 'busy' | 'denied' | 'unsupported' | 'decoder';

export class CameraRefused extends Error {
  constructor(readonly fault: CameraFault) {
    super(fault);
  }
}

const FAULTS: Readonly<Record<string, CameraFault>> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'absent',
  OverconstrainedError: 'absent',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** At most so many frames a second are looked at: enough for a card that is drawn past, and half the work. */
const BETWEEN = 1000 / 15;

/** A camera that looks at the cards: the named one, else the one at the back of a phone or tablet. */
export async function openCamera(deviceId?: string): Promise<MediaStream> {
  const media = navigator.mediaDevices as MediaDevices | undefined;
  if (!media) throw new CameraRefused('unsupported');
  const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: 'environment' };
  try {
    return await media.getUserMedia({
      audio: false,
      video: { ...which, width: { ideal: 1920 }, height: { ideal: 1080 } },
    });
  } catch (fault) {
    throw new CameraRefused((fault instanceof Error && FAULTS[fault.name]) || 'unsupported');
  }
}

/** The cameras to choose from; they have names once a camera was allowed. */
export async function listCameras(): Promise<{ id: string; name: string }[]> {
  const devices = await (navigator.mediaDevices as MediaDevices | undefined)?.enumerateDevices();
  return (devices ?? [])
    .filter((device) => device.kind === 'videoinput' && device.deviceId)
    .map((device) => ({ id: device.deviceId, name: device.label }));
}

export interface Reading {
  /** A card or the cut card came into the picture. */
  read: (code: Code) => void;
  /** A code that is none of ours, or misread. */
  refuse?: (text: string) => void;
  /** Nothing can be read any more. */
  fail?: (fault: CameraFault) => void;
}

export interface CardReader {
  readonly kind: Detector['kind'];
  stop: () => void;
}

/** Reads the codes that a playing video shows, each once for as long as it stays in the picture. */
export async function readCards(
  video: HTMLVideoElement,
  reading: Reading,
  choose: () => Promise<Detector> = chooseDetector,
): Promise<CardReader> {
  const detector = await choose();
  const presence = new Presence();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function tell(text: string): void {
    const code = parsePrinted(text);
    if (code) reading.read(code);
    else reading.refuse?.(text);
  }

  async function look(): Promise<void> {
    const began = performance.now();
    if (video.readyState >= 2) {
      // HAVE_CURRENT_DATA: there is a frame
      const texts = await detector.detect(video);
      if (!stopped) presence.see(texts, performance.now()).forEach(tell);
    }
    if (!stopped) timer = setTimeout(run, Math.max(0, BETWEEN - (performance.now() - began)));
  }
  const run = (): void => {
    look().catch(() => {
      if (stopped) return;
      stop();
      reading.fail?.('decoder');
    });
  };
  function stop(): void {
    stopped = true;
    clearTimeout(timer);
    detector.close();
  }

  run();
  return { kind: detector.kind, stop };
}
