import type { Component } from 'svelte';

/** What a page is given of its address: the rest after its first word. */
export interface PageProps {
  at: string;
}
type Load = () => Promise<{ default: Component<PageProps> }>;

/** Every `pages/<room>/<Name>Page.svelte` is a page, fetched when it is gone to. */
const FOUND = import.meta.glob<{ default: Component<PageProps> }>('./pages/*/*Page.svelte');

/**
 * First word of the address, file of the page. `open`: also without a session. `bare`: the page fills the window
 * itself.
 */
const ROUTES: Readonly<Record<string, { file: string; open?: boolean; bare?: boolean }>> = {
  '': { file: 'lobby/LobbyPage' },
  login: { file: 'entry/LoginPage', open: true },
  register: { file: 'entry/RegisterPage', open: true },
  practice: { file: 'lobby/PracticePage' },
  settings: { file: 'settings/SettingsPage' },
  help: { file: 'help/HelpPage', open: true },
  history: { file: 'history/HistoryPage' },
  cashier: { file: 'cashier/CashierPage' },
  responsible: { file: 'protection/ProtectionPage' },
  protection: { file: 'protection/ProtectionPage' },
  account: { file: 'account/AccountPage' },
  statistics: { file: 'statistics/StatisticsPage' },
  odds: { file: 'odds/OddsPage', open: true },
  verify: { file: 'verifier/VerifierPage', open: true },
  console: { file: 'console/ConsolePage' },
  dealer: { file: 'dealer/DealerPage', bare: true },
  table: { file: 'table/TablePage', bare: true },
  solo: { file: 'table/TablePage', bare: true },
  parts: { file: 'parts/PartsPage', open: true, bare: true },
};

export interface Route {
  name: string;
  at: string;
  open: boolean;
  bare: boolean;
  load: Load;
}

const fileOf = (name: string): Load | undefined => {
  const route = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined;
  return route && FOUND[`./pages/${route.file}.svelte`];
};

/** Whether a room is there to go to: a link is shown only then. */
export const hasPage = (name: string): boolean => fileOf(name) !== undefined;

export function routeOf(path: string): Route | null {
  const [name = '', ...rest] = path.replace(/^\/|\/$/g, '').split('/');
  const load = fileOf(name);
  if (!load) return null;
  return {
    name,
    at: rest.map(decode).join('/'),
    open: ROUTES[name]?.open ?? false,
    bare: ROUTES[name]?.bare ?? false,
    load,
  };
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
