/** Amounts worth offering at a table with this minimum, and all there is. */
export function amountsToBring(least: number, free: number): number[] {
  const steps = [10, 100, 200, 500].map((times) => times * least);
  return [...new Set(free > 0 && free <= steps[3]! * 10 ? [...steps.filter((one) => one < free), free] : steps)];
}

/** What a dialog proposes: a hundred minimum bets, less where the account has less but enough to play with. */
export function amountToPropose(least: number, free: number): number {
  const [some, usual] = [10 * least, 100 * least];
  return free >= some ? Math.min(free, usual) : usual;
}

/**
 * An amount as somebody writes it (`12,50`, `1.250`, `€ 5`) in whole cents; null where it is none. No fraction is ever
 * computed.
 */
export function parseCents(text: string): number | null {
  const plain = text.replace(/[€$£\s\u00a0']/g, '');
  const found = [
    /^(\d{1,9})(?:[.,](\d{1,2}))?$/,
    /^(\d{1,3}(?:\.\d{3}){1,2})(?:,(\d{1,2}))?$/,
    /^(\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?$/,
  ]
    .map((form) => form.exec(plain))
    .find(Boolean);
  if (!found) return null;
  return Number(found[1]!.replace(/[.,]/g, '')) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
}
