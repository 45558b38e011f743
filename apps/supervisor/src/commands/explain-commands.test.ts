import { describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readPlan } from './plan.js';
import { readRbac } from './rbac.js';
import { type Terminal, readTree } from '@hawser/commands';
import { readWhy } from './why.js';

describe('the commands that explain', () => {
  it.each([
    ['plan', readPlan],
    ['why', readWhy],
    ['tree', readTree],
    ['rbac', readRbac],
  ])('%s has help with its exit codes', (name, read) => {
    const help = read(['--help']);
    expect(help).toContain(`hawser ${name} `);
    expect(help).toContain('1 not in step');
  });

  it.each([
    [() => readPlan(['--output=xml']), '--output: must be one of text, diff, json, not "xml"'],
    [() => readPlan(['--dry-run=client']), '--dry-run: must be one of none, server, not "client"'],
    [() => readPlan(['orders']), 'unexpected argument: orders'],
    [() => readWhy([]), 'why needs KIND and NAME, or --all; see hawser why --help'],
    [() => readWhy(['database']), 'why needs KIND and NAME, or --all; see hawser why --help'],
    [() => readWhy(['database', 'orders', 'more']), 'unexpected argument: more'],
    [() => readWhy(['--all', 'database']), 'unexpected argument: database; --all names nothing'],
    [() => readRbac(['--service-account=konnector']), '--service-account: must be NAMESPACE/NAME, not "konnector"'],
    [() => readRbac(['--side=agent']), '--side: must be one of both, consumer, provider, not "agent"'],
    [
      () => readRbac(['--side=provider', '--service-account=hawser/konnector']),
      '--service-account: is of the consumer, and --side=provider leaves that out',
    ],
    [() => readTree(['--nope']), 'unknown flag: --nope'],
  ])('%s is wrong usage', (read, message) => {
    expect(read).toThrow(new ConfigError(message));
  });

  it('a kubeconfig that is not there is wrong usage, too', async () => {
    const task = readTree(['--kubeconfig=/does/not/exist']);
    const terminal: Terminal = {
      out: () => undefined,
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    };
    await expect(typeof task === 'string' ? undefined : task(terminal)).rejects.toThrow(ConfigError);
  });
});
