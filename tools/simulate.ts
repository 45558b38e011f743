import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './workspace.ts';

/**
 * Runs the simulation as one bundle, not module by module: a run takes two thirds of the time then, and a worker starts at once. What is planted stays in, other than in what is
 * published.
 */
const outdir = join(root, 'tmp', 'simulation', String(process.pid));
const source = join(root, 'packages', 'testing', 'simulation', 'src');

mkdirSync(outdir, { recursive: true });
await build({
  entryPoints: [join(source, 'main.ts'), join(source, 'worker.ts')],
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['hawser-source'],
  banner: { js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(join(root, 'package.json'))});` },
  logLevel: 'warning',
});

// A run has a core of its own, so that threads of the collector only wait for each other; and where errors come from is of interest in a single run alone.
const args = process.argv.slice(2);
const single = args.some((arg) => /^--(?:seed|regression)(?:=|$)/u.test(arg));
const flags = ['--single-threaded-gc', '--max-semi-space-size=64', ...(single ? [] : ['--stack-trace-limit=0'])];
const child = spawn(process.execPath, [...flags, join(outdir, 'main.js'), ...args], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { child.kill(signal); });
child.once('exit', (code) => {
  rmSync(outdir, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
