import type { RelatedResource } from '@hawser/core-kbind';
import type { Binding as Api } from '../names.js';
import { namespaces } from '../names.js';

/** The konnectors, one of which works. There is nothing on the providers. */
export const MACHINES = ['konnector-0', 'konnector-1'] as const;
export const PROVIDERS = ['provider-a', 'provider-b'] as const;
export type Provider = (typeof PROVIDERS)[number];
export const CONSUMER = 'consumer';
export const CLUSTERS = [CONSUMER, ...PROVIDERS] as const;

/** The provider of each is the cluster that its Connection leads to. */
export const APIS: readonly (Api & { readonly provider: Provider })[] = [
  { name: 'databases', provider: 'provider-a', group: 'example.com', plural: 'databases', kind: 'Database' },
  { name: 'tables', provider: 'provider-a', group: 'example.com', plural: 'tables', kind: 'Table' },
  { name: 'buckets', provider: 'provider-b', group: 'storage.example.com', plural: 'buckets', kind: 'Bucket' },
];

/** Also offered, and listed, but people of the consumer have a CRD of their own of that name. */
export const OWNED: Api = {
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
}

/** What rules select by. */
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
];

/** Of the Connection to a provider, and of its Secret. */
export const connectionTo = (provider: Provider): string => `to-${provider}`;

/** One object that somebody may want. */
export interface Slot {
  readonly object: number;
  readonly api: number;
  readonly namespace: string;
  readonly name: string;
  /** Index of {@link ACTIVATIONS}; undefined: no binding is for it. */
  readonly activation: number | undefined;
}

export function slotsFor(objects: number): readonly Slot[] {
  return Array.from({ length: objects }, (_, object) => {
    const api = object % APIS.length;
    const namespace = namespaces[Math.floor(object / APIS.length) % namespaces.length] ?? namespaces[0];
    const activation = ACTIVATIONS.findIndex(
      (one) => one.apis.includes(api) && (one.namespace === undefined || one.namespace === namespace),
    );
    return { object, api, namespace, name: `object-${object}`, activation: activation < 0 ? undefined : activation };
  });
}

export const CRDS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
export const NAMESPACES = { group: '', resource: 'namespaces' };
export const SECRETS = { group: '', resource: 'secrets' };
export const CONNECTIONS = { group: 'core.kbind.io', resource: 'connections' };

export function bindingsOf({ namespace }: Activation): { readonly group: string; readonly resource: string } {
  return { group: 'core.kbind.io', resource: namespace === undefined ? 'clusterbindings' : 'bindings' };
}
