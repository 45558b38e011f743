import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonValue, parse, stringify } from '@hawser/json';
import { Answer } from './answer.js';
import type { Body, CallOptions, Calls, PatchType } from './api.js';
import type { ServerRequest, ServerUnderTest } from './server.js';

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** One answered request. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: Body | undefined;
  readonly options: CallOptions;
  readonly answer: Answer;
}

/** Sends requests to `server` and passes each to `observe`. */
export function createCalls(server: ServerUnderTest, observe: (call: Call) => void): Calls {
  const request: Calls['request'] = async (method, path, body, options = {}) => {
    const answer = await whenStorageIsThere(async () => {
      const response = await server.request(toRequest(method, path, body, options));
      return new Answer(response.status, response.headers, bodyOf(response.body));
    });
    observe({ method, path: withQuery(path, options), body, options, answer });
    return answer;
  };
  return {
    request,
    get: (path, options) => request('GET', path, undefined, options),
    create: (path, body, options) => request('POST', path, body, options),
    replace: (path, body, options) => request('PUT', path, body, options),
    patch: (type, path, body, options) => request('PATCH', path, body, { contentType: patchTypes[type], ...options }),
    delete: (path, body, options) => request('DELETE', path, body, options),
  };
}

/**
 * After a definition changes, its resource gets a new storage that takes a moment to fill; the server asks clients to
 * retry.
 */
async function whenStorageIsThere(call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await call();
    if (answer.status !== 429 || answer.at('message') !== 'storage is (re)initializing' || attempt === 100)
      return answer;
    await sleep(20);
  }
}

/** The request in the server's form. */
export function toRequest(method: string, path: string, body: Body | undefined, options: CallOptions): ServerRequest {
  return {
    method,
    path: withQuery(path, options),
    as: options.as,
    body: body === undefined || typeof body === 'string' ? body : stringify(body),
    headers: {
      accept: options.accept ?? 'application/json',
      'user-agent': 'conformance/1',
      ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      ...options.headers,
    },
  };
}

export function withQuery(path: string, { query }: CallOptions): string {
  if (query === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
}

/** OpenAPI, and errors of proxies, are JSON under other media types. */
function bodyOf(text: string): JsonValue {
  if (!text.startsWith('{')) return text;
  try {
    return parse(text);
  } catch {
    return text;
  }
}
