import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Metrics } from '@hawser/telemetry';

import type { ProfileKind, Profiler } from './profiler.js';

// An import statement asks the module for everything that it exports, and so loads a second HTTP client, WebSocket included: 13 MB that nobody uses.
const { createServer } = process.getBuiltinModule('node:http');

/** How one part is. `degraded` is told, and no more; only a check that is `critical` makes /healthz answer 500. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly critical: boolean;
  /** For /readyz?verbose. No secrets. */
  readonly detail?: string | undefined;
}

export interface HealthSource {
  checks(): readonly HealthCheck[];
  /** Whether the process does, or stands by to do, its work. */
  ready(): boolean;
}

/** What a server answers; the rest is not found. */
export type ServedPaths = 'all' | 'health' | 'metrics';

export interface HealthServerOptions {
  /** Default `all`. */
  readonly paths?: ServedPaths;
  /** Present: `/debug/profile` and `/debug/heap` take profiles, `?seconds=` long (30). Not where only health is served. */
  readonly profiler?: Profiler | undefined;
}

export interface HealthServer {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` (the Go konnector's readiness probe: JSON from check name to `ok` or `degraded`, 500 only when a critical check fails),
 * `/readyz` (`?verbose` lists every part), `/livez` and `/metrics`, or only some of them. Plain HTTP.
 */
export async function startHealthServer(address: string, source: HealthSource, metrics: Metrics, { paths = 'all', profiler }: HealthServerOptions = {}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, contentType: string, body: string): void => {
      response.writeHead(status, { 'content-type': contentType }).end(request.method === 'HEAD' ? undefined : body);
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answer(405, 'text/plain', 'method not allowed\n');
      return;
    }
    const profile = profiles[url.pathname];
    if (paths !== 'all' && (paths === 'metrics') !== (url.pathname === '/metrics' || profile !== undefined)) {
      answer(404, 'text/plain', 'not found\n');
      return;
    }
    if (profiler !== undefined && profile !== undefined) {
      profiler.take(profile, Number(url.searchParams.get('seconds') ?? 30)).then(
        (body) => {
          if (body === undefined) answer(409, 'text/plain', 'another profile is being taken\n');
          else answer(200, 'application/json', body);
        },
        () => { answer(500, 'text/plain', 'no profile could be taken\n'); },
      );
      return;
    }
    switch (url.pathname) {
      case '/healthz': {
        const checks = source.checks();
        const body = Object.fromEntries(checks.map(({ name, ok }) => [name, ok ? 'ok' : 'degraded']));
        answer(checks.some(({ ok, critical }) => critical && !ok) ? 500 : 200, 'application/json', JSON.stringify(body));
        return;
      }
      case '/readyz': {
        const ready = source.ready();
        const verbose = url.searchParams.has('verbose');
        const lines = verbose ? source.checks().map(({ name, ok, detail }) => `[${ok ? '+' : '-'}]${name} ${ok ? 'ok' : 'degraded'}${detail === undefined ? '' : `: ${detail}`}`) : [];
        answer(ready ? 200 : 503, 'text/plain', `${[...lines, ready ? 'ok' : 'not ready'].join('\n')}\n`);
        return;
      }
      case '/livez':
        answer(200, 'text/plain', 'ok\n');
        return;
      case '/metrics':
        metrics.expose().then(
          ({ contentType, body }) => { answer(200, contentType, body); },
          () => { answer(500, 'text/plain', 'metrics could not be read\n'); },
        );
        return;
      default:
        answer(404, 'text/plain', 'not found\n');
    }
  });
  server.headersTimeout = 60_000;
  await listen(server, address);
  const { address: host, port } = server.address() as AddressInfo;
  return {
    address: `${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => { resolve(); });
        server.closeAllConnections();
      }),
  };
}

const profiles: Readonly<Record<string, ProfileKind | undefined>> = { '/debug/profile': 'cpu', '/debug/heap': 'heap' };

function listen(server: Server, address: string): Promise<void> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/u, '$1');
  const port = Number(address.slice(colon + 1));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
