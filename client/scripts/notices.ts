import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Beside the pages: the licence of every package of which something was bundled; a wheel carries it along. */
export const FILE = 'notices.txt';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const HEAD = 'The pages of Ventuno contain parts of the following packages, under the licences that follow.\n';

/** Files of the workers, which are bundled apart and before the pages. */
const ofWorkers = new Set<string>();

/** What is compiled into a package, and has its licence there by name only. */
const INSIDE: Readonly<Record<string, { name: string; file: string }>> = {
  'zxing-wasm': { name: 'zxing-cpp, inside zxing-wasm (Apache-2.0)', file: 'scripts/licences/apache-2.0.txt' },
};

/** Beside the workers: notes what they contain. */
export function workerNotices(): Plugin {
  return {
    name: 'licence-notices-of-workers',
    apply: 'build',
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle))
        for (const file of part.type === 'chunk' ? part.moduleIds : part.originalFileNames) ofWorkers.add(file);
    },
  };
}

export function notices(): Plugin {
  return {
    name: 'licence-notices',
    apply: 'build',
    async generateBundle(_, bundle) {
      const parts = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? part.moduleIds : part.originalFileNames,
      );
      this.emitFile({ type: 'asset', fileName: FILE, source: await tell([...parts, ...ofWorkers]) });
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
  return [HEAD, ...texts.flat()].join(`\n${'-'.repeat(80)}\n\n`);
}

/** One package: name, version, licence and its text, and of what is inside it; one without a text is refused. */
async function notice(folder: string): Promise<string[]> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: string;
  };
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name}: bundled, and its package has no text of a licence`);
  const own = `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
  const inside = INSIDE[name];
  return inside ? [own, `${inside.name}\n\n${(await readFile(join(ROOT, inside.file), 'utf8')).trim()}\n`] : [own];
}
