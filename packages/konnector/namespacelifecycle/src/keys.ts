const requestPrefix = 'namespace/';
const bindingPrefix = 'report/';

/** The key of an APIServiceNamespace. */
export const requestKey = (name: string): string => requestPrefix + name;

/** The key of the report on a binding. */
export const bindingKey = (name: string): string => bindingPrefix + name;

/** The binding of a {@link bindingKey}, or the request of a {@link requestKey}. */
export function namedBy(key: string): { readonly kind: 'binding' | 'request'; readonly name: string } {
  return key.startsWith(bindingPrefix)
    ? { kind: 'binding', name: key.slice(bindingPrefix.length) }
    : { kind: 'request', name: key.slice(requestPrefix.length) };
}
