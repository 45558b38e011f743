import type { KubeObject } from '@hawser/client';
import { columns, type Infer, root, type RootView, s, type Schema } from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { localSecretKeyRef, localSecretRef, v1alpha1LocalSecretKeyRef } from './shared.js';

const secretDescription = 'The secret whose content the konnector mirrors to the consumer.';

const common = {
  providerPrettyName: s.string({ minLength: 1, description: 'Name of the provider for people.' }),
  serviceProviderSpec: s.optional(s.freeObject({ description: 'Whatever the provider notes here.' })),
};

const spec = s.object({
  kubeconfigSecretRef: s.immutable(s.described(secretDescription, localSecretKeyRef)),
  ...common,
});

const statusV1alpha1 = {
  lastHeartbeatTime: s.optional(s.dateTime({ description: 'When the konnector last reported.' })),
  heartbeatInterval: s.optional(s.string({ description: 'How often it means to, as a Go duration.' })),
  konnectorVersion: s.optional(s.string({ description: 'Version of the konnector.' })),
  conditions: s.optional(conditions),
};

const status = s.object({
  ...statusV1alpha1,
  consumerSecretRef: s.optional(s.described('The consumer secret that feeds this connection.', localSecretRef)),
});

export type ClusterBindingSpec = Infer<typeof spec>;
export type ClusterBindingStatus = Infer<typeof status>;

/** On the provider, named `cluster` in each cluster namespace: the connection to one consumer (spec/kube-bind-api.md §6.8). */
export interface ClusterBinding extends KubeObject {
  readonly spec: ClusterBindingSpec;
  readonly status?: ClusterBindingStatus | undefined;
}

const singleton = <S>(schema: Schema<RootView<S>>): Schema<RootView<S>> =>
  s.invariant(
    schema,
    'self.metadata.name == "cluster"',
    'the name must be "cluster"',
    (self) => self.metadata?.name === 'cluster',
  );

const bindingColumns = [
  columns.of('Konnector Version', '.status.konnectorVersion'),
  { name: 'Last Heartbeat', type: 'date', jsonPath: '.status.lastHeartbeatTime' } as const,
  columns.ready,
  columns.age,
];

export const clusterBindingKind: KindDefinition = {
  kind: 'ClusterBinding',
  plural: 'clusterbindings',
  scope: 'Namespaced',
  category: 'kube-bindings',
  description: 'The connection to one consumer.',
  versions: [
    {
      name: 'v1alpha1',
      storage: false,
      columns: bindingColumns,
      schema: singleton(
        root(
          s.object({
            kubeconfigSecretRef: s.immutable(s.described(secretDescription, v1alpha1LocalSecretKeyRef)),
            ...common,
          }),
          s.object(statusV1alpha1),
        ),
      ),
    },
    { name: 'v1alpha2', storage: true, columns: bindingColumns, schema: singleton(root(spec, status)) },
  ],
};
