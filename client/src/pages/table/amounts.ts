/** Cents that a person wrote as euro, with a comma or a point; null where it is no amount. No float is made of it. */
export function cents(text: string): number | null {
  const found = /^\s*(\d{1,7})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  if (!found) return null;
  const amount = Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
  return amount > 0 ? amount : null;
}

/** Amounts worth offering at a table with this minimum, and all there is. */
export function offers(least: number, free: number): number[] {
  const steps = [10, 100, 200, 500].map((times) => times * least);
  return [...new Set(free > 0 && free <= steps[3]! * 10 ? [...steps.filter((one) => one < free), free] : steps)];
}
