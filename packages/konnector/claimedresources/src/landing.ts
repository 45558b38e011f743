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

/** Whether the claims of a provider may put objects into a namespace of the consumer. `unknown`: what tells has not been listed yet. */
export type Landing = 'open' | 'closed' | 'unknown';

/**
 * The namespaces of the consumer in which a provider has a place: the consumer has made bound objects of that provider there, or the namespace was made for it. A claim selects whatever the provider makes, in
 * whichever namespace the provider names; so it must not choose among those of the consumer, where other controllers trust what they find.
 */
export interface LandingNamespaces {
  /** The namespaced resources that the consumer has bound from this provider, in the versions in which they are synced. Takes the place of those before. */
  set(bound: readonly Resource[]): void;
  of(namespace: string): Landing;
  close(): void;
}

/** `provider`: its identity, as namespaces that were made for it say it. `changed` is told of a namespace that may have opened; without one when more is known of all. */
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
    // The very cache of the sync.
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

/** Whether a bound object of the consumer opens its namespace for claims. One that the konnector brought from the provider does not: the provider chose where it stands. */
export function opensNamespace({ metadata: { annotations } }: KubeObject): boolean {
  return annotations?.[hawserAnnotations.adoptedFrom] === undefined;
}

/** Whether a konnector made the namespace because that provider asked for it. */
export function isMadeFor({ metadata: { labels: its, annotations } }: KubeObject, provider: string): boolean {
  return its?.[labels.owner] === owners.provider && annotations?.[hawserAnnotations.providerIdentity] === provider;
}

/** Where the objects are that a binding has bound, as its own CRD says; undefined if the CRD is not its own, or its objects stand in no namespace. */
export function boundResource(crd: CustomResourceDefinition, binding: APIServiceBinding): Resource | undefined {
  return isOwnedByBinding(crd, binding) && crd.spec.scope === 'Namespaced' ? servedResource(crd.spec) : undefined;
}

/** The namespaces that the operator of a binding has opened for the objects that its claims bring. */
export function landingsOf({ metadata: { annotations = {} } }: APIServiceBinding): readonly string[] {
  return (annotations[hawserAnnotations.claimNamespaces] ?? '').split(/[\s,]+/u).filter((name) => name !== '');
}

const keyOf = (resource: Resource): string => `${resourceName(resource)}/${resource.version}`;
