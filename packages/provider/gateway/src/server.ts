import { type Server, createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DropArgument, Socket } from 'node:net';
import { type CertificateFiles, readCertificate } from '@hawser/kubeconfig';
import type { Connections } from './connections.js';
import { sendRefusal } from './reads.js';
import { tooManyConnections } from './refused.js';

export interface ServerOptions {
  readonly tls: CertificateFiles;
  readonly connections: Connections;
  /** Answers one request. Never throws. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Time limit for the TLS handshake, and then for the request head, in milliseconds. Default 15 000. */
  readonly patienceMs?: number | undefined;
}

const PATIENCE_MS = 15_000;
const MOST_HEADER_BYTES = 16_384;

/**
 * Creates the HTTPS server of a gateway, not listening yet. Speaks only HTTP/1.1, and accepts at most the connections
 * that `connections` allows.
 */
export async function openServer({
  tls,
  connections,
  handle,
  patienceMs = PATIENCE_MS,
}: ServerOptions): Promise<Server> {
  const server = createServer(
    {
      ...(await readCertificate(tls)),
      // Node copies a protocol list for each connection, into a buffer of 64 kB that lives as long as the connection.
      ALPNCallback: ({ protocols }) => protocols.find((protocol) => protocol === 'http/1.1'),
      minVersion: 'TLSv1.2',
      maxHeaderSize: MOST_HEADER_BYTES,
      insecureHTTPParser: false,
      requireHostHeader: true,
      handshakeTimeout: patienceMs,
      headersTimeout: patienceMs,
      // Interval at which Node checks for slow heads and requests.
      connectionsCheckingInterval: patienceMs / 3,
      // For the request; the time of the answer does not count.
      requestTimeout: 4 * patienceMs,
      keepAliveTimeout: 90_000,
      noDelay: true,
    },
    (request, response) => {
      if (connections.isBeyond(request.socket)) {
        response.setHeader('connection', 'close');
        sendRefusal(response, tooManyConnections());
      } else handle(request, response);
    },
  );
  server.maxConnections = connections.all;
  // Runs before the listener that begins TLS.
  server.prependListener('connection', (socket) => {
    if (socket instanceof Socket) connections.add(socket);
  });
  server.on('drop', (data?: DropArgument) => {
    connections.dropped(data?.remoteAddress ?? '');
  });
  server.on('clientError', (_error, socket) => {
    socket.destroy();
  });
  server.on('upgrade', (_request, socket) => {
    socket.destroy();
  });
  server.on('connect', (_request, socket) => {
    socket.destroy();
  });
  return server;
}

/** Resolves when the server listens. @throws if it cannot */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Ends all connections. Resolves when they have closed. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve);
  });
  server.closeIdleConnections();
  server.closeAllConnections();
  await closed;
}
