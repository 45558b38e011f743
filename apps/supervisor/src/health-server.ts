import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { Metrics } from '@hawser/telemetry';

import type { ProfileKind, Profiler } from './profiler.js';

// An import statement evaluates every export of the module, which loads a second HTTP client, WebSocket included: 13 MB
// without use.
const { createServer } = process.getBuiltinModule('node:http');

/** State of one part. `degraded` is only reported; a failed `critical` check makes /healthz answer 500. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly critical: boolean;
  /** For /readyz?verbose. No secrets. */
  readonly detail?: string | undefined;
}

export interface HealthSource {
  checks(): readonly HealthCheck[];
  /** Whether the process works or stands by. */
  ready(): boolean;
}

/** Paths that a server answers; others are 404. */
export type ServedPaths = 'all' | 'health' | 'metrics';

export interface HealthServerOptions {
  /** Default `all`. */
  readonly paths?: ServedPaths;
  /**
   * If set, `/debug/profile` and `/debug/heap` take profiles of `?seconds=` length (30). Not on a health-only server.
   */
  readonly profiler?: Profiler | undefined;
  /** Beyond this the oldest connection is closed. Default 128. */
  readonly maxConnections?: number | undefined;
  /** An incomplete request is dropped after this. Default 60 000 ms. */
  readonly requestTimeoutMs?: number | undefined;
}

export interface HealthServer {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` (`?verbose` lists every part), `/livez` and `/metrics`, or only some of them. `/healthz`
 * is the Go konnector's readiness probe: JSON from check name to `ok` or `degraded`, 500 only when a critical check
 * fails. Plain HTTP without credentials: no input may end the process or lock out a probe.
 */
export async function startHealthServer(
  address: string,
  source: HealthSource,
  metrics: Metrics,
  options: HealthServerOptions = {},
): Promise<HealthServer> {
  const { maxConnections = MAX_CONNECTIONS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const answer = createAnswers(source, metrics, options);
  const server = createServer(
    {
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs, 5_000),
    },
    (request, response) => {
      response.on('error', () => {
        response.destroy();
      });
      // Called in a promise: an exception becomes an answer and does not end the process.
      Promise.resolve(request)
        .then(answer)
        .catch(() => FAILED)
        .then(({ status, contentType = 'text/plain', body }) => {
          response.writeHead(status, {
            'content-type': contentType,
            ...(status === 400 || status === 405 ? { connection: 'close' } : {}),
          });
          response.end(request.method === 'HEAD' ? undefined : body);
        })
        .catch(() => {
          response.destroy();
        });
    },
  );
  server.timeout = IDLE_TIMEOUT_MS;
  keepRoom(server, maxConnections);
  await listen(server, address);
  const { address: host, port } = server.address() as AddressInfo;
  return {
    address: `${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** More than probes and scrapers need, and too few to exhaust the process's file descriptors. */
const MAX_CONNECTIONS = 128;
/** Time for a request to be complete: those served here fit into one packet. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the longest profile. */
const IDLE_TIMEOUT_MS = 150_000;

interface Answer {
  readonly status: number;
  /** Default `text/plain`. */
  readonly contentType?: string;
  readonly body: string;
}

const FAILED: Answer = { status: 500, body: 'internal error\n' };
const NOT_FOUND: Answer = { status: 404, body: 'not found\n' };

/** Answers a request. May throw. */
function createAnswers(
  source: HealthSource,
  metrics: Metrics,
  { paths = 'all', profiler }: HealthServerOptions,
): (request: IncomingMessage) => Answer | Promise<Answer> {
  /** Concurrent requests share one reading: writing all metrics is the most expensive work here. */
  let reading: Promise<Answer> | undefined;
  return (request) => {
    const url = targetOf(request.url ?? '');
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: 'method not allowed\n' };
    if (url === null) return { status: 400, body: 'bad request\n' };
    const profile = profiles.get(url.pathname);
    if (paths !== 'all' && (paths === 'metrics') !== (url.pathname === '/metrics' || profile !== undefined))
      return NOT_FOUND;
    if (profiler !== undefined && profile !== undefined)
      return takeProfile(profiler, profile, url.searchParams.get('seconds') ?? '30');
    switch (url.pathname) {
      case '/healthz': {
        const checks = source.checks();
        const body = Object.fromEntries(checks.map(({ name, ok }) => [name, ok ? 'ok' : 'degraded']));
        return {
          status: checks.some(({ ok, critical }) => critical && !ok) ? 500 : 200,
          contentType: 'application/json',
          body: JSON.stringify(body),
        };
      }
      case '/readyz': {
        const ready = source.ready();
        const verbose = url.searchParams.has('verbose');
        const lines = verbose
          ? source
              .checks()
              .map(
                ({ name, ok, detail }) =>
                  `[${ok ? '+' : '-'}]${name} ${ok ? 'ok' : 'degraded'}${detail === undefined ? '' : `: ${detail}`}`,
              )
          : [];
        return { status: ready ? 200 : 503, body: `${[...lines, ready ? 'ok' : 'not ready'].join('\n')}\n` };
      }
      case '/livez':
        return { status: 200, body: 'ok\n' };
      case '/metrics':
        reading ??= readMetrics(metrics).finally(() => {
          reading = undefined;
        });
        return reading;
      default:
        return NOT_FOUND;
    }
  };
}

/**
 * `null` for anything but a path of this server. Never resolves a path against a base: two leading slashes would name
 * another host, or none.
 */
function targetOf(target: string): URL | null {
  if (target.startsWith('/')) return URL.parse(`http://localhost${target}`);
  return /^https?:\/\//u.test(target) ? URL.parse(target) : null;
}

async function readMetrics(metrics: Metrics): Promise<Answer> {
  const { contentType, body } = await metrics.expose();
  return { status: 200, contentType, body };
}

async function takeProfile(profiler: Profiler, kind: ProfileKind, seconds: string): Promise<Answer> {
  if (!/^\d{1,6}$/u.test(seconds)) return { status: 400, body: 'seconds is not a number\n' };
  const body = await profiler.take(kind, Number(seconds));
  return body === undefined
    ? { status: 409, body: 'another profile is being taken\n' }
    : { status: 200, contentType: 'application/json', body };
}

/**
 * Closes the oldest connection when there are too many. Refusing new ones would let an idle peer lock out the kubelet.
 */
function keepRoom(server: Server, maxConnections: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
    });
    for (const oldest of open) {
      if (open.size <= maxConnections) break;
      open.delete(oldest);
      oldest.destroy();
    }
  });
}

const profiles: ReadonlyMap<string, ProfileKind> = new Map([
  ['/debug/profile', 'cpu'],
  ['/debug/heap', 'heap'],
]);

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
