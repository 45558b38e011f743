import { afterEach, expect, it } from '@jest/globals';

import { FakeClock } from '@hawser/clock';
import { createMetrics } from '@hawser/telemetry';

import { createProfiler } from './profiler.js';
import { type HealthCheck, type HealthServer, startHealthServer } from './health-server.js';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function ask(path: string, checks: readonly HealthCheck[], ready = true): Promise<{ readonly status: number; readonly body: string }> {
  const metrics = createMetrics();
  metrics.counter({ name: 'a_total', help: 'a' }).inc();
  server = await startHealthServer('127.0.0.1:0', { checks: () => checks, ready: () => ready }, metrics);
  const response = await fetch(`http://${server.address}${path}`);
  return { status: response.status, body: await response.text() };
}

const leader = (ok: boolean): HealthCheck => ({ name: 'leaderElection', ok, critical: true, detail: 'leading' });
const connection = (ok: boolean): HealthCheck => ({ name: 'connection/abc', ok, critical: false, detail: 'running, 2 bindings' });

it('answers 500 for leader election only', async () => {
  expect(await ask('/healthz', [leader(true), connection(false)])).toEqual({ status: 200, body: '{"leaderElection":"ok","connection/abc":"degraded"}' });
  await server?.close();
  expect(await ask('/healthz', [leader(false), connection(true)])).toEqual({ status: 500, body: '{"leaderElection":"degraded","connection/abc":"ok"}' });
});

it('tells whether it is ready, and in detail if asked', async () => {
  expect(await ask('/readyz', [connection(true)])).toEqual({ status: 200, body: 'ok\n' });
  await server?.close();
  expect(await ask('/readyz?verbose', [connection(false)], false)).toEqual({ status: 503, body: '[-]connection/abc degraded: running, 2 bindings\nnot ready\n' });
});

it('serves metrics, and nothing else', async () => {
  expect((await ask('/metrics', [])).body).toContain('a_total 1');
  await server?.close();
  expect((await ask('/secrets', [])).status).toBe(404);
});

it('serves only a part where that is asked for', async () => {
  server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), { paths: 'metrics' });
  const status = async (path: string): Promise<number> => (await fetch(`http://${server?.address ?? ''}${path}`)).status;
  expect([await status('/metrics'), await status('/healthz')]).toEqual([200, 404]);
  await server.close();
  server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), { paths: 'health' });
  expect([await status('/metrics'), await status('/healthz'), await status('/readyz')]).toEqual([404, 200, 200]);
});

it('takes profiles only where that is switched on, and one at a time', async () => {
  const serve = async (profiler?: ReturnType<typeof createProfiler>): Promise<string> => {
    await server?.close();
    server = await startHealthServer('127.0.0.1:0', { checks: () => [], ready: () => true }, createMetrics(), { profiler });
    return `http://${server.address}`;
  };
  expect((await fetch(`${await serve()}/debug/profile`)).status).toBe(404);
  const clock = new FakeClock();
  const address = await serve(createProfiler(clock));
  const asked = [fetch(`${address}/debug/profile?seconds=5`), fetch(`${address}/debug/heap?seconds=5`)];
  const busy = await Promise.race(asked);
  expect(busy.status).toBe(409);
  const taking = new AbortController();
  const answers = Promise.all(asked).finally(() => { taking.abort(); });
  // The profiler asks the runtime before it waits.
  while (!taking.signal.aborted) {
    await clock.advance(5_000);
    await new Promise(setImmediate);
  }
  const [taken] = (await answers).filter(({ status }) => status === 200);
  expect(await taken?.json()).toEqual(expect.anything());
});
