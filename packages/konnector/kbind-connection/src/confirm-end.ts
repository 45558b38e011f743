import { type Client, getIfExists, isTerminating, type KubeObject, listAll, versionOf } from '@hawser/client';
import { StaleError } from '@hawser/controller';
import { type Binding, type Connection, connectionNamed, resources } from '@hawser/core-kbind';

/**
 * Confirms by live reads that a Connection ends as the cache shows it: after a restored backup, a cache shows another
 * state for a while. `users`: also confirms that no binding names it.
 * @throws {ApiError | StaleError}
 */
export async function confirmEnd(
  client: Client,
  connection: Connection,
  users: 'any' | 'none',
  signal: AbortSignal,
): Promise<void> {
  const { name } = connection.metadata;
  const live = await getIfExists<KubeObject>(
    client,
    resources.connections,
    { name },
    { representation: 'metadata', signal },
  );
  if (live === undefined || versionOf(live) !== versionOf(connection)) throw stale(name);
  if (users === 'any') return;
  for (const resource of [resources.clusterBindings, resources.bindings])
    for (const binding of await listAll<Binding>(client, resource, { signal }))
      if (connectionNamed(binding) === name) throw stale(name);
}

/**
 * Confirms by a live read that no other Connection shares what the Connection leaves.
 * @throws {ApiError | StaleError}
 */
export async function confirmUnshared(
  client: Client,
  { metadata: { name } }: Connection,
  isShared: (others: readonly Connection[]) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const live = await listAll<Connection>(client, resources.connections, { signal });
  const others = live.filter((one) => one.metadata.name !== name && !isTerminating(one));
  if (isShared(others)) throw stale(name);
}

function stale(connection: string): StaleError {
  return new StaleError('StaleConnection', `Connection ${connection}, or its bindings, have changed meanwhile.`);
}
