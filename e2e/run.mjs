#!/usr/bin/env node
// Runs the suites: `node run.mjs [--kubernetes-version 1.36.3] [suite…]`. A suite is the name of its file without
// `.test.ts`. Build the supervisor first.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'kubernetes-version': { type: 'string' }, 'test-name': { type: 'string', short: 't' } },
});
const version = values['kubernetes-version'] ?? process.env.HAWSER_KUBERNETES_VERSION;
const results = process.env.HAWSER_E2E_RESULTS;
const onClusters = process.env.HAWSER_E2E_CONSUMER_KUBECONFIG !== undefined;
const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin', 'jest.js');
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    '--config',
    join(here, 'jest.config.js'),
    '--rootDir',
    root,
    ...positionals.flatMap((suite) => ['--testMatch', `<rootDir>/e2e/src/${suite}.test.ts`]),
    ...(values['test-name'] === undefined ? [] : ['--testNamePattern', values['test-name']]),
    ...(results === undefined ? [] : ['--json', `--outputFile=${results}`]),
    // Two suites at once would put two konnectors on the same clusters.
    ...(onClusters ? ['--maxWorkers=1'] : []),
  ],
  {
    stdio: 'inherit',
    cwd: root,
    // Tests compare the programs' output; nx asks for colours, and jest workers pass that on.
    env: { ...process.env, FORCE_COLOR: '0', ...(version === undefined ? {} : { HAWSER_KUBERNETES_VERSION: version }) },
  },
);
process.exit(status ?? 1);
