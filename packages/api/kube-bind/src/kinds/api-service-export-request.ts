import type { KubeObject } from '@hawser/client';
import { columns, type Infer, root, s } from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { exportedResource, namedNamespace, permissionClaim, requestPhases, schemaUpdatePolicies } from './shared.js';

const parameters = s.optional(s.immutable(s.freeObject({ description: 'Input for the provider.' })));
const resources = s.immutable(s.array(exportedResource, { minItems: 1, description: 'What is asked for.' }));

// A rule on an optional field says nothing when the field comes or goes.
const spec = s.settled(
  ['parameters', 'permissionClaims', 'namespaces'],
  s.object({
    parameters,
    resources,
    permissionClaims: s.optional(
      s.immutable(s.array(permissionClaim, { description: 'Further objects that take part.' })),
    ),
    namespaces: s.optional(
      s.immutable(s.array(namedNamespace, { description: 'Consumer namespaces to make at once.' })),
    ),
    schemaUpdatePolicy: s.optional(
      s.immutable(
        s.enumeration(schemaUpdatePolicies, {
          default: 'Never',
          description: 'Whether a changed schema reaches the consumer.',
        }),
      ),
    ),
  }),
);

const status = s.object(
  {
    phase: s.optional(s.enumeration(requestPhases, { default: 'Pending', description: 'Where the request stands.' })),
    terminalMessage: s.optional(s.string({ description: 'Why the phase was reached.' })),
    conditions: s.optional(conditions),
  },
  { default: {} },
);

export type APIServiceExportRequestSpec = Infer<typeof spec>;
export type APIServiceExportRequestStatus = Infer<typeof status>;

/** On the provider, in the cluster namespace: a consumer asks for an export (spec/kube-bind-api.md §6.4). */
export interface APIServiceExportRequest extends KubeObject {
  readonly spec: APIServiceExportRequestSpec;
  readonly status?: APIServiceExportRequestStatus | undefined;
}

const requestColumns = [columns.ready, columns.age];

export const apiServiceExportRequestKind: KindDefinition = {
  kind: 'APIServiceExportRequest',
  plural: 'apiserviceexportrequests',
  scope: 'Namespaced',
  category: 'kube-bindings',
  description: 'Asks for an export.',
  versions: [
    {
      name: 'v1alpha1',
      storage: false,
      columns: requestColumns,
      schema: root(s.settled(['parameters'], s.object({ parameters, resources })), status),
    },
    { name: 'v1alpha2', storage: true, columns: requestColumns, schema: root(spec, status) },
  ],
};
