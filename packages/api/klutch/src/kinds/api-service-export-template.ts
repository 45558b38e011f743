import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { groupResourceShape, permissionClaim } from './shared.js';

const spec = s.object({
  // In capitals on the wire, unlike every other field.
  APIServiceSelector: s.object(
    { ...groupResourceShape, version: s.optional(s.string({ description: 'Not acted upon.' })) },
    { description: 'The one resource that is offered.' },
  ),
  permissionClaims: s.optional(s.array(permissionClaim, { description: 'Copied into exports when they are made.' })),
});

/** In any namespace of the provider's catalogue: one offered resource. */
export interface APIServiceExportTemplate extends KubeObject {
  readonly spec: Infer<typeof spec>;
}

export const apiServiceExportTemplateKind: KindDefinition = {
  kind: 'APIServiceExportTemplate',
  plural: 'apiserviceexporttemplates',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'One resource that is offered.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.of('Resource', '.spec.APIServiceSelector.resource'), columns.age],
      hasStatus: false,
      schema: root(spec, s.emptyObject()),
    },
  ],
};
