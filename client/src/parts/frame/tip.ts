import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';
import { bubbles, READ } from './bubble.svelte';

/** Milliseconds: a pointer that only passes shows nothing; a finger that stays on a control asks what it is. */
const [HOVER, HOLD] = [350, 500];
const CONTROL = 'button, a, input, [role=radio]';
let count = 0;

/**
 * What something means, in the bubble: to a pointer that rests on it, to the focus of the keyboard, to a finger that
 * stays. Readers have it as the name or the description of the element.
 */
export const tip =
  (text: string | undefined): Attachment<HTMLElement> =>
  (element) => {
    if (!text) return;
    const id = `tip-${(count += 1)}`;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const spoken = element.getAttribute('aria-label') ?? element.textContent ?? '';
    if (!spoken.includes(text)) element.setAttribute('aria-description', text);

    const later = (wait: number, then: () => void): void => {
      clearTimeout(timer);
      timer = setTimeout(then, wait);
    };
    const show = (): void => bubbles.show(id, [text], element);
    const hide = (): void => {
      clearTimeout(timer);
      bubbles.hide(id);
    };
    const heard: Record<string, (event: Event) => void> = {
      // not on entering: what appears under a pointer that rests was not asked about
      pointermove: (event) => {
        if (over || (event as PointerEvent).pointerType === 'touch') return;
        over = true;
        later(HOVER, show);
      },
      pointerleave: () => {
        over = false;
        hide();
      },
      pointerdown: (event) => {
        hide();
        if ((event as PointerEvent).pointerType !== 'touch') return;
        later(element.closest(CONTROL) ? HOLD : 0, () => {
          show();
          later(READ, hide);
        });
      },
      pointercancel: hide,
      click: hide,
      focusin: () => {
        if (element.querySelector(':focus-visible') ?? element.matches(':focus-visible')) show();
      },
      focusout: hide,
    };
    const ends = Object.entries(heard).map(([name, hear]) => on(element, name, hear, { passive: true }));
    return () => {
      hide();
      element.removeAttribute('aria-description');
      for (const end of ends) end();
    };
  };
