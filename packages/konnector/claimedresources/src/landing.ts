import { type KubeObject, type Resource, resourceName } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  hawserAnnotations,
  isOwnedByBinding,
  labels,
  owners,
  resources,
  servedResource,
} from '@hawser/kube-bind';

/**
 * Whether a provider's claims may put objects into a consumer namespace. `unknown`: the deciding objects are not listed
 * yet.
 */
export type Landing = 'open' | 'closed' | 'unknown';

/**
 * Consumer namespaces open to a provider: the consumer made the provider's bound objects there, or the namespace was
 * made for it. A claim selects any object of the provider in any namespace that the provider names. It must not choose
 * freely among the consumer's: other controllers trust the objects there.
 */
export interface LandingNamespaces {
  /** Replaces the namespaced resources bound from this provider, in their synced versions. */
  set(bound: readonly Resource[]): void;
  of(namespace: string): Landing;
  close(): void;
}

/**
 * `provider`: its identity on namespaces made for it. `changed` is called for a namespace that may have opened; without
 * one when more is known of all.
 */
export function createLandingNamespaces(
  informers: SharedInformers,
  provider: string,
  changed: (namespace: string | undefined) => void,
): LandingNamespaces {
  const bound = new Map<
    string,
    { readonly informer: InformerHandle<KubeObject>; readonly counts: Map<string, number> }
  >();
  const namespaces = informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' });
  const isMade = (namespace: KubeObject): boolean => isMadeFor(namespace, provider);
  const opened = (object: KubeObject): void => {
    if (isMade(object)) changed(object.metadata.name);
  };
  namespaces.addHandler({
    onAdd: opened,
    onUpdate: (_, object) => {
      opened(object);
    },
  });
  namespaces.onStateChange(() => {
    changed(undefined);
  });
  const count = (counts: Map<string, number>, { metadata: { namespace = '' } }: KubeObject, by: 1 | -1): void => {
    const after = (counts.get(namespace) ?? 0) + by;
    if (after > 0) counts.set(namespace, after);
    else counts.delete(namespace);
    if (by === 1 && after === 1) changed(namespace);
  };
  const open = (resource: Resource): void => {
    // The same cache as the sync's.
    const informer = informers.acquire<KubeObject>({ resource });
    const counts = new Map<string, number>();
    bound.set(keyOf(resource), { informer, counts });
    informer.onStateChange(() => {
      changed(undefined);
    });
    informer.addHandler({
      onAdd: (object) => {
        if (opensNamespace(object)) count(counts, object, 1);
      },
      onUpdate(before, after) {
        if (opensNamespace(before) !== opensNamespace(after)) count(counts, after, opensNamespace(after) ? 1 : -1);
      },
      onDelete: (object) => {
        if (opensNamespace(object)) count(counts, object, -1);
      },
    });
  };
  return {
    set(wanted) {
      const keys = new Set(wanted.map(keyOf));
      for (const [key, { informer }] of bound) {
        if (keys.has(key)) continue;
        bound.delete(key);
        informer.release();
      }
      for (const resource of wanted) if (!bound.has(keyOf(resource))) open(resource);
    },
    of(namespace) {
      if ([...bound.values()].some(({ counts }) => counts.has(namespace))) return 'open';
      const itself = namespaces.get(namespace);
      if (itself !== undefined && isMade(itself)) return 'open';
      return [namespaces, ...[...bound.values()].map(({ informer }) => informer)].every(
        ({ hasSynced, state }) => hasSynced || state.phase === 'waiting',
      )
        ? 'closed'
        : 'unknown';
    },
    close() {
      for (const { informer } of bound.values()) informer.release();
      bound.clear();
      namespaces.release();
    },
  };
}

/**
 * Whether a bound object of the consumer opens its namespace for claims. One copied from the provider does not: the
 * provider chose its namespace.
 */
export function opensNamespace({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[hawserAnnotations.adoptedFrom] === undefined;
}

/** Whether a konnector made the namespace on request of that provider. */
export function isMadeFor({ metadata: { labels: its, annotations } }: KubeObject, provider: string): boolean {
  return its?.[labels.owner] === owners.provider && annotations?.[hawserAnnotations.providerIdentity] === provider;
}

/** Resource of a binding's objects, from its own CRD; undefined for another's CRD, or cluster-scoped objects. */
export function boundResource(crd: CustomResourceDefinition, binding: APIServiceBinding): Resource | undefined {
  return isOwnedByBinding(crd, binding) && crd.spec.scope === 'Namespaced' ? servedResource(crd.spec) : undefined;
}

/** The namespaces that a binding's operator has opened for claimed objects. */
export function landingsOf({ metadata: { annotations = {} } }: APIServiceBinding): readonly string[] {
  return (annotations[hawserAnnotations.claimNamespaces] ?? '').split(/[\s,]+/u).filter((name) => name !== '');
}

const keyOf = (resource: Resource): string => `${resourceName(resource)}/${resource.version}`;
