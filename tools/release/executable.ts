// Builds one program as a single, complete file: Node with the program in it
// (https://nodejs.org/api/single-executable-applications.html). On macOS and Windows the same script builds theirs.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin, build } from 'esbuild';
import { bundledRequire } from '../bundled-require.ts';
import { keepNames } from '../keep-names.ts';
import { root } from '../workspace.ts';

export interface ExecutableOptions {
  readonly name: string;
  /** Relative to the root. */
  readonly entry: string;
  /** Name of the finished file. */
  readonly file: string;
}

/** The programs that are released as one file. */
export const executables: readonly Omit<ExecutableOptions, 'file'>[] = [
  { name: 'hawser', entry: 'apps/supervisor/src/hawser.ts' },
  { name: 'kubectl-bind', entry: 'apps/kubectl-bind/src/kubectl-bind.ts' },
];

/** Marker that Node looks for in itself. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Reproducible: the same sources and the same Node give the same file. */
export async function makeExecutable({ name, entry, file }: ExecutableOptions): Promise<void> {
  const work = join(root, 'tmp', 'executable', name);
  mkdirSync(work, { recursive: true });
  mkdirSync(dirname(file), { recursive: true });
  const bundle = join(work, 'program.cjs');
  await build({
    entryPoints: [join(root, entry)],
    outfile: bundle,
    bundle: true,
    // An executable starts as a script: no modules, and nothing beside it to load.
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    conditions: ['hawser-source'],
    define: { 'import.meta.url': '__self' },
    banner: { js: `const __self = require('node:url').pathToFileURL(process.execPath).href;` },
    plugins: [waitsForNothing(join(root, entry)), bundledRequire, keepNames],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'error',
  });
  const config = join(work, 'sea.json');
  const blob = join(work, 'program.blob');
  writeFileSync(
    config,
    JSON.stringify({
      main: bundle,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
      useSnapshot: false,
    }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  // The signature is invalid now; the release signs it again.
  if (process.platform === 'darwin') execFileSync('codesign', ['--remove-signature', file]);
  const segment = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  // It warns at length about unknown sections.
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment], {
    stdio: 'pipe',
  });
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', file]);
}

/** A script has no top-level await; only the last statement of an entry awaits. */
function waitsForNothing(entry: string): Plugin {
  return {
    name: 'waits-for-nothing',
    setup(build) {
      build.onLoad({ filter: new RegExp('[.]ts$') }, ({ path }) =>
        path === entry
          ? { contents: readFileSync(path, 'utf8').replace(/^await main\(/mu, 'void main('), loader: 'ts' }
          : undefined,
      );
    },
  };
}
