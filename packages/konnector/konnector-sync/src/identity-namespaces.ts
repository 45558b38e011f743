import { type Client, type Resource, getIfExists, isAlreadyExists, isForbidden } from '@hawser/client';

import type { ServiceNamespaces } from './service-namespaces.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** After this long a namespace is looked for again before a copy is made in it: somebody may have deleted it. */
const KNOWN_FOR_MS = 30_000;

export interface IdentityNamespacesOptions {
  /** Of the provider. */
  readonly client: Client;
  /** Of namespaces that are made here. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds, on a clock that nobody sets. */
  readonly now: () => number;
}

/**
 * Where each namespace of the consumer stands for itself on the provider, and is made there when a copy needs it (`spec/kbind-v2.md §17.5`). None is ever deleted. Who may
 * neither read nor create namespaces is taken to have them: the write of the copy decides. `toProvider` is undefined until it was looked for.
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
      // Many objects find at the same time that their namespace is missing.
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
