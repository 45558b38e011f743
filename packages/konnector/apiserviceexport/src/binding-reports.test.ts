import { ApiError, type ApiErrorCode, type Client } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { type ReportsContext, createBindingReports } from './binding-reports.js';

/** Reports fail in that way for ten minutes; so do questions after the right. */
async function failingFor10Minutes(code: ApiErrorCode) {
  const clock = new FakeClock();
  const world: { code: ApiErrorCode | undefined; readonly reported: string[] } = { code, reported: [] };
  const listeners = new Set<() => void>();
  const client = {
    recovery: {
      onRecovered: (listener: () => void) => {
        listeners.add(listener);
        return {
          close: () => {
            listeners.delete(listener);
          },
        };
      },
    },
    create: () => Promise.resolve({ status: { allowed: world.code === undefined } }),
  } as unknown as Client;
  const context = {
    clusters: { consumer: { client } },
    clock,
    random: () => 0,
    logger: silentLogger,
    metrics: noMetrics,
  } as unknown as ReportsContext;
  const reports = createBindingReports(2_000, context, (name) => {
    if (world.code !== undefined)
      return Promise.reject(
        new ApiError(world.code, 'no', {
          cluster: 'consumer',
          verb: 'patch',
          resource: 'apiservicebindings.kube-bind.io/status',
          name,
        }),
      );
    world.reported.push(name);
    return Promise.resolve(0);
  });
  for (const name of ['one', 'two']) reports.request(name);
  await clock.advance(600_000);
  world.code = undefined;
  return {
    clock,
    world,
    reports,
    recover: () => {
      for (const listener of listeners) listener();
    },
  };
}

it('reports as soon as the consumer can be reached again', async () => {
  const { clock, world, reports, recover } = await failingFor10Minutes('Unreachable');
  recover();
  await clock.advance(1_000);
  expect(world.reported).toEqual(['one', 'two']);
  await reports.close();
});

it.each<ApiErrorCode>(['Forbidden', 'InternalError'])(
  'reports soon after the end of a failure that does not come of the connection: %s',
  async (code) => {
    const { clock, world, reports } = await failingFor10Minutes(code);
    await clock.advance(31_000);
    expect([...world.reported].sort()).toEqual(['one', 'two']);
    await reports.close();
  },
);
