import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import ResetDialog from '../pages/console/ResetDialog.svelte';
import { supervisorApi } from '../pages/console/supervisor_api';
import LoginPage from '../pages/entry/LoginPage.svelte';
import { api, Refused } from '../wire/api';
import Notices from '../pages/room/Notices.svelte';
import { house } from '../wire/house.svelte';
import { person } from '../wire/person.svelte';
import { toasts } from '../wire/toasts.svelte';
import { reading, speak } from '../words/words.svelte';

beforeEach(() => {
  speak('it');
  reading.lessMotion = true;
});
afterEach(() => {
  vi.restoreAllMocks();
  reading.lessMotion = false; // all files share one document
});

const refused = (code: string): Refused => new Refused({ code, detail: '', id: '', numbers: {} }, 401);

describe('a forgotten password', () => {
  const field = (name: string): HTMLElement => screen.getByLabelText(name);
  async function open(): Promise<void> {
    render(LoginPage);
    await fireEvent.input(field('Nome'), { target: { value: 'Ada' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Password dimenticata?' }));
  }
  const send = (): Promise<boolean> =>
    fireEvent.click(screen.getByRole('button', { name: 'Cambia la password ed entra' }));

  test('asks for name, code and password before anything is sent, and shows what the house says', async () => {
    const reset = vi.spyOn(api, 'resetPassword').mockRejectedValue(refused('WrongResetCode'));
    await open();
    await send();
    expect(reset).not.toHaveBeenCalled();
    await fireEvent.input(field('Codice dell’assistenza'), { target: { value: ' k7qm-4xpd-2hnt ' } });
    await fireEvent.input(field('Nuova password'), { target: { value: 'una stalla di muli' } });
    await send();
    expect(reset).toHaveBeenCalledExactlyOnceWith({
      name: 'Ada',
      reset_code: 'k7qm-4xpd-2hnt',
      password: 'una stalla di muli',
    });
    await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toContain('Nome o codice non corretti'));
  });

  test('asks for the second factor when the house does, and sends it with the rest', async () => {
    const reset = vi.spyOn(api, 'resetPassword').mockRejectedValueOnce(refused('SecondFactorNeeded'));
    vi.spyOn(person, 'again').mockResolvedValue(undefined);
    await open();
    expect(screen.queryByLabelText('Codice di verifica')).toBeNull();
    await fireEvent.input(field('Codice dell’assistenza'), { target: { value: 'k7qm-4xpd-2hnt' } });
    await fireEvent.input(field('Nuova password'), { target: { value: 'una stalla di muli' } });
    await send();
    const factor = await vi.waitFor(() => field('Codice di verifica'));
    reset.mockResolvedValueOnce({} as never);
    await fireEvent.input(factor, { target: { value: '123456' } });
    await send();
    expect(reset.mock.lastCall?.[0]).toMatchObject({ code: '123456' });
  });
});

test('a code of support is asked for with a reason, and shown once', async () => {
  const expires = Date.UTC(2026, 10, 17, 12, 30);
  const create = vi.spyOn(supervisorApi, 'resetCode').mockResolvedValue({ code: 'K7QM-4XPD-2HNT', expires });
  const closed = vi.fn();
  render(ResetDialog, { player: '7', name: 'Ada', onclose: closed });
  await fireEvent.click(screen.getByRole('button', { name: 'Crea il codice' }));
  expect(create).not.toHaveBeenCalled();
  await fireEvent.input(screen.getByLabelText('Motivo'), { target: { value: 'documento visto' } });
  await fireEvent.click(screen.getByRole('button', { name: 'Crea il codice' }));
  await vi.waitFor(() => expect(screen.getByText('K7QM-4XPD-2HNT')).toBeTruthy());
  expect(create).toHaveBeenCalledExactlyOnceWith('7', 'documento visto');
  expect(closed).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByRole('button', { name: 'Fatto' }));
  expect(closed).toHaveBeenCalledOnce();
});

test('who is in hears of a code for his account, until he closes the notice', async () => {
  render(Notices);
  house.notices = [
    { type: 'notice', kind: 'reset-code', table: '', numbers: { until: Date.UTC(2026, 10, 17, 12, 30) } },
  ];
  const told = await vi.waitFor(() => {
    const notice = toasts.list.find((one) => one.text.includes('codice per cambiare la password'));
    expect(notice).toMatchObject({ tone: 'bad', stays: true });
    return notice!;
  });
  expect(told.text).toContain('17 nov 2026');
  expect(house.notices).toEqual([]);
  toasts.close(told.id);
});
