import type { ApiRequest } from '@hawser/apiserver';
import type { Dispatcher } from 'undici';

/** What a server gets of a request that a client dispatches. */
export function requestOf(options: Dispatcher.DispatchOptions): ApiRequest {
  const headers = Object.entries(options.headers as Readonly<Record<string, string | readonly string[]>>).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { method: options.method, path: options.path, headers: Object.fromEntries(headers), ...(typeof options.body === 'string' ? { body: options.body } : {}) };
}
