import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, sleep, systemClock } from '@hawser/clock';
import type { ConnectionConfig, Credentials } from '@hawser/kubeconfig';
import { createCertificateAuthority, freePort } from '@hawser/testenv';
import type { Fault } from './fault.js';
import { FaultList } from './fault-list.js';
import type { FaultProxy, ProxiedRequest } from './fault-proxy.js';
import { type BodyFault, shapeBody } from './shape-body.js';
import { statusObject } from './status-body.js';

export interface FaultProxyOptions {
  /** The API server. Its credentials serve requests without an Authorization header. */
  readonly upstream: ConnectionConfig;
  /** For latencies. Default: the machine's clock. */
  readonly clock?: Clock;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Starts a {@link FaultProxy} on a free loopback port. */
export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { upstream } = options;
  const clock = options.clock ?? systemClock;
  const { caData, cert, key } = await serverCertificate();
  const upstreamUrl = new URL(upstream.server);
  const agents = { anonymous: upstreamAgent(upstream, false), speaking: upstreamAgent(upstream, true) };
  const faults = new FaultList();
  const sockets = new Set<Socket>();
  const requests: Writable<ProxiedRequest>[] = [];
  const ending = new AbortController();
  let connectionsTotal = 0;

  // HTTP/1.1 cannot withdraw a connection, so idle ones are never closed: only faults close connections here.
  const server = createServer(
    { cert, key, keepAlive: true, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 },
    (incoming, outgoing) => {
      const record = recordOf(incoming);
      requests.push(record);
      incoming.on('error', () => {
        /* the client went away */
      });
      outgoing.on('error', () => {
        /* the client went away */
      });
      outgoing.on('close', () => {
        record.finished = true;
        if (outgoing.headersSent) record.status ??= outgoing.statusCode;
      });
      handle(incoming, outgoing, record).catch(() => {
        reset(incoming.socket);
      });
    },
  );
  server.on('connection', (socket: Socket) => {
    connectionsTotal++;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
    });
    socket.on('error', () => {
      /* resets are what this is for */
    });
  });
  server.on('tlsClientError', () => {
    /* a client that does not trust us, or went away */
  });

  /** Resets the TCP connection below a TLS one; an orderly close would look like an end, not a failure. */
  const reset = (client: Socket): void => {
    for (const socket of sockets) {
      if (socket.remotePort === client.remotePort) resetSocket(socket);
    }
    client.destroy();
  };

  const handle = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    record: Writable<ProxiedRequest>,
  ): Promise<void> => {
    const { latencyMs, fault } = faults.take(record);
    record.fault = fault?.kind;
    if (latencyMs > 0) {
      const gone = new AbortController();
      outgoing.once('close', () => {
        gone.abort();
      });
      await sleep(clock, latencyMs, AbortSignal.any([gone.signal, ending.signal]));
    }
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'status') {
      incoming.resume();
      sendStatus(outgoing, fault);
      return;
    }
    const answer = await forward(incoming, outgoing);
    if (fault?.kind === 'reset' && fault.afterBytes === undefined) {
      answer.destroy();
      reset(incoming.socket);
      return;
    }
    if (fault?.kind === 'hold') {
      await fault.until(record);
      if (outgoing.destroyed) return;
    }
    record.status = answer.statusCode;
    const bodyFault = fault?.kind === 'hold' ? undefined : fault;
    outgoing.writeHead(answer.statusCode ?? 502, answerHeaders(answer.headers, bodyFault));
    await shapeBody(answer, outgoing, bodyFault, () => {
      reset(incoming.socket);
    });
  };

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { authorization } = incoming.headers;
      const onward = httpsRequest(
        {
          host: upstreamUrl.hostname,
          port: upstreamUrl.port,
          method: incoming.method,
          path: `${upstreamUrl.pathname === '/' ? '' : upstreamUrl.pathname}${incoming.url ?? '/'}`,
          headers: requestHeaders(
            incoming.headers,
            upstreamUrl.host,
            authorization === undefined ? upstream.credentials : undefined,
          ),
          agent: authorization === undefined ? agents.speaking : agents.anonymous,
        },
        resolve,
      );
      onward.on('error', reject);
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });

  const port = await freePort();
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const dropAll = (): void => {
    for (const socket of sockets) resetSocket(socket);
  };
  const refuse = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) =>
      server.close(() => {
        resolve();
      }),
    );
    dropAll();
    await closed;
  };
  const accept = async (): Promise<void> => {
    if (!server.listening && !ending.signal.aborted) await listen();
  };
  const stop = async (): Promise<void> => {
    ending.abort();
    await refuse();
    agents.anonymous.destroy();
    agents.speaking.destroy();
  };
  await listen();

  const address = `https://127.0.0.1:${port}`;
  const connectionWith = (credentials: Credentials): ConnectionConfig => ({
    server: address,
    caData,
    credentials,
    ...(upstream.namespace === undefined ? {} : { namespace: upstream.namespace }),
  });
  return {
    server: address,
    caData,
    connection: connectionWith(
      upstream.credentials.kind === 'token' || upstream.credentials.kind === 'dynamic'
        ? upstream.credentials
        : { kind: 'none' },
    ),
    connectionWith,
    get connections() {
      return sockets.size;
    },
    get connectionsTotal() {
      return connectionsTotal;
    },
    get openRequests() {
      return requests.reduce((open, request) => open + (request.finished ? 0 : 1), 0);
    },
    requests,
    inject: (rule) => faults.add(rule),
    clear: async () => {
      faults.clear();
      await accept();
    },
    dropAll,
    refuse,
    accept,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function serverCertificate(): Promise<{ caData: string; cert: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hawser-faultproxy-'));
  try {
    const authority = await createCertificateAuthority(folder, 'hawser-faultproxy');
    const pair = await authority.issueServer('faultproxy', ['localhost'], ['127.0.0.1']);
    return { caData: authority.cert, ...pair };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param speaking with the client certificate of the upstream connection: the API server would prefer it to an
 * Authorization header.
 */
function upstreamAgent(upstream: ConnectionConfig, speaking: boolean): Agent {
  const { credentials } = upstream;
  return new Agent({
    keepAlive: true,
    ca: upstream.caData,
    servername: upstream.tlsServerName,
    ...(speaking && (credentials.kind === 'certificate' || credentials.kind === 'dynamic')
      ? { cert: credentials.cert, key: credentials.key }
      : {}),
  });
}

function recordOf(incoming: IncomingMessage): Writable<ProxiedRequest> {
  const url = incoming.url ?? '/';
  const watch = new URLSearchParams(url.split('?')[1] ?? '').get('watch');
  return {
    method: incoming.method ?? 'GET',
    url,
    watch: watch === 'true' || watch === '1',
    userAgent: incoming.headers['user-agent'],
    contentType: incoming.headers['content-type'],
    authorized: incoming.headers.authorization !== undefined,
    fault: undefined,
    status: undefined,
    finished: false,
  };
}

/** Headers about one connection, not about the request. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

function requestHeaders(
  headers: IncomingHttpHeaders,
  host: string,
  credentials: Credentials | undefined,
): OutgoingHttpHeaders {
  const { 'transfer-encoding': chunked, ...rest } = headers;
  // A compressed answer cannot be cut at an event, so compression is not requested.
  const kept = Object.entries(rest).filter(
    ([name]) => !hopByHop.includes(name) && name !== 'host' && name !== 'accept-encoding',
  );
  return {
    ...Object.fromEntries(kept),
    host,
    ...(chunked === undefined ? {} : { 'transfer-encoding': chunked }),
    ...(credentials?.kind === 'token' ? { authorization: `Bearer ${credentials.token}` } : {}),
  };
}

function answerHeaders(headers: IncomingHttpHeaders, fault: BodyFault | undefined): OutgoingHttpHeaders {
  // A body that is cut short but ends in order is shorter than the server's length.
  const dropped =
    fault?.kind === 'truncate' || fault?.kind === 'watch-error' ? [...hopByHop, 'content-length'] : hopByHop;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name)));
}

function sendStatus(outgoing: ServerResponse, fault: Extract<Fault, { kind: 'status' }>): void {
  const body = JSON.stringify(statusObject(fault));
  outgoing.writeHead(fault.code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }),
  });
  outgoing.end(body);
}

function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  socket.resetAndDestroy();
}
