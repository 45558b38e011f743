import type { ObjectKey } from '@hawser/client';

/**
 * How objects of one consumer are kept apart on the provider (`spec/konnector.md §8`). In kube-bind `ServiceNamespace`
 * is the only one for namespaced resources. `Identity` is for both scopes (`spec/kbind-v2.md §18`); the others are for
 * cluster-scoped resources.
 */
export type Isolation = 'None' | 'Prefixed' | 'Namespaced' | 'ServiceNamespace' | 'Identity';

/** Maps consumer namespaces to provider namespaces. Both directions are cache lookups: cheap, and never a guess. */
export interface NamespaceMap {
  /** Undefined: the provider has not assigned one. */
  toProvider(consumerNamespace: string): string | undefined;
  toConsumer(providerNamespace: string): string | undefined;
  /**
   * Start of the wait for the provider's answer (milliseconds since the epoch), as far as known. Undefined: not
   * requested, or answered.
   */
  pendingSince(consumerNamespace: string): number | undefined;
}

/** The place of the copy of a consumer object. */
export type Placement =
  | { readonly kind: 'placed'; readonly key: ObjectKey }
  /** The provider has not assigned a namespace yet; `since`: start of the wait. */
  | { readonly kind: 'unassigned'; readonly consumerNamespace: string; readonly since?: number | undefined }
  /** No place is possible; the message says why and what to do. */
  | { readonly kind: 'impossible'; readonly reason: string; readonly message: string };

/** The two mappings of one isolation mode. Pure except for the namespace lookups. */
export interface KeyMapper {
  toProvider(consumer: ObjectKey): Placement;
  /** Undefined: no copy of this consumer can be at this place. */
  toConsumer(provider: ObjectKey): ObjectKey | undefined;
}

/** Longest name the API server accepts for a custom resource. */
const MAX_NAME_LENGTH = 253;

/** Creates the key mapping between the clusters. `clusterNamespace` is the provider namespace of this consumer. */
export function createKeyMapper(isolation: Isolation, clusterNamespace: string, namespaces: NamespaceMap): KeyMapper {
  switch (isolation) {
    case 'None':
      return { toProvider: ({ name }) => placed(name), toConsumer: ({ name }) => ({ name }) };
    case 'Identity':
      return {
        toProvider: ({ name, namespace }) => placed(name, namespace),
        toConsumer: ({ name, namespace }) => (namespace === undefined ? { name } : { namespace, name }),
      };
    case 'Prefixed': {
      const prefix = `${clusterNamespace}-`;
      return {
        toProvider: ({ name }) => {
          const prefixed = prefix + name;
          if (prefixed.length <= MAX_NAME_LENGTH) return placed(prefixed);
          return {
            kind: 'impossible',
            reason: 'NameTooLong',
            message: `The provider would have to call its copy "${prefix}…", ${prefixed.length} characters long; ${MAX_NAME_LENGTH} are allowed. Recreate the object with a name of at most ${MAX_NAME_LENGTH - prefix.length} characters.`,
          };
        },
        toConsumer: ({ name }) =>
          name.length > prefix.length && name.startsWith(prefix) ? { name: name.slice(prefix.length) } : undefined,
      };
    }
    case 'Namespaced':
      return {
        toProvider: ({ name }) => placed(name, clusterNamespace),
        toConsumer: ({ name, namespace }) => (namespace === clusterNamespace ? { name } : undefined),
      };
    case 'ServiceNamespace':
      return {
        toProvider: ({ name, namespace = '' }) => {
          const assigned = namespaces.toProvider(namespace);
          return assigned === undefined
            ? { kind: 'unassigned', consumerNamespace: namespace, since: namespaces.pendingSince(namespace) }
            : placed(name, assigned);
        },
        toConsumer: ({ name, namespace = '' }) => {
          const consumerNamespace = namespaces.toConsumer(namespace);
          return consumerNamespace === undefined ? undefined : { namespace: consumerNamespace, name };
        },
      };
  }
}

function placed(name: string, namespace?: string): Placement {
  return { kind: 'placed', key: namespace === undefined ? { name } : { name, namespace } };
}
