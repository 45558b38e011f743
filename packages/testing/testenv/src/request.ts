import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionConfig } from '@hawser/kubeconfig';

export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Default 30 s. */
  readonly timeoutMs?: number | undefined;
}

/**
 * One request on its own connection. Deliberately simple: the test environment looks at a server independently of the
 * client under test.
 */
export function rawRequest(connection: ConnectionConfig, options: RawRequest): Promise<RawResponse> {
  const { credentials } = connection;
  const url = new URL(connection.server);
  return send(
    httpsRequest,
    options,
    {
      host: url.hostname,
      port: url.port,
      ca: connection.caData,
      servername: connection.tlsServerName,
      ...(credentials.kind === 'certificate' ? { cert: credentials.cert, key: credentials.key } : {}),
    },
    credentials.kind === 'token' ? { authorization: `Bearer ${credentials.token}` } : {},
  );
}

/** One plain HTTP request over a Unix socket. */
export function socketRequest(socketPath: string, options: RawRequest): Promise<RawResponse> {
  return send(httpRequest, options, { socketPath, host: 'localhost' }, {});
}

function send(
  start: typeof httpsRequest,
  options: RawRequest,
  target: object,
  extraHeaders: Record<string, string>,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...extraHeaders,
      accept: 'application/json',
      ...(options.body === undefined
        ? {}
        : {
            'content-type': options.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(options.body),
          }),
    };
    const request = start(
      { ...target, agent: false, method: options.method, path: options.path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    request.setTimeout(options.timeoutMs ?? 30_000, () =>
      request.destroy(new Error(`${options.method} ${options.path}: no answer in time`)),
    );
    request.on('error', reject);
    request.end(options.body);
  });
}
