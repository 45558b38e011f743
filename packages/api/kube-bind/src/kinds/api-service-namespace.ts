import type { KubeObject } from '@hawser/client';
import { columns, type Infer, rootWithOptionalSpec, s } from '@hawser/crd';
import type { KindDefinition, KindVersion } from './kind.js';

const spec = s.emptyObject({ description: 'Empty.' });
const status = s.object({
  namespace: s.optional(
    s.string({ description: 'The service namespace on the provider; absent until it is assigned.' }),
  ),
});

export type APIServiceNamespaceStatus = Infer<typeof status>;

/** On the provider: pairs the consumer namespace of its name with a service namespace (spec/kube-bind-api.md §6.6). */
export interface APIServiceNamespace extends KubeObject {
  readonly spec?: Infer<typeof spec> | undefined;
  readonly status?: APIServiceNamespaceStatus | undefined;
}

const version = (name: KindVersion['name'], storage: boolean): KindVersion => ({
  name,
  storage,
  columns: [columns.of('Namespace', '.status.namespace'), columns.age],
  schema: rootWithOptionalSpec(spec, status),
});

export const apiServiceNamespaceKind: KindDefinition = {
  kind: 'APIServiceNamespace',
  plural: 'apiservicenamespaces',
  scope: 'Namespaced',
  category: 'kube-bindings',
  description: 'Pairs the consumer namespace of its name with a service namespace.',
  versions: [version('v1alpha1', false), version('v1alpha2', true)],
};
