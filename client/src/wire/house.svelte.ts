import { api } from './api';
import { browserSocket } from './socket';
import { House } from './store.svelte';

/** The one line of this browser to the house; every screen shares it. `start` it once somebody is in. */
export const house = new House({ ticket: api.ticket, connect: browserSocket, cut: { readReceipt: api.receipt } });

addEventListener('online', () => house.hurry());
addEventListener('offline', () => house.breakOff());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) house.hurry();
});
