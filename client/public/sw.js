// The static shell when the network is gone: files with a hash in their name, and one page that says so.
// Nothing of the house's own answers is ever kept: no call, no socket, no page of the house.
const KEPT = 'ventuno-1';
const ALWAYS = ['/offline.html', '/offline.css', '/mark.svg'];
const MOST = 150;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(KEPT)
      .then((cache) => cache.addAll(ALWAYS))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const old = (names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(
    caches
      .keys()
      .then(old)
      .then(() => self.clients.claim()),
  );
});

async function asset(request) {
  const cache = await caches.open(KEPT);
  const held = await cache.match(request);
  if (held) return held;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    const hashed = (await cache.keys()).filter((one) => new URL(one.url).pathname.startsWith('/assets/'));
    await Promise.all(hashed.slice(0, Math.max(0, hashed.length - MOST)).map((one) => cache.delete(one)));
  }
  return answer;
}

const page = (request) => fetch(request).catch(() => caches.match('/offline.html'));
const always = (request) => fetch(request).catch(() => caches.match(request));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request));
  else if (ALWAYS.includes(pathname)) event.respondWith(always(request));
  else if (request.mode === 'navigate' && !pathname.startsWith('/api/')) event.respondWith(page(request));
});
