import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.ts';

export interface DemoBundle {
  /** URL of the module that exports `main`. */
  readonly demo: string;
  /** File of the `hawser` command. */
  readonly hawser: string;
}

const cache = join(root, 'node_modules/.cache/hawser-demo');
const UNUSED_MS = 24 * 3_600_000;

/**
 * Bundles the demo and the supervisor, which then start several times as fast as from sources. Rebuilds in about a
 * second when a source has changed; caches by content.
 * @param print called when it rebuilds
 */
export async function demoBundle(print: (text: string) => void): Promise<DemoBundle> {
  const folder = join(cache, keyOfSources());
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
  } else {
    print('demo and supervisor are bundled from their sources');
    await removeUnused();
    await bundleInto(folder);
  }
  return { demo: pathToFileURL(join(folder, 'demo.js')).href, hawser: join(folder, 'hawser.js') };
}

function keyOfSources(): string {
  const patterns = [
    'packages/*/*/{package.json,src/**/*.ts}',
    'apps/supervisor/{package.json,src/**/*.ts}',
    'examples/demo/src/**/*.ts',
    'tools/demo-bundle.ts',
    'package-lock.json',
  ];
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/*.test.ts'] }).sort())
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 32);
}

/** Atomic, also when two demos do it at the same time. */
async function bundleInto(folder: string): Promise<void> {
  const { build } = await import('esbuild');
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, 'unfinished-'));
  try {
    await build({
      absWorkingDir: root,
      entryPoints: { demo: 'examples/demo/src/main.ts', hawser: 'apps/supervisor/src/hawser.ts' },
      outdir: unfinished,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      // `import` and `require` follow the statement: a library with both differs between them.
      conditions: ['hawser-source', 'node'],
      // Half of all modules, for credentials that the demo does not use; loaded unbundled if needed after all.
      external: ['@kubernetes/client-node'],
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      logLevel: 'warning',
    });
    await rename(unfinished, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes bundles unused for a day. */
async function removeUnused(): Promise<void> {
  if (!existsSync(cache)) return;
  const old = readdirSync(cache)
    .map((name) => join(cache, name))
    .filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - UNUSED_MS);
  await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })));
}
