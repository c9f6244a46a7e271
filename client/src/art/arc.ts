/** Where the boxes lie: a half-ellipse seen from the player, the first box right-most. */
export interface ArcShape {
  cx: number;
  cy: number;
  rx: number;
  ry: number;
  from: number;
}
export interface ArcPlace {
  x: number;
  y: number;
  tilt: number;
  degrees: number;
}

/** The stage under the header on which all tables are drawn, before it is scaled as one piece. */
export const STAGE = { width: 1440, height: 756 } as const;

/** A flat stage, for a phone on its side and for tables side by side; as tall as its room has it. */
export const FLAT = { width: 740, least: 264, most: 440 } as const;
export const flatHeight = (width: number, height: number): number =>
  Math.round(Math.min(FLAT.most, Math.max(FLAT.least, (height * FLAT.width) / Math.max(1, width))));
export function flatShape(boxes: number, height: number): ArcShape {
  const from = boxes > 5 ? 20 : 34;
  const [top, bottom] = [116, height - 72];
  const ry = (bottom - top) / (1 - Math.sin((from * Math.PI) / 180));
  return { cx: FLAT.width / 2, cy: bottom - ry, rx: boxes > 5 ? 320 : 336, ry, from };
}

/** By how many boxes a table has; the sheet says how many, never which game. */
export function shape(boxes: number): ArcShape {
  if (boxes <= 3) return { cx: 720, cy: 174, rx: 640, ry: 404, from: 45 };
  if (boxes <= 5) return { cx: 720, cy: 174, rx: 600, ry: 404, from: 32 };
  return { cx: 720, cy: 174, rx: 640, ry: 404, from: 26 };
}

/** Box `i` of `n`, counted from 0: the centre of its main circle and the tilt of its hand. */
export function place(n: number, i: number, on: ArcShape = shape(n)): ArcPlace {
  const degrees = n === 1 ? 90 : on.from + (i * (180 - 2 * on.from)) / (n - 1);
  const t = (degrees * Math.PI) / 180;
  return { x: on.cx + on.rx * Math.cos(t), y: on.cy + on.ry * Math.sin(t), tilt: (90 - degrees) * -0.16, degrees };
}
