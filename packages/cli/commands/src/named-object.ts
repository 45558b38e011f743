import type { ObjectKey } from '@hawser/client';

import { ConfigError, type ParsedFlags } from '@hawser/config';

/** The namespace for a command: from the flag or, if that is empty, from the context. */
export function namespaceOf({ values }: ParsedFlags, ofContext: string): string {
  const given = values.get('namespace') ?? '';
  return given === '' ? ofContext : given;
}

/**
 * The object that a command names: `NAME` in that namespace, or `NAMESPACE/NAME`.
 * @throws ConfigError for an invalid object name
 */
export function objectNamed(name: string, namespace: string | undefined): ObjectKey {
  const parts = name.split('/');
  const [first = '', second] = parts;
  const isName = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isName || parts.length > (namespace === undefined ? 1 : 2))
    throw new ConfigError(`"${name}" must be NAME${namespace === undefined ? '' : ' or NAMESPACE/NAME'}`);
  if (namespace === undefined) return { name };
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}

/** Why `kind` matches no API. `bound`: the names of the bound APIs; bindings of both generations may name one. */
export function unknownKind(kind: string, bound: readonly string[]): string {
  const names = [...new Set(bound)];
  return `no bound API is called ${kind}; ${names.length === 0 ? 'nothing is bound' : `there are: ${names.join(', ')}`}`;
}
