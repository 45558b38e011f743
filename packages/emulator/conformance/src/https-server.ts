import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { actorAccess } from './actor-headers.js';
import { lines } from './lines.js';
import type { Headers, ServerRequest, ServerUnderTest } from './server.js';

export interface HttpsServerOptions {
  readonly name: string;
  /** The administrator's, with a client certificate. */
  readonly connection: ConnectionConfig;
  readonly compact: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A server behind https. Deliberately without our client: the suite sees the raw wire. */
export function httpsServer(options: HttpsServerOptions): ServerUnderTest {
  const { credentials, server, caData } = options.connection;
  if (credentials.kind !== 'certificate') throw new TypeError('the administrator needs a client certificate');
  const url = new URL(server);
  const common = { ca: caData, keepAlive: true, host: url.hostname, port: Number(url.port) };
  const anonymous = new Agent(common);
  const admin = new Agent({ ...common, cert: credentials.cert, key: credentials.key });

  const open = (request: ServerRequest): Promise<{ readonly response: IncomingMessage; readonly abort: () => void }> =>
    new Promise((resolve, reject) => {
      const access = actorAccess(request.as);
      const body = request.body === undefined ? undefined : Buffer.from(request.body, 'utf8');
      const outgoing = httpsRequest(
        {
          host: url.hostname,
          port: url.port,
          agent: access.certificate ? admin : anonymous,
          method: request.method,
          path: request.path,
          headers: {
            ...request.headers,
            ...headersOf(access.headers),
            ...(body === undefined ? {} : { 'content-length': String(body.length) }),
          },
        },
        (response) => {
          resolve({
            response,
            abort: () => {
              outgoing.destroy();
            },
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  return {
    name: options.name,
    async request(request) {
      const { response } = await open(request);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return {
        status: response.statusCode ?? 0,
        headers: answerHeaders(response),
        body: Buffer.concat(chunks).toString('utf8'),
      };
    },
    async watch(request) {
      const { response, abort } = await open({ ...request, method: 'GET' });
      // Our own abort is no failure of the server.
      response.on('error', () => undefined);
      return {
        status: response.statusCode ?? 0,
        headers: answerHeaders(response),
        lines: lines(response),
        close: abort,
      };
    },
    compact: options.compact,
    async stop() {
      admin.destroy();
      anonymous.destroy();
      await options.stop();
    },
  };
}

function headersOf(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function answerHeaders(response: IncomingMessage): Headers {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).flatMap(([name, values]) =>
      values === undefined ? [] : [[name, values]],
    ),
  );
}
