/** A picture with the time drawn into it, to be read at the other end of a line: 24 bits of milliseconds. */
const [WIDTH, HEIGHT, BITS, BLOCK] = [1280, 720, 24, 48];
const [LEFT, TOP, TALL] = [64, 60, 80];

/** The row of bits and under it its opposite: what was not read right does not fit. */
export function drawClock(context: CanvasRenderingContext2D, milliseconds: number): void {
  const value = Math.floor(milliseconds) % 2 ** BITS;
  context.fillStyle = '#14503a';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#c8a45d';
  context.fillRect((value / 4) % WIDTH, 400, 160, 160);
  for (let bit = 0; bit < BITS; bit += 1) {
    const one = Math.floor(value / 2 ** bit) % 2 === 1;
    for (const [row, white] of [one, !one].entries()) {
      context.fillStyle = white ? '#fff' : '#000';
      context.fillRect(LEFT + bit * BLOCK, TOP + row * TALL, BLOCK, TALL);
    }
  }
}

/** The time in a picture of any size; null where it cannot be read. */
export function readClock(canvas: HTMLCanvasElement): number | null {
  const [scale, context] = [canvas.width / WIDTH, canvas.getContext('2d')];
  if (!context || !canvas.width) return null;
  const light = (bit: number, row: number): number =>
    context.getImageData((LEFT + (bit + 0.5) * BLOCK) * scale, (TOP + (row + 0.5) * TALL) * scale, 1, 1).data[1]!;
  let value = 0;
  for (let bit = 0; bit < BITS; bit += 1) {
    const [one, other] = [light(bit, 0) > 128, light(bit, 1) > 128];
    if (one === other) return null;
    if (one) value += 2 ** bit;
  }
  return value;
}

/** How long ago a picture with this time was drawn, by the same clock. */
export const sinceDrawn = (value: number, now: number): number => (Math.floor(now) - value) % 2 ** BITS;

/** A stream of such pictures; gives it with what ends it. */
export function filmClock(now: () => number): { stream: MediaStream; end: () => void } {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const context = canvas.getContext('2d', { alpha: false })!;
  const timer = setInterval(() => drawClock(context, now()), 1_000 / 30);
  return { stream: canvas.captureStream(30), end: () => clearInterval(timer) };
}
