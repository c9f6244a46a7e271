/**
 * An amount as somebody writes it (`12,50`, `1.250`, `€ 5`) in whole cents; null where it is none. No fraction is ever
 * computed.
 */
export function cents(text: string): number | null {
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
