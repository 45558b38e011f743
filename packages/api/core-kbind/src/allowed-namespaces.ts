import { annotations } from './metadata.js';
import type { Connection } from './kinds/connection.js';

/**
 * Namespaces whose Bindings may use a Connection, from `hawser.dev/allowed-namespaces`, which its operator sets.
 * Undefined: all namespaces. An empty list allows none. The contract has no such list: a Go konnector serves all
 * namespaces.
 */
export function allowedNamespaces({ metadata }: Pick<Connection, 'metadata'>): readonly string[] | undefined {
  const value = metadata.annotations?.[annotations.allowedNamespaces];
  if (value === undefined) return undefined;
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Whether a binding in `namespace` may use a Connection. Undefined stands for a ClusterBinding: only operators can
 * create one.
 */
export function mayUse(connection: Pick<Connection, 'metadata'>, namespace: string | undefined): boolean {
  return namespace === undefined || allowedNamespaces(connection)?.includes(namespace) !== false;
}
