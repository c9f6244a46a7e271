/** Amounts worth offering at a table with this minimum, and all there is. */
export function offers(least: number, free: number): number[] {
  const steps = [10, 100, 200, 500].map((times) => times * least);
  return [...new Set(free > 0 && free <= steps[3]! * 10 ? [...steps.filter((one) => one < free), free] : steps)];
}
