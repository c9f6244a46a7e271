import { router } from '../../router.svelte';
import { api } from '../../wire/api';
import { house } from '../../wire/house.svelte';
import { person } from '../../wire/person.svelte';
import type { LoginResponse } from '../../wire/types';
import type { Language } from '../../words/amounts';
import { reading, speak } from '../../words/words.svelte';
import { openTables } from '../../table/tables.svelte';

const TONGUE = 'ventuno.language';
/** How often means and clock are asked for anew while the window is seen. */
const EVERY = 10_000;

/** The language before anybody is in: asked for by address, chosen here before, else the browser's. */
export function firstLanguage(asked: string | null): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(TONGUE);
  } catch {
    /* a browser that keeps nothing has the default */
  }
  const wanted = asked ?? kept ?? (navigator.language.startsWith('it') ? 'it' : 'en');
  speak(wanted === 'en' ? 'en' : 'it');
}

export async function changeLanguage(language: Language): Promise<void> {
  speak(language);
  try {
    localStorage.setItem(TONGUE, language);
  } catch {
    /* as above */
  }
  if (person.is === 'in') await person.change({ general: { language } });
}

/** Coming in. Who is new keeps the language he read the door in; who comes back finds his own (V-71). */
export async function enter(by: () => Promise<LoginResponse>, newcomer: boolean): Promise<void> {
  const language = reading.language;
  await by();
  drop();
  await person.again();
  if (newcomer && person.settings && person.settings.general.language !== language)
    await person.change({ general: { language } });
}

export async function leave(): Promise<void> {
  await api.logout();
  await gone();
}

/** The session is over, whoever ended it. */
export async function gone(): Promise<void> {
  const language = reading.language;
  drop();
  await person.again();
  speak(language);
  router.go('/');
}

function drop(): void {
  openTables.names = [];
  for (const table of house.tables.keys()) house.unwatch(table);
  house.notices = [];
  house.stop();
}

/** Keeps means and clock fresh; returns what stops it. */
export function keepFresh(): () => void {
  const again = (): void => {
    if (!document.hidden && person.is === 'in') void person.refresh().catch(() => undefined);
  };
  const timer = setInterval(again, EVERY);
  document.addEventListener('visibilitychange', again);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', again);
  };
}

/** Whether an open round of a game for one has been gone back to since this person came in. */
export const returned = { to: '' };
