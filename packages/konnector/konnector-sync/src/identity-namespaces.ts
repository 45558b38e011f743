import { type Client, type Resource, getIfExists, isAlreadyExists, isForbidden } from '@hawser/client';

import type { ServiceNamespaces } from './service-namespaces.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** After this time a namespace is checked again before a copy is made in it: it may have been deleted. */
const KNOWN_FOR_MS = 30_000;

export interface IdentityNamespacesOptions {
  /** Client of the provider. */
  readonly client: Client;
  /** Labels of created namespaces. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Creates the map for isolation Identity: each consumer namespace has the same name on the provider, and is created
 * there when a copy needs it (`spec/kbind-v2.md §17.5`). Never deletes one. Without the right to read or create
 * namespaces it assumes that they exist: the write of the copy decides. `toProvider` is undefined until the namespace
 * was checked.
 */
export function createIdentityNamespaces({
  client,
  labels,
  annotations,
  now,
}: IdentityNamespacesOptions): ServiceNamespaces {
  const known = new Map<string, number>();
  const looking = new Map<string, Promise<void>>();
  const provide = async (name: string, signal: AbortSignal): Promise<void> => {
    const mayRead = await getIfExists(client, NAMESPACES, { name }, { representation: 'metadata', signal }).then(
      (found) => (found === undefined ? 'missing' : 'there'),
      (error: unknown) => {
        if (isForbidden(error)) return 'hidden';
        throw error;
      },
    );
    if (mayRead === 'there') return;
    const metadata = { name, labels, ...(annotations === undefined ? {} : { annotations }) };
    try {
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
    } catch (error) {
      if (isAlreadyExists(error) || (mayRead === 'hidden' && isForbidden(error))) return;
      throw error;
    }
  };
  return {
    toProvider: (namespace) => (now() - (known.get(namespace) ?? -Infinity) < KNOWN_FOR_MS ? namespace : undefined),
    toConsumer: (namespace) => namespace,
    pendingSince: () => undefined,
    async ensure(namespace, _, signal) {
      // Many objects discover the missing namespace at the same time.
      const running =
        looking.get(namespace) ??
        provide(namespace, signal).finally(() => {
          looking.delete(namespace);
        });
      looking.set(namespace, running);
      await running;
      known.set(namespace, now());
      return 'assigned';
    },
    share: () => Promise.resolve(),
    unshared: () => undefined,
    onChange: () => ({ close: () => undefined }),
    assigned: () => [...known.keys()].map((namespace) => ({ consumer: namespace, provider: namespace })),
  };
}
