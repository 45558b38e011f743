import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, build } from 'esbuild';
import { mutantsOf, withItsMutants } from './mutants/sources.ts';
import { root } from './workspace.ts';

/**
 * Bundles the simulation: a run then takes two thirds of the time, and a worker starts at once. Mutants have their own
 * bundle.
 */
const outdir = join(root, 'tmp', 'simulation', String(process.pid));
const source = join(root, 'simulation', 'src');
const args = process.argv.slice(2);
const has = (...names: readonly string[]): boolean =>
  args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)));

/** Runs of the agent, in their own world. */
const agent = has('--agent');

const mutated: Plugin = {
  name: 'mutants',
  setup(own) {
    own.onLoad({ filter: /[.]ts$/ }, ({ path }) =>
      mutantsOf(path) === undefined
        ? undefined
        : { contents: withItsMutants(readFileSync(path, 'utf8'), path), loader: 'ts' },
    );
  },
};

async function bundle(into: string, plugins: Plugin[]): Promise<void> {
  mkdirSync(into, { recursive: true });
  await build({
    entryPoints: { main: join(source, agent ? 'agent/main.ts' : 'main.ts'), worker: join(source, 'worker.ts') },
    outdir: into,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['hawser-source'],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(join(root, 'package.json'))});`,
    },
    logLevel: 'warning',
    plugins,
  });
}

const withMutants = join(outdir, 'mutants');
await bundle(outdir, []);
if (has('--mutant', '--mutants', '--search-mutants')) await bundle(withMutants, [mutated]);

// A run has one core, where collector threads only wait for each other. Stack traces matter only for a single run.
const single = has('--seed', '--regression');
const flags = ['--single-threaded-gc', '--max-semi-space-size=64', ...(single ? [] : ['--stack-trace-limit=0'])];
const child = spawn(process.execPath, [...flags, join(has('--mutant') ? withMutants : outdir, 'main.js'), ...args], {
  cwd: root,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    child.kill(signal);
  });
child.once('exit', (code) => {
  rmSync(outdir, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
