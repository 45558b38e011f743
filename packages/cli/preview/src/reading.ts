import type { Client } from '@hawser/client';

/**
 * A client that changes nothing: it reads, and lets dry runs through. Its time limit is shorter than that of a
 * controller, as a person waits.
 */
export function reading(client: Client, timeoutMs = 10_000): Client {
  const refused = (): Promise<never> => Promise.reject(new Error('a preview does not write'));
  const limited = <T extends object>(options: T | undefined): T & { readonly timeoutMs: number } =>
    ({ timeoutMs, ...options }) as T & { readonly timeoutMs: number };
  return {
    name: client.name,
    get: (resource, key, options) => client.get(resource, key, limited(options)),
    list: (resource, options) => client.list(resource, limited(options)),
    watch: (resource, options) => client.watch(resource, options),
    raw: (method, path, body, options) =>
      method === 'GET' ? client.raw(method, path, body, limited(options)) : refused(),
    create: (resource, object, options) =>
      options?.dryRun === true ? client.create(resource, object, limited(options)) : refused(),
    update: (resource, object, options) =>
      options?.dryRun === true ? client.update(resource, object, limited(options)) : refused(),
    patch: (resource, key, patch, options) =>
      options?.dryRun === true ? client.patch(resource, key, patch, limited(options)) : refused(),
    delete: (resource, key, options) =>
      options?.dryRun === true ? client.delete(resource, key, limited(options)) : refused(),
    withWriteGuard(signal) {
      return reading(client.withWriteGuard(signal), timeoutMs);
    },
    at(path, name) {
      return reading(client.at(path, name), timeoutMs);
    },
    recovery: client.recovery,
    close: () => client.close(),
  };
}
