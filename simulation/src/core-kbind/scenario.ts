import type { RelatedResource } from '@hawser/core-kbind';
import type { Binding as Api } from '../names.js';
import { namespaces } from '../names.js';

/** The konnectors, one of which works. The providers run no program. */
export const MACHINES = ['konnector-0', 'konnector-1'] as const;
export const PROVIDERS = ['provider-a', 'provider-b'] as const;
export type Provider = (typeof PROVIDERS)[number];
export const CONSUMER = 'consumer';
export const CLUSTERS = [CONSUMER, ...PROVIDERS] as const;

/** Each provider is the cluster of its Connection; both offer a routed API. */
export const APIS: readonly (Api & { readonly provider: Provider; readonly isRouted?: true })[] = [
  { name: 'databases', provider: 'provider-a', group: 'example.com', plural: 'databases', kind: 'Database' },
  { name: 'tables', provider: 'provider-a', group: 'example.com', plural: 'tables', kind: 'Table' },
  { name: 'buckets', provider: 'provider-b', group: 'storage.example.com', plural: 'buckets', kind: 'Bucket' },
  { name: 'volumes', provider: 'provider-a', group: 'example.com', plural: 'volumes', kind: 'Volume', isRouted: true },
];

/** Also offered and listed, but people of the consumer have their own CRD of that name. */
export const OWNED: (typeof APIS)[number] = {
  name: 'tools',
  provider: 'provider-a',
  group: 'example.com',
  plural: 'tools',
  kind: 'Tool',
};

/** A ClusterBinding, or a Binding of a namespace. */
export interface Activation {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly provider: Provider;
  /** Indexes of {@link APIS}. */
  readonly apis: readonly number[];
  readonly rules: readonly RelatedResource[];
  /** For several bindings of one API to different providers: value of label {@link PLACE} on its objects. */
  readonly place?: Place | undefined;
}

/** Label of objects of a routed API. No binding selects the last value. */
export const PLACE = 'example.com/place';
export const places = ['a', 'b', 'nowhere'] as const;
export type Place = (typeof places)[number];

/** Label by which rules select. */
export const SHARE = 'example.com/share';
const labelled = (value: string): RelatedResource['selector'] => ({
  labelSelector: { matchLabels: { [SHARE]: value } },
});
const rulesOfNamespace: readonly RelatedResource[] = [
  { group: '', resource: 'secrets', direction: 'FromProvider', selector: labelled('down') },
  { group: '', resource: 'configmaps', direction: 'FromConsumer', selector: { names: ['settings'] } },
];

export const ACTIVATIONS: readonly Activation[] = [
  {
    name: 'databases',
    provider: 'provider-a',
    apis: [0, 1],
    rules: [
      { group: '', resource: 'secrets', direction: 'FromConsumer', selector: labelled('up') },
      { group: '', resource: 'configmaps', direction: 'FromProvider', selector: labelled('down') },
    ],
  },
  { name: 'buckets', namespace: 'team-0', provider: 'provider-b', apis: [2], rules: rulesOfNamespace },
  { name: 'buckets', namespace: 'team-1', provider: 'provider-b', apis: [2], rules: rulesOfNamespace },
  { name: 'volumes', provider: 'provider-a', apis: [3], rules: [], place: 'a' },
  { name: 'volumes', namespace: 'team-0', provider: 'provider-b', apis: [3], rules: [], place: 'b' },
  { name: 'volumes', namespace: 'team-1', provider: 'provider-b', apis: [3], rules: [], place: 'b' },
];

/** Those of no routed API, which every run has, come first. */
export const PLAIN_APIS = 3;
export const PLAIN_ACTIVATIONS = 3;

/** Contents of a run. Indexes are those of {@link APIS} and {@link ACTIVATIONS}. */
export interface Scenario {
  /** Whether an API is routed to both providers. */
  readonly routes: boolean;
  readonly apis: typeof APIS;
  readonly activations: readonly Activation[];
}

export function scenarioOf({ routes = false }: { readonly routes?: boolean | undefined }): Scenario {
  return {
    routes,
    apis: routes ? APIS : APIS.slice(0, PLAIN_APIS),
    activations: routes ? ACTIVATIONS : ACTIVATIONS.slice(0, PLAIN_ACTIVATIONS),
  };
}

/** Possible providers for copies of an API's objects. */
export function providersOf(api: number): readonly Provider[] {
  const found = APIS[api];
  if (found === undefined) return [];
  return found.isRouted === true ? PROVIDERS : [found.provider];
}

export function isRouted(api: number): boolean {
  return APIS[api]?.isRouted === true;
}

/** Whether objects go with the binding: they stay if it selects by labels, as they do under a Binding. */
export function takesObjects({ namespace, place }: Activation): boolean {
  return namespace === undefined && place === undefined;
}

/** Whether it also lists the API for which people have their own CRD. */
export function listsOwned(activation: Activation): boolean {
  return activation === ACTIVATIONS[0];
}

/** Name of the Connection to a provider, and of its Secret. */
export const connectionTo = (provider: Provider): string => `to-${provider}`;

/** One object that a user may want. */
export interface Slot {
  readonly object: number;
  readonly api: number;
  readonly namespace: string;
  readonly name: string;
  /**
   * Index of {@link ACTIVATIONS}; undefined: no binding covers it, or the choice depends on more than its namespace.
   */
  readonly activation: number | undefined;
}

/** A quarter belongs to a routed API, if there is one. */
export function slotsFor(objects: number, { routes }: Pick<Scenario, 'routes'>): readonly Slot[] {
  const first = firstRouted(objects, routes);
  return Array.from({ length: objects }, (_, object) => {
    const api = object < first ? object % PLAIN_APIS : PLAIN_APIS;
    const index = object < first ? Math.floor(object / PLAIN_APIS) : object - first;
    const namespace = namespaces[index % namespaces.length] ?? namespaces[0];
    const activation = ACTIVATIONS.slice(0, PLAIN_ACTIVATIONS).findIndex(
      (one) => one.apis.includes(api) && (one.namespace === undefined || one.namespace === namespace),
    );
    return { object, api, namespace, name: `object-${object}`, activation: activation < 0 ? undefined : activation };
  });
}

/** The first object of the routed API. */
export function firstRouted(objects: number, routes: boolean): number {
  return routes ? objects - Math.floor(objects / 4) : objects;
}

export const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
export const NAMESPACES = { group: '', resource: 'namespaces' };
export const SECRETS = { group: '', resource: 'secrets' };
export const CONNECTIONS = { group: 'core.kbind.io', resource: 'connections' };

export function bindingsOf({ namespace }: Activation): { readonly group: string; readonly resource: string } {
  return { group: 'core.kbind.io', resource: namespace === undefined ? 'clusterbindings' : 'bindings' };
}
