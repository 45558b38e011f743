import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { clusterSecretKeyRef, conditions, groupResourceShape } from './shared.js';

const spec = s.object({
  kubeconfigSecretRef: s.described('How to reach the app cluster.', clusterSecretKeyRef),
  apiExports: s.optional(s.array(s.object(groupResourceShape), { description: 'What to bind.' })),
  konnector: s.optional(s.object({ deploy: s.optional(s.boolean()), overrides: s.optional(s.freeObject()) })),
});
const status = s.object({ conditions: s.optional(conditions) });

/** On the control plane: an app cluster; a konnector that runs here brings APIs into it. */
export interface AppClusterBinding extends KubeObject {
  readonly spec: Infer<typeof spec>;
  readonly status?: Infer<typeof status> | undefined;
}

export const appClusterBindingKind: KindDefinition = {
  kind: 'AppClusterBinding',
  plural: 'appclusterbindings',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'An app cluster that is served from here.',
  versions: [{ name: 'v1alpha1', storage: true, columns: [columns.ready, columns.age], schema: root(spec, status) }],
};
