/// <reference lib="webworker" />
import { prepareZXingModule, readBarcodes, type ReaderOptions } from 'zxing-wasm/reader';
import library from 'zxing-wasm/reader/zxing_reader.wasm?url';
import type { Answer } from './detector';

/**
 * The reader of codes, in a worker of its own: compiled code is allowed to this script alone (web/http/security.py),
 * and comes from this house.
 */
const OPTIONS: ReaderOptions = { formats: ['QRCode'], tryHarder: true, tryInvert: false, maxNumberOfSymbols: 8 };
const canvas = new OffscreenCanvas(1, 1);
const drawing = canvas.getContext('2d', { willReadFrequently: true })!;

prepareZXingModule({ overrides: { locateFile: () => library } });

async function read(picture: ImageBitmap): Promise<string[]> {
  if (canvas.width !== picture.width || canvas.height !== picture.height)
    [canvas.width, canvas.height] = [picture.width, picture.height];
  drawing.drawImage(picture, 0, 0);
  picture.close();
  const codes = await readBarcodes(drawing.getImageData(0, 0, canvas.width, canvas.height), OPTIONS);
  return codes.filter((code) => code.isValid).map((code) => code.text);
}

self.onmessage = async ({ data }: MessageEvent<ImageBitmap>) => {
  const answer: Answer = await read(data).then(
    (texts) => ({ texts }),
    () => ({ failed: true }),
  );
  self.postMessage(answer);
};
