import { type Client, type Resource, type UnstructuredObject, isConflict, isNotFound } from '@hawser/client';
import { type Clock, sleep } from '@hawser/clock';
import { type InformerHandle, type SharedInformers, createSharedInformers } from '@hawser/informer';
import { noMetrics, silentLogger } from '@hawser/telemetry';

export interface OperatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly resource: Resource;
  /** How long a database takes to be ready. */
  readonly delayMs: number;
}

/** Stands in for a real service's operator: reports each database as ready shortly after its creation. */
export interface Operator {
  close(): Promise<void>;
}

export async function startOperator({ client, clock, resource, delayMs }: OperatorOptions): Promise<Operator> {
  const closing = new AbortController();
  const informers: SharedInformers = createSharedInformers({
    client,
    clock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
  });
  const databases: InformerHandle<UnstructuredObject> = informers.acquire({ resource });
  const busy = new Set<string>();

  const work = async (key: string): Promise<void> => {
    while (!closing.signal.aborted) {
      await sleep(clock, delayMs, closing.signal);
      const database = databases.get(key);
      if (database === undefined || upToDate(database)) return;
      try {
        databases.observe(
          await client.update(resource, { ...database, status: wanted(database) } as UnstructuredObject, {
            subresource: 'status',
            signal: closing.signal,
          }),
        );
      } catch (error) {
        if (isNotFound(error)) return;
        // After a conflict the watch delivers the newer version.
        if (!isConflict(error)) await sleep(clock, 1_000, closing.signal);
      }
    }
  };
  const look = (database: UnstructuredObject): void => {
    const { namespace = '', name, deletionTimestamp } = database.metadata;
    const key = `${namespace}/${name}`;
    if (busy.has(key) || deletionTimestamp !== undefined || upToDate(database)) return;
    busy.add(key);
    work(key)
      .catch(() => undefined)
      .finally(() => {
        busy.delete(key);
        // Once the operator closes, the cache is gone.
        const now = closing.signal.aborted ? undefined : databases.get(key);
        if (now !== undefined) look(now);
      });
  };
  databases.addHandler({
    onAdd: look,
    onUpdate: (_, after) => {
      look(after);
    },
  });
  await databases.synced();
  return {
    async close() {
      closing.abort();
      await informers.close();
    },
  };
}

function wanted(database: UnstructuredObject): Readonly<Record<string, unknown>> {
  const { namespace = '', name } = database.metadata;
  const { size = 'small' } = (database['spec'] ?? {}) as { readonly size?: string };
  return { phase: 'Ready', endpoint: `${name}.${namespace}.db.example.com:5432`, size };
}

function upToDate(database: UnstructuredObject): boolean {
  const status = (database['status'] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(wanted(database)).every(([field, value]) => status[field] === value);
}
