/**
 * The one bubble of the house: what it says and the control it belongs to. Drawn over everything, kept on the screen.
 */
export interface Bubble {
  id: string;
  reasons: readonly string[];
  element: Element;
}

class Bubbles {
  shown = $state.raw<Bubble | null>(null);

  show(id: string, reasons: readonly string[], element: Element): void {
    this.shown = { id, reasons, element };
  }

  hide(id: string): void {
    if (this.shown?.id === id) this.shown = null;
  }
}

export const bubbles = new Bubbles();
/** How long a bubble that a press has brought is left to be read, in milliseconds. */
export const READ = 4_000;
