import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { conditions } from './shared.js';

export const schemaSources = ['Auto', 'CRD', 'OpenAPI'] as const;
/** Source of a provider's schemas (spec/kbind-v2.md §11). */
export type SchemaSource = (typeof schemaSources)[number];
export const pullPolicies = ['Bound', 'All', 'None'] as const;
/** Which APIs to install on the consumer. */
export type PullPolicy = (typeof pullPolicies)[number];
export const updatePolicies = ['Always', 'Once'] as const;
/** Whether to follow a provider's schema changes. */
export type UpdatePolicy = (typeof updatePolicies)[number];

const spec = s.object({
  autoBind: s.optional(
    s.boolean({ default: false, description: 'Keep a ClusterBinding of this name over all exported APIs.' }),
  ),
  kubeconfigSecretRef: s.immutable(
    s.object(
      {
        key: s.optional(s.string({ default: 'kubeconfig', description: 'Key in the Secret.' })),
        name: s.string({ minLength: 1, description: 'Name of the Secret.' }),
        namespace: s.string({ minLength: 1, description: 'Namespace of the Secret.' }),
      },
      { description: "The Secret with the provider's kubeconfig." },
    ),
  ),
  schema: s.optional(
    s.object(
      {
        pullPolicy: s.optional(
          s.enumeration(pullPolicies, { default: 'Bound', description: 'Which APIs are installed.' }),
        ),
        source: s.optional(s.enumeration(schemaSources, { default: 'Auto', description: 'Where schemas come from.' })),
        updatePolicy: s.optional(
          s.enumeration(updatePolicies, { default: 'Always', description: 'Whether changed schemas are followed.' }),
        ),
      },
      { default: {}, description: 'How schemas reach this cluster.' },
    ),
  ),
});

const exportedAPI = s.object({
  group: s.string({ description: 'API group.' }),
  name: s.string({ description: 'Plural name and group: plural.group.' }),
  resource: s.string({ description: 'Plural name.' }),
  scope: s.string({ description: 'Namespaced or Cluster.' }),
  versions: s.array(s.string(), { set: true, description: 'Versions that are served.' }),
});
/** An API that a provider offers. */
export type ExportedAPI = Infer<typeof exportedAPI>;

const status = s.object({
  activeSchemaSource: s.optional(s.string({ description: 'Where schemas come from: CRD or OpenAPI.' })),
  conditions: s.optional(conditions),
  exportedAPIs: s.optional(s.array(exportedAPI, { atomic: true, description: 'What the provider offers.' })),
  localClusterUID: s.optional(s.pinned(s.string({ description: 'Identity of this cluster.' }))),
  remoteClusterUID: s.optional(s.pinned(s.string({ description: 'Identity of the provider cluster.' }))),
});

export type ConnectionSpec = Infer<typeof spec>;
export type ConnectionStatus = Infer<typeof status>;

/** On the consumer: a provider and how to reach it (spec/kbind-v2.md §3.1). */
export interface Connection extends KubeObject {
  readonly spec: ConnectionSpec;
  readonly status?: ConnectionStatus | undefined;
}

export const connectionKind: KindDefinition = {
  kind: 'Connection',
  plural: 'connections',
  scope: 'Cluster',
  categories: ['kbind'],
  description: 'A provider, and how to reach it.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.ready, columns.of('Secret', '.spec.kubeconfigSecretRef.name'), columns.age],
      schema: root(spec, status),
    },
  ],
};
