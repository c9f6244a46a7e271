import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { alone } from './scripts/alone.ts';
import { notices, workerNotices } from './scripts/notices.ts';

/** Where the house listens while the client is developed; `vite` alone shows the parts page without it. */
const HOUSE = 'http://127.0.0.1:8000';

export default defineConfig({
  base: '/',
  plugins: [svelte(), svelteTesting(), alone(), notices()],
  build: {
    outDir: '../src/ventuno/web/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the policy of the house allows no data: address
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['index.html', 'verifier.html'] },
  },
  worker: { format: 'es', plugins: () => [workerNotices()] },
  server: {
    fs: { allow: ['..'] }, // the catalogues lie beside the house
    proxy: { '/api': HOUSE, '/socket': { target: HOUSE, ws: true } },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
    setupFiles: [],
    testTimeout: 60_000, // a test fails by what it finds: beside pytest on two cores five seconds pass in one hash
    hookTimeout: 60_000,
    isolate: false, // one document for all files: a new one for each costs more than most tests
  },
});
