import type { KubeObject } from '@hawser/client';
import {
  columns,
  crdNames,
  crdScope,
  crdVersionHead,
  crdVersionTail,
  type Infer,
  rawSchema,
  rootWithOptionalSpec,
  s,
} from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';
import { informerScopes } from './shared.js';

const conversion = s.invariant(
  s.object({
    strategy: s.optional(s.enumeration(['None', 'Webhook'], { description: 'How versions are converted.' })),
    webhook: s.optional(
      s.object({
        clientConfig: s.optional(
          s.object({
            url: s.optional(s.string({ format: 'uri', description: 'Where the webhook answers.' })),
            caBundle: s.optional(
              s.string({ format: 'byte', description: 'CA certificates of the webhook, PEM in base64.' }),
            ),
          }),
        ),
        conversionReviewVersions: s.optional(s.array(s.string(), { atomic: true })),
      }),
    ),
  }),
  "(self.strategy == 'None' && !has(self.webhook)) || (self.strategy == 'Webhook' && has(self.webhook))",
  'webhook must be given with strategy Webhook, and only then',
  (self) =>
    (self.strategy === 'None' && self.webhook === undefined) ||
    (self.strategy === 'Webhook' && self.webhook !== undefined),
);

const version = s.object({
  ...crdVersionHead,
  schema: s.described('An OpenAPI v3 schema, bare or under openAPIV3Schema.', rawSchema),
  ...crdVersionTail,
});

const spec = s.object({
  informerScope: s.enumeration(informerScopes, { description: 'How the konnector may watch.' }),
  group: s.string({ description: 'API group of the resource.' }),
  names: crdNames,
  scope: crdScope,
  versions: s.array(version, { minItems: 1, listMapKeys: ['name'] }),
  conversion: s.optional(conversion),
});

const status = s.object({
  acceptedNames: s.optional(crdNames),
  storedVersions: s.optional(s.array(s.string())),
  conditions: s.optional(conditions),
  instantiations: s.optional(s.integer({ description: 'Not written.' })),
});

/** The spec of a BoundSchema: a CRD as offered to one consumer. */
export type BoundSchemaSpec = Infer<typeof spec>;
export type BoundSchemaVersion = Infer<typeof version>;
export type BoundSchemaConversion = Infer<typeof conversion>;
export type BoundSchemaStatus = Infer<typeof status>;

/** On the provider, in the cluster namespace: the CRD as offered to one consumer (spec/kube-bind-api.md §6.7). */
export interface BoundSchema extends KubeObject {
  readonly spec?: BoundSchemaSpec | undefined;
  readonly status?: BoundSchemaStatus | undefined;
}

/** The schema of the spec, for decoding. */
export const boundSchemaSpec = spec;

export const boundSchemaKind: KindDefinition = {
  kind: 'BoundSchema',
  plural: 'boundschemas',
  scope: 'Namespaced',
  shortNames: ['bs'],
  category: 'kube-bindings',
  description: 'A CRD as it is offered to one consumer.',
  versions: [{ name: 'v1alpha2', storage: true, columns: [columns.age], schema: rootWithOptionalSpec(spec, status) }],
};
