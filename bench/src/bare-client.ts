import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';

import type { ObjectKey, Resource, UnstructuredObject, WatchEvent } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

interface Sent {
  readonly body?: object;
  /** Default `application/json`. */
  readonly type?: string;
}

const ANSWER = 'application/json';
/** Writes are answered without spec and status. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/**
 * Minimal client for an API server in Node: `node:https` with keep-alive, bodies read whole, `JSON.parse`. No retries,
 * no time limits, no checks of answers. The references of this bench are built on it.
 */
export class BareClient {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #headers: Readonly<Record<string, string>>;

  /** `width` connections, plus some for watches. */
  constructor({ server, caData, credentials }: ConnectionConfig, width: number, userAgent: string) {
    this.#url = new URL(server);
    const { cert, key } = credentials.kind === 'certificate' ? credentials : {};
    this.#agent = new Agent({ keepAlive: true, maxSockets: width + 4, ca: caData, cert, key });
    this.#headers = {
      'user-agent': userAgent,
      ...(credentials.kind === 'token' ? { authorization: `Bearer ${credentials.token}` } : {}),
    };
  }

  list(
    path: string,
  ): Promise<{ readonly items: UnstructuredObject[]; readonly metadata: { resourceVersion: string } }> {
    return this.#send('GET', path, ANSWER);
  }

  create(path: string, body: object): Promise<UnstructuredObject> {
    return this.#send('POST', path, METADATA, { body });
  }

  update(path: string, body: object): Promise<UnstructuredObject> {
    return this.#send('PUT', path, METADATA, { body });
  }

  /** A merge patch. Answered with metadata alone. */
  patch(path: string, body: object): Promise<UnstructuredObject> {
    return this.#send('PATCH', path, METADATA, { body, type: 'application/merge-patch+json' });
  }

  delete(path: string): Promise<unknown> {
    return this.#send('DELETE', path, METADATA);
  }

  /** Lasts until the server ends it. */
  async *watch(path: string): AsyncGenerator<WatchEvent<UnstructuredObject>> {
    const response = await this.#open('GET', path, ANSWER);
    response.setEncoding('utf8');
    let rest = '';
    for await (const chunk of response as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchEvent<UnstructuredObject>;
    }
  }

  async #send<T>(method: string, path: string, accept: string, sent?: Sent): Promise<T> {
    const response = await this.#open(method, path, accept, sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = (chunks.length === 1 ? (chunks[0] ?? Buffer.of()) : Buffer.concat(chunks)).toString();
    if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  #open(method: string, path: string, accept: string, sent: Sent = {}): Promise<IncomingMessage> {
    const { body, type = 'application/json' } = sent;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...this.#headers,
      accept,
      ...(text === undefined ? {} : { 'content-type': type, 'content-length': text.length }),
    };
    const { hostname, port, pathname } = this.#url;
    const prefix = pathname === '/' ? '' : pathname;
    request({ agent: this.#agent, hostname, port, method, path: prefix + path, headers }, resolve)
      .on('error', reject)
      .end(text);
    return promise;
  }
}

export function pathOf({ group, version, resource }: Resource, key?: Partial<ObjectKey>): string {
  const parts = [
    group === '' ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(key?.namespace === undefined ? [] : ['namespaces', key.namespace]),
    resource,
    ...(key?.name === undefined ? [] : [key.name]),
  ];
  return parts.join('/');
}
