import type { KubeObject } from '@hawser/client';
import { columns, type Infer, root, s } from '@hawser/crd';
import type { KindDefinition } from './kind.js';
import { localSecretKeyRef, requestPhases } from './shared.js';

/** The condition type of Kubernetes itself, which only this kind uses. */
const standardCondition = s.object({
  type: s.string({
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  }),
  status: s.enumeration(['True', 'False', 'Unknown']),
  observedGeneration: s.optional(s.integer({ format: 'int64', minimum: 0 })),
  lastTransitionTime: s.dateTime(),
  reason: s.string({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }),
  message: s.string({ maxLength: 32768 }),
});

const spec = s.object({
  templateRef: s.optional(s.object({ name: s.string({ description: 'Name of the template.' }) })),
  clusterIdentity: s.object({
    identity: s.optional(s.string({ description: 'Stable identity of the consumer cluster.' })),
    prettyName: s.optional(s.string({ description: 'Its name for people.' })),
  }),
  author: s.string({ description: 'Who asked.' }),
  kubeconfigSecretRef: s.optional(s.described('Where the answer is to be stored.', localSecretKeyRef)),
  ttlAfterFinished: s.optional(
    s.string({ description: 'Delete the request this long after it finished, as a Go duration.' }),
  ),
});

const status = s.object(
  {
    phase: s.optional(s.enumeration(requestPhases, { default: 'Pending', description: 'Where the request stands.' })),
    namespace: s.optional(s.string({ description: 'The cluster namespace that was assigned.' })),
    kubeconfigSecretRef: s.optional(s.described('Where the answer was stored.', localSecretKeyRef)),
    completionTime: s.optional(s.dateTime({ description: 'When it finished.' })),
    conditions: s.optional(s.array(standardCondition)),
  },
  { default: {} },
);

export type StandardCondition = Infer<typeof standardCondition>;
export type BindableResourcesRequestSpec = Infer<typeof spec>;
export type BindableResourcesRequestStatus = Infer<typeof status>;

/** On the provider: bind a template for a consumer without the HTTP flow (spec/kube-bind-api.md §6.11). */
export interface BindableResourcesRequest extends KubeObject {
  readonly spec: BindableResourcesRequestSpec;
  readonly status?: BindableResourcesRequestStatus | undefined;
}

export const bindableResourcesRequestKind: KindDefinition = {
  kind: 'BindableResourcesRequest',
  plural: 'bindableresourcesrequests',
  scope: 'Namespaced',
  category: 'kube-bindings',
  description: 'Asks to bind a template for a consumer.',
  versions: [
    {
      name: 'v1alpha2',
      storage: true,
      columns: [columns.of('Template', '.spec.templateRef.name'), columns.of('Phase', '.status.phase'), columns.age],
      schema: root(spec, status),
    },
  ],
};
