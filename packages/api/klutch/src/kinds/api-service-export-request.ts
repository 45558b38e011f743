import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { conditions, groupResourceShape, permissionClaim } from './shared.js';

const spec = s.object({
  parameters: s.optional(s.freeObject({ description: 'Not acted upon.' })),
  resources: s.array(
    s.object({
      ...groupResourceShape,
      versions: s.optional(s.array(s.string(), { description: 'Not acted upon: every served version is exported.' })),
      permissionClaims: s.optional(
        s.array(permissionClaim, { description: 'Not acted upon: the claims are those of the template.' }),
      ),
    }),
    { minItems: 1, description: 'What is asked for.' },
  ),
});
const status = s.object(
  {
    phase: s.optional(
      s.enumeration(['Pending', 'Failed', 'Succeeded'], {
        default: 'Pending',
        description: 'Where the request stands.',
      }),
    ),
    terminalMessage: s.optional(s.string({ description: 'Why the phase was reached.' })),
    conditions: s.optional(conditions),
  },
  { default: {} },
);

export type APIServiceExportRequestStatus = Infer<typeof status>;

/** On the provider, in the cluster namespace: a consumer asks for exports, one for each resource. */
export interface APIServiceExportRequest extends KubeObject {
  readonly spec: Infer<typeof spec>;
  readonly status?: APIServiceExportRequestStatus | undefined;
}

export const apiServiceExportRequestKind: KindDefinition = {
  kind: 'APIServiceExportRequest',
  plural: 'apiserviceexportrequests',
  scope: 'Namespaced',
  categories: ['kube-bindings'],
  description: 'Asks for exports.',
  versions: [{ name: 'v1alpha1', storage: true, columns: [columns.ready, columns.age], schema: root(spec, status) }],
};
