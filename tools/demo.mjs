#!/usr/bin/env node
// `npm run demo`: an API of one cluster used in another. Arguments go to examples/demo: `npm run demo -- --once`.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const demo = spawn(process.execPath, ['-C', 'hawser-source', '--import', 'tsx', join(root, 'examples/demo/src/main.ts'), ...process.argv.slice(2)], {
  // The channel tells the demo when this process is gone, however it went.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
// The demo cleans up after Ctrl-C, and is waited for; a terminal sends that signal to both.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => demo.kill('SIGTERM'));
demo.on('error', (error) => {
  process.stderr.write(`the demo cannot be started: ${error.message}\n`);
  process.exitCode = 1;
});
demo.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
