import { type Infer, s } from '@hawser/crd';
import { regularExpression, templateExpression } from './expressions.js';
import { labelSelector, labelSelectorShape } from './label-selector.js';
import { resourceMutationSpec } from './mutation.js';

// spec/api-syncagent.md §2.8.

export const relatedOrigins = ['service', 'kcp'] as const;
/** The side that holds the original of a related object. */
export type RelatedOrigin = (typeof relatedOrigins)[number];

const reference = s.object(
  { path: s.string({ description: 'gjson path in the published object.' }), regex: s.optional(regularExpression) },
  { description: 'A field of the published object says it, on either side.' },
);
export type RelatedReference = Infer<typeof reference>;

const rewrite = s.object(
  { regex: s.optional(regularExpression), template: s.optional(templateExpression) },
  { description: 'What each name that was found is called on the other side.' },
);
export type RelatedRewrite = Infer<typeof rewrite>;

const selector = s.object(
  { ...labelSelectorShape, rewrite },
  { description: 'Labels say it, on the side of the origin.' },
);
export type RelatedSelector = Infer<typeof selector>;

const objectSpecShape = {
  reference: s.optional(reference),
  selector: s.optional(selector),
  template: s.optional(templateExpression),
};

const objectSpec = s.object(objectSpecShape, {
  description: 'How to find the namespace; absent for that of the published object.',
});
/** How to find names: exactly one field is set. */
export type RelatedObjectSpec = Infer<typeof objectSpec>;

const object = s.object(
  { ...objectSpecShape, namespace: s.optional(objectSpec) },
  { description: 'How to find the objects.' },
);
export type RelatedObject = Infer<typeof object>;

const projection = s.object(
  {
    group: s.optional(s.string({ description: 'Other API group; empty keeps it.' })),
    version: s.optional(s.string({ description: 'Other version; empty keeps it.' })),
    resource: s.optional(s.string({ description: 'Other plural; empty keeps it.' })),
  },
  { description: 'What the resource is called on the other side.' },
);
export type RelatedProjection = Infer<typeof projection>;

const watch = s.invariant(
  s.object(
    {
      byOwner: s.optional(
        s.emptyObject({ description: 'Owner references of the related object lead to the published one.' }),
      ),
      bySelector: s.optional(labelSelector),
    },
    { description: 'Whose turn it is when a related object changes.' },
  ),
  'has(self.byOwner) != has(self.bySelector)',
  'exactly one of byOwner and bySelector must be set',
  ({ byOwner, bySelector }) => (byOwner !== undefined) !== (bySelector !== undefined),
);
export type RelatedWatch = Infer<typeof watch>;

const fields = s.object({
  identifier: s.string({ description: 'Name of this entry, unique in the PublishedResource.' }),
  origin: s.enumeration(relatedOrigins, { description: 'Which side is the original.' }),
  group: s.optional(s.string({ description: 'API group on the side of the origin; absent for the core API.' })),
  version: s.optional(s.string({ description: 'Version on the side of the origin.' })),
  resource: s.optional(s.string({ description: 'Plural on the side of the origin.' })),
  kind: s.optional(s.enumeration(['ConfigMap', 'Secret'], { description: 'Deprecated, use version and resource.' })),
  identityHash: s.optional(
    s.string({ description: 'Identity hash of the APIExport that provides the resource in kcp.' }),
  ),
  cleanup: s.optional(
    s.boolean({
      description:
        'Whether the copy in kcp goes with the published object, where the original is on the service cluster.',
    }),
  ),
  projection: s.optional(projection),
  object,
  mutation: s.optional(resourceMutationSpec),
  watch: s.optional(watch),
  syncStatus: s.optional(
    s.boolean({ description: 'Whether the status is carried from the original to the copy, too.' }),
  ),
});
export type RelatedResource = Infer<typeof fields>;

const has = (value: unknown): boolean => value !== undefined;

const rules: readonly (readonly [expression: string, message: string, holds: (self: RelatedResource) => boolean])[] = [
  [
    'has(self.kind) != (has(self.version) || has(self.resource))',
    'either kind must be set, or version and resource',
    ({ kind, version, resource }) => has(kind) !== (has(version) || has(resource)),
  ],
  [
    'has(self.resource) == has(self.version)',
    'resource and version must be set together',
    ({ version, resource }) => has(resource) === has(version),
  ],
  [
    '!has(self.group) || (has(self.resource) && has(self.version))',
    'a group needs version and resource',
    ({ group, version, resource }) => !has(group) || (has(resource) && has(version)),
  ],
  [
    '!has(self.identityHash) || (has(self.group) && has(self.version) && has(self.resource))',
    'an identityHash needs group, version and resource',
    ({ identityHash, group, version, resource }) => !has(identityHash) || (has(group) && has(version) && has(resource)),
  ],
  [
    "!(self.origin == 'service' && has(self.syncStatus) && self.syncStatus) || has(self.watch)",
    'syncStatus needs a watch where the origin is service',
    ({ origin, syncStatus, watch: watched }) => !(origin === 'service' && syncStatus === true) || has(watched),
  ],
];

export const relatedResource = rules.reduce(
  (schema, [expression, message, holds]) => s.invariant(schema, expression, message, holds),
  fields,
);
