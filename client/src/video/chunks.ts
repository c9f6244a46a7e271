/** Chunks as they go over the socket: 16 bytes of header, then the frame as its encoder gave it. */
export const [HEAD, VERSION, SOUND, NO_PICTURE] = [16, 1, 16, -1];

export interface ChunkHead {
  /** 0, 1, 2: qualities of the picture, the best first; 16: sound. */
  track: number;
  key: boolean;
  number: number;
  /** Microseconds by the clock of the house. */
  captured: number;
}
export interface Chunk extends ChunkHead {
  frame: Uint8Array;
}

export function writeChunk(head: ChunkHead, size: number, copy: (frame: Uint8Array) => void): ArrayBuffer {
  const buffer = new ArrayBuffer(HEAD + size);
  const view = new DataView(buffer);
  view.setUint8(0, VERSION);
  view.setUint8(1, head.track);
  view.setUint8(2, head.key ? 1 : 0);
  view.setUint32(4, head.number);
  view.setBigUint64(8, BigInt(Math.max(0, Math.round(head.captured))));
  copy(new Uint8Array(buffer, HEAD));
  return buffer;
}

/** Null where it is no chunk. */
export function readChunk(buffer: ArrayBuffer): Chunk | null {
  if (buffer.byteLength <= HEAD) return null;
  const view = new DataView(buffer);
  if (view.getUint8(0) !== VERSION) return null;
  return {
    track: view.getUint8(1),
    key: view.getUint8(2) === 1,
    number: view.getUint32(4),
    captured: Number(view.getBigUint64(8)),
    frame: new Uint8Array(buffer, HEAD),
  };
}
