import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type ServerOptions, createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ConnectionConfig } from '@hawser/kubeconfig';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (request: SeenRequest, response: ServerResponse, socket: Socket) => void;

/** A local HTTP server under control of the test; records its requests. */
export interface FakeApiServer {
  readonly url: string;
  readonly connection: ConnectionConfig;
  readonly requests: readonly SeenRequest[];
  /** Sockets that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections ever accepted. */
  readonly accepted: number;
  answer: Answer;
  close(): Promise<void>;
}

export async function startFakeApiServer(
  answer: Answer,
  options: { readonly tls?: ServerOptions; readonly port?: number } = {},
): Promise<FakeApiServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request = {
        method: message.method ?? '',
        url: message.url ?? '',
        headers: message.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(request);
      fake.answer(request, response, message.socket);
    });
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeApiServer = {
    url,
    connection: { server: url, credentials: { kind: 'token', token: 'the-secret-token' } },
    requests,
    sockets,
    get accepted() {
      return accepted;
    },
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
  return fake;
}

export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A failure in an API server's words. */
export function failure(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
  details: object = {},
): void {
  json(
    response,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details },
    code,
    headers,
  );
}
