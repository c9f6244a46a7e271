import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Beside the pages: the licence of every package of which something was bundled; a wheel carries it along. */
export const FILE = 'notices.txt';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const HEAD = 'The pages of Ventuno contain parts of the following packages, under the licences that follow.\n';

export function notices(): Plugin {
  return {
    name: 'licence-notices',
    apply: 'build',
    async generateBundle(_, bundle) {
      const parts = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? part.moduleIds : part.originalFileNames,
      );
      this.emitFile({ type: 'asset', fileName: FILE, source: await tell(parts) });
    },
  };
}

/** The folders of the packages that these files belong to, each once, by name. */
export function packages(files: readonly string[]): string[] {
  const folders = files.flatMap((file) => PACKAGE.exec(join(file.startsWith('/') ? '' : ROOT, file))?.[0] ?? []);
  return [...new Set(folders)].sort();
}

async function tell(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(packages(files).map(notice));
  return [HEAD, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** One package: name, version, licence and its text; a package without a text is refused. */
async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name}: bundled, and its package has no text of a licence`);
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
}
