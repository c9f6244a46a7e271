/** What a later hand was before: which hand, and how many of its cards lay there. Nothing where it is new. */
export interface Lineage {
  from: number | null;
  lying: number;
  /** It was part of a pair that has been split, and this is its second card (V-14). */
  parted: boolean;
}
interface Cards {
  cards: readonly unknown[];
}

/** Each later hand's past: it has grown, or a pair was split into it and its neighbour, or it is new. */
export function traceHands(before: readonly Cards[], after: readonly Cards[]): Lineage[] {
  const traced: Lineage[] = [];
  for (let from = 0; traced.length < after.length; from += 1) {
    const [was, now] = [before[from], after[traced.length]!];
    if (!was) traced.push({ from: null, lying: 0, parted: false });
    else if (was.cards.every((card, k) => now.cards[k] === card))
      traced.push({ from, lying: was.cards.length, parted: false });
    else traced.push({ from, lying: 1, parted: false }, { from, lying: 1, parted: true });
  }
  return traced.slice(0, after.length);
}
