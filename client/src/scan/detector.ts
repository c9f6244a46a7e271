/** Reads the texts of the codes in a frame. */
export interface Detector {
  /** `native`: the browser's own; `wasm`: ours, in a worker. */
  readonly kind: 'native' | 'wasm';
  detect: (frame: HTMLVideoElement) => Promise<string[]>;
  close: () => void;
}

/** The browser's own detector, where it has one (Chrome on Android, macOS and ChromeOS). */
interface NativeDetector {
  detect: (frame: CanvasImageSource) => Promise<{ rawValue: string }[]>;
}
interface NativeDetectorClass {
  new (options: { formats: string[] }): NativeDetector;
  getSupportedFormats: () => Promise<string[]>;
}

const FORMAT = 'qr_code';

/** The browser's detector where it reads our codes, else the library, which is fetched only then. */
export async function chooseDetector(): Promise<Detector> {
  return (await openNative()) ?? openWorker();
}

async function openNative(): Promise<Detector | null> {
  const native = (globalThis as { BarcodeDetector?: NativeDetectorClass }).BarcodeDetector;
  if (!native) return null;
  try {
    if (!(await native.getSupportedFormats()).includes(FORMAT)) return null;
    const detector = new native({ formats: [FORMAT] });
    return {
      kind: 'native',
      detect: async (frame) => (await detector.detect(frame)).map((found) => found.rawValue),
      close: () => undefined,
    };
  } catch {
    return null; // there by name only, as where the system lacks its service
  }
}

/** What the worker answers: the texts of a frame, or that it cannot read. */
export type Answer = { texts: string[] } | { failed: true };

/** Frames go one by one to a worker, so that the page never waits for a picture. */
export function openWorker(
  worker: Worker = new Worker(new URL('./decoder.worker.ts', import.meta.url), { type: 'module' }),
): Detector {
  let waiting: { resolve: (texts: string[]) => void; reject: (fault: Error) => void } | null = null;
  const fail = (): void => {
    waiting?.reject(new Error('decoder'));
    waiting = null;
  };
  worker.onerror = fail;
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    if ('failed' in data) return fail();
    waiting?.resolve(data.texts);
    waiting = null;
  };
  return {
    kind: 'wasm',
    detect: async (frame) => {
      const picture = await createImageBitmap(frame);
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        worker.postMessage(picture, [picture]);
      });
    },
    close: () => {
      worker.terminate();
      waiting?.resolve([]);
      waiting = null;
    },
  };
}
