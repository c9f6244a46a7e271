import { render } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import QrCode from '../pages/account/QrCode.svelte';

test('a QR code is dark on light, named, with an empty edge of four modules', () => {
  const { container, getByRole } = render(QrCode, { text: 'otpauth://totp/Ventuno:Niccolò', label: 'Code' });
  expect(getByRole('img', { name: 'Code' }).getAttribute('viewBox')).toMatch(/^0 0 (\d+) \1$/);
  const modules = container.querySelector('path')!.getAttribute('d')!;
  const corners = [...modules.matchAll(/M(\d+) (\d+)h/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  expect(Math.min(...corners.flat())).toBe(4);
  expect(corners).toContainEqual([4, 4]); // the first finder pattern
});
