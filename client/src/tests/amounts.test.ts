import { describe, expect, test } from 'vitest';
import { money, percent, span } from '../words/amounts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

describe('money', () => {
  test.each([
    [125_000, 'it', {}, '€ 1.250,00'],
    [118_450, 'it', {}, '€ 1.184,50'],
    [2_500, 'it', { short: true }, '€ 25'],
    [2_550, 'it', { short: true }, '€ 25,50'],
    [6_000, 'it', { sign: 'always' }, '+ € 60,00'],
    [-1_550, 'it', { sign: 'always' }, '− € 15,50'],
    [-1_550, 'it', {}, '− € 15,50'],
    [0, 'it', { sign: 'always' }, '€ 0,00'],
    [125_000, 'en', {}, '€1,250.00'],
    [-500, 'en', {}, '−€5.00'],
    [9_999, 'en', { currency: 'CHF' }, 'CHF 99.99'],
    [1, 'it', {}, '€ 0,01'],
    [123_456_789_012, 'it', {}, '€ 1.234.567.890,12'],
  ] as const)('%d in %s is %s', (cents, language, wish, text) => {
    expect(plain(money(cents, language, wish))).toBe(text);
  });

  test('returns and spans', () => {
    expect(plain(percent(9929, 'it'))).toBe('99,29 %');
    expect(percent(9929, 'en')).toBe('99.29%');
    expect(span(2_536_999)).toBe('00:42:16');
    expect(span(-5)).toBe('00:00:00');
  });
});
