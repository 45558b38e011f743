import type { KubeObject } from '@hawser/client';
import { columns, type Infer, root, s } from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';

const spec = s.emptyObject({ description: 'Empty.' });
const status = s.object({ conditions: s.optional(conditions) });

/** On the provider, named `default`: the provider cluster itself (spec/kube-bind-api.md §6.9). */
export interface Cluster extends KubeObject {
  readonly spec: Infer<typeof spec>;
  readonly status?: Infer<typeof status> | undefined;
}

export const clusterKind: KindDefinition = {
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Cluster',
  category: 'kube-bind',
  description: 'The provider cluster itself.',
  versions: [{ name: 'v1alpha2', storage: true, columns: [columns.ready], schema: root(spec, status) }],
};
