import { setImmediate } from 'node:timers/promises';
import { type ApiServer, administrator, createApiServer } from '@hawser/apiserver';
import { actorAccess } from './actor-headers.js';
import { lines } from './lines.js';
import { PushStream } from './push-stream.js';
import type { Headers, ServerRequest, ServerUnderTest, ServerWatch } from './server.js';

type ApiRequest = Parameters<ApiServer['request']>[0];

/** The embedded server through its direct transport, without sockets. */
export function startEmbeddedServer({ controllers }: { readonly controllers: boolean }): Promise<ServerUnderTest> {
  const server = createApiServer({ controllerManager: controllers });
  // Only a server with an authority has a root certificate to publish. A real one without controllers publishes none
  // either.
  if (controllers) server.setLocation({ url: 'https://127.0.0.1:6443', authorityPem: '-----BEGIN CERTIFICATE-----\n' });
  return Promise.resolve({
    name: 'embedded',
    async request(request) {
      // Answers come in microtasks. Without a turn of the event loop, the server's timers would wait until no case has
      // requests left.
      await setImmediate();
      const { status, headers, body } = await server.request(toApiRequest(request));
      return { status, headers: listsOf(headers), body };
    },
    watch: (request) => openWatch(server, toApiRequest({ ...request, method: 'GET' })),
    compact: () => {
      server.store.compact();
      return Promise.resolve();
    },
    stop: () => {
      server.stop();
      return Promise.resolve();
    },
  });
}

function toApiRequest({ method, path, headers, body, as }: ServerRequest): ApiRequest {
  const access = actorAccess(as);
  return {
    method,
    path,
    headers: { ...headers, ...access.headers },
    ...(body === undefined ? {} : { body }),
    ...(access.certificate ? { user: administrator } : {}),
  };
}

function listsOf(headers: Readonly<Record<string, string | readonly string[]>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]),
  );
}

function openWatch(server: ApiServer, request: ApiRequest): Promise<ServerWatch> {
  return new Promise((resolve, reject) => {
    const chunks = new PushStream<Uint8Array>();
    const exchange = server.handle(request, {
      head: (status, headers) => {
        resolve({
          status,
          headers: listsOf(headers),
          lines: lines(chunks),
          close: () => {
            exchange.abort();
            chunks.end();
          },
        });
      },
      data: (chunk) => {
        chunks.push(Buffer.from(chunk, 'utf8'));
      },
      end: () => {
        chunks.end();
      },
      fail: (error) => {
        chunks.end();
        reject(error);
      },
    });
  });
}
