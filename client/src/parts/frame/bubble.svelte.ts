/**
 * The one bubble of the house: what it says and the control it belongs to. Drawn over everything, kept on the screen.
 */
export interface Bubble {
  id: string;
  reasons: readonly string[];
  at: { left: number; right: number; top: number; bottom: number };
}

class Bubbles {
  shown = $state<Bubble | null>(null);

  show(id: string, reasons: readonly string[], element: Element): void {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    this.shown = { id, reasons, at: { left, right, top, bottom } };
  }

  hide(id: string): void {
    if (this.shown?.id === id) this.shown = null;
  }
}

export const bubbles = new Bubbles();
