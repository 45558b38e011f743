#!/usr/bin/env node
import { existsSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const program = new URL('../dist/kubectl-bind.js', import.meta.url);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`kubectl bind needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exitCode = 127;
} else if (!existsSync(program)) {
  console.error('kubectl bind is not built in this checkout. Run in its root folder: npm ci && npm run build');
  process.exitCode = 127;
} else {
  await import(program.href);
}
