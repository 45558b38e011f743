import { s, type Infer } from './schema/index.js';
import { resourceScopes } from './scopes.js';

// Parts of a CustomResourceDefinition that objects of other kinds carry, too.

export const crdNames = s.object({
  plural: s.string(),
  singular: s.optional(s.string()),
  shortNames: s.optional(s.array(s.string(), { atomic: true })),
  kind: s.string(),
  listKind: s.optional(s.string()),
  categories: s.optional(s.array(s.string(), { atomic: true })),
});
export type CRDNames = Infer<typeof crdNames>;

export const crdScope = s.enumeration(resourceScopes, { description: 'Whether objects stand in namespaces.' });

/** Valid names of versions. */
export const versionPattern = '^v[1-9][0-9]*([a-z]+[1-9][0-9]*)?$';

export const printerColumn = s.object({
  name: s.string(),
  type: s.string(),
  format: s.optional(s.string()),
  description: s.optional(s.string()),
  priority: s.optional(s.integer({ format: 'int32' })),
  jsonPath: s.string(),
});
export type CRDPrinterColumn = Infer<typeof printerColumn>;

export const crdSubresources = s.object({
  status: s.optional(s.emptyObject()),
  scale: s.optional(
    s.object({
      specReplicasPath: s.string(),
      statusReplicasPath: s.string(),
      labelSelectorPath: s.optional(s.string()),
    }),
  ),
});
export type CRDSubresources = Infer<typeof crdSubresources>;

/** Fields of a version besides its schema. */
export const crdVersionHead = {
  name: s.string({ minLength: 1, pattern: versionPattern }),
  served: s.boolean({ default: true }),
  storage: s.boolean(),
  deprecated: s.optional(s.boolean()),
  deprecationWarning: s.optional(s.string()),
};

export const crdVersionTail = {
  subresources: s.optional(crdSubresources),
  additionalPrinterColumns: s.optional(s.array(printerColumn, { listMapKeys: ['name'] })),
};

/** An OpenAPI v3 schema, kept unchanged. */
export const rawSchema = s.freeObject({ atomic: true });
