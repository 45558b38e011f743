import { annotations } from './metadata.js';
import type { Connection } from './kinds/connection.js';

/** The namespaces whose Bindings may use a Connection, as its operator has listed them by `hawser.dev/allowed-namespaces`; undefined: those of all. An empty list allows none. The contract has no such list: a Go konnector serves all. */
export function allowedNamespaces({ metadata }: Pick<Connection, 'metadata'>): readonly string[] | undefined {
  const said = metadata.annotations?.[annotations.allowedNamespaces];
  if (said === undefined) return undefined;
  return said
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Whether a binding of `namespace` may use a Connection; undefined: a ClusterBinding, which only operators can make. */
export function mayUse(connection: Pick<Connection, 'metadata'>, namespace: string | undefined): boolean {
  return namespace === undefined || allowedNamespaces(connection)?.includes(namespace) !== false;
}
