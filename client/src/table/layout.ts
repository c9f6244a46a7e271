/** How a table is laid out in the room it has. */
export interface Layout {
  kind: 'desk' | 'tall' | 'flat';
  u: number;
  short: boolean;
}

const [HEAD, FOOT] = [60, 84];
/** Under this scale of the stage its text would be too small to read. */
const LEAST = 0.705;

export function layoutOf(width: number, height: number, tile: boolean): Layout {
  const scale = Math.min(width / 1440, (height - HEAD - FOOT) / 756);
  if (!tile && scale >= LEAST) return { kind: 'desk', u: 1, short: false };
  if (height >= width * 1.05) {
    const u = Math.max(1, Math.min(1.7, width / 480, height / 700));
    return { kind: 'tall', u, short: u === 1 && height < 800 };
  }
  return { kind: 'flat', u: 1, short: true };
}

/** In the theatre a wide table lies low under the picture, with its keys in the foot. */
export const layoutFor = (layout: Layout, theatre: boolean): Layout =>
  theatre && layout.kind === 'desk' ? { kind: 'flat', u: 1, short: true } : layout;

/** Whether fingers are used here. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;
