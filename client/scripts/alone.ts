import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite';

/** Beside the pages of the house: the verifier as one file that works from a disk, without the house. */
export const FILE = 'ventuno-verifier.html';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHOWN =
  'Questo file si apre dal tuo dispositivo, non dal sito: salvalo e aprilo da lì. / ' +
  'This file is opened from your device, not from the site: save it and open it there.';
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function alone(): Plugin {
  let whole: ResolvedConfig;
  return {
    name: 'verifier-alone',
    apply: 'build',
    configResolved(config) {
      whole = config;
    },
    async closeBundle() {
      await writeFile(
        fileURLToPath(new URL(FILE, `file://${whole.build.outDir.startsWith('/') ? '' : ROOT}${whole.build.outDir}/`)),
        await page(),
      );
    },
  };
}

/** Script and style inside the page; the typefaces of the system, since a file brings none along. */
async function page(): Promise<string> {
  const made = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    publicDir: false,
    plugins: [
      {
        name: 'no-fonts',
        enforce: 'pre',
        transform: (code, id) =>
          id.endsWith('/fonts.css') || id.endsWith('/base.css') ? code.replace(/@import '\.\/fonts\.css';/, '') : null,
      },
      svelte(),
    ],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: { input: `${ROOT}src/verifier.ts`, output: { format: 'iife', codeSplitting: false } },
    },
  });
  const parts = ([made].flat() as Rolldown.RolldownOutput[]).flatMap((one) => one.output);
  const script = parts.flatMap((one) => (one.type === 'chunk' ? [one.code] : [])).join('\n');
  const style = parts
    .flatMap((one) => (one.type === 'asset' && one.fileName.endsWith('.css') ? [String(one.source)] : []))
    .join('\n');
  return `<!doctype html>
<html lang="it">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Ventuno</title>
<style>${style}</style>
</head>
<body>
<div id="app"><p>${SHOWN}</p></div>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}
