import type { ApiRequest } from '@hawser/apiserver';
import type { Dispatcher } from 'undici';

/** A client's dispatched request in the form that a server gets. */
export function requestOf(options: Dispatcher.DispatchOptions): ApiRequest {
  const given = options.headers as Readonly<Record<string, string | readonly string[]>>;
  const headers: Record<string, string | readonly string[]> = {};
  for (const name of Object.keys(given)) headers[name.toLowerCase()] = given[name] ?? '';
  return {
    method: options.method,
    path: options.path,
    headers,
    ...(typeof options.body === 'string' ? { body: options.body } : {}),
  };
}
