import { afterEach, expect, it } from '@jest/globals';

import { createMetrics } from '@hawser/telemetry';

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
