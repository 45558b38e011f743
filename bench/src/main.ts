import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { build } from './build.js';
import { benchJson } from './json.js';
import { benchKonnector, verdicts } from './konnector.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '1000' }, changes: { type: 'string', default: '200' }, rounds: { type: 'string', default: '3' }, idle: { type: 'string', default: '10' }, json: { type: 'string' }, profile: { type: 'string' } },
});
const print = (line: string): void => { process.stdout.write(`${line}\n`); };

switch (positionals[0]) {
  case 'konnector': {
    build(root);
    const rounds = await benchKonnector({ count: Number(values.count), changes: Number(values.changes), rounds: Number(values.rounds), idleMs: Number(values.idle) * 1_000, root, profile: values.profile, print });
    const results = verdicts(rounds);
    for (const { figure, measured, goal, reached } of results) print(`${figure.padEnd(26)} ${measured.toFixed(2).padStart(8)}   goal ${goal.padEnd(8)} ${reached ? 'reached' : 'missed'}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ rounds, results }, undefined, 2)}\n`);
    break;
  }
  case 'json':
    for (const { operation, reference, hawser } of benchJson()) {
      print(`${operation.padEnd(26)} JSON ${reference.toFixed(1).padStart(6)} µs   hawser ${hawser.toFixed(1).padStart(6)} µs   ratio ${(hawser / reference).toFixed(2)}`);
    }
    break;
  case undefined:
  default:
    print('usage: npm run bench -- konnector [--count 1000] [--changes 200] [--rounds 3] [--idle seconds] [--json FILE] [--profile FOLDER]');
    print('       npm run bench -- json');
    process.exitCode = 2;
}
