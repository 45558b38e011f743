import { columns, type Infer, resourceScopes, root, s } from '@hawser/crd';
import type { KubeObject } from '@hawser/client';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { exportedResource, namedNamespace, permissionClaim, schemaUpdatePolicies } from './shared.js';

const spec = s.object({
  description: s.optional(s.string({ description: 'What a consumer gets.' })),
  scope: s.enumeration(resourceScopes, { description: 'Scope of the exported resources.' }),
  resources: s.array(exportedResource, { minItems: 1, description: 'What is exported.' }),
  permissionClaims: s.optional(s.array(permissionClaim, { description: 'Further objects that take part.' })),
  namespaces: s.optional(s.array(namedNamespace, { description: 'Consumer namespaces to make at once.' })),
  schemaUpdatePolicy: s.optional(
    s.enumeration(schemaUpdatePolicies, {
      default: 'Never',
      description: 'Whether a changed schema reaches the consumer, for future requests.',
    }),
  ),
});

const status = s.object({ conditions: s.optional(conditions) });

export type APIServiceExportTemplateSpec = Infer<typeof spec>;

/** On the provider: an offer for consumers to choose (spec/kube-bind-api.md §6.5). */
export interface APIServiceExportTemplate extends KubeObject {
  readonly spec: APIServiceExportTemplateSpec;
  readonly status?: Infer<typeof status> | undefined;
}

export const apiServiceExportTemplateKind: KindDefinition = {
  kind: 'APIServiceExportTemplate',
  plural: 'apiserviceexporttemplates',
  scope: 'Cluster',
  category: 'kube-bind',
  description: 'What consumers may choose from.',
  versions: [
    {
      name: 'v1alpha2',
      storage: true,
      columns: [
        columns.of('Resources', '.spec.resources[*].group'),
        columns.of('PermissionClaims', '.spec.permissionClaims[*].resource'),
        columns.age,
      ],
      schema: root(spec, status),
    },
  ],
};
