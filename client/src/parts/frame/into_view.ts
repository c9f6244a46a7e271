/** What appears at the end of a window that scrolls is seen: a refusal below its edge would be silence. */
export const bringIntoView = (element: Element): void => element.scrollIntoView({ block: 'nearest' });
