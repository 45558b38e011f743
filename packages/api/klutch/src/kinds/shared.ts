import { type Infer, s } from '@hawser/crd';

const groupPattern = '^(|[a-z0-9]([-a-z0-9]*[a-z0-9](\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)$';
const resourcePattern = '^[a-z][-a-z0-9]*[a-z0-9]$';

export const groupResourceShape = {
  group: s.optional(
    s.string({ default: '', pattern: groupPattern, description: 'API group; empty for the core API.' }),
  ),
  resource: s.string({ pattern: resourcePattern, description: 'Plural name of the resource.' }),
};

export const condition = s.object({
  type: s.string(),
  status: s.stringOf<'True' | 'False' | 'Unknown'>(),
  severity: s.optional(s.stringOf<'Error' | 'Warning' | 'Info' | ''>()),
  lastTransitionTime: s.dateTime(),
  reason: s.optional(s.string()),
  message: s.optional(s.string()),
});
export const conditions = s.array(condition, { description: 'The state of the object, one entry per aspect.' });

export const owners = ['Provider', 'Consumer'] as const;
/** The side that decides over a claimed object. */
export type ResourceOwner = (typeof owners)[number];

/**
 * A claim in Klutch. Only its selector options have an effect (spec/klutch.md §4); the others are kept to lose nothing
 * of an existing object.
 */
export const permissionClaimShape = {
  ...groupResourceShape,
  version: s.optional(s.string({ description: 'Version of the resource.' })),
  selector: s.optional(
    s.object({
      names: s.optional(s.array(s.string(), { description: 'Names; `*` stands for all.' })),
      namespaces: s.optional(s.array(s.string(), { description: 'Namespaces; `*` stands for all.' })),
      labelSelectors: s.optional(s.array(s.map(s.string()), { description: 'Not acted upon.' })),
      fieldSelectors: s.optional(s.array(s.string(), { description: 'Not acted upon.' })),
      owner: s.optional(s.enumeration(owners, { description: 'Who has the say over the objects.' })),
    }),
  ),
  required: s.optional(s.boolean()),
  autoAdopt: s.optional(s.boolean()),
  autoDonate: s.optional(s.boolean()),
  read: s.optional(s.freeObject()),
  create: s.optional(s.freeObject()),
  update: s.optional(s.freeObject()),
  onConflict: s.optional(s.freeObject()),
};
export const permissionClaim = s.object(permissionClaimShape);
export type PermissionClaim = Infer<typeof permissionClaim>;

/** A key of a Secret. */
export const secretKeyRef = s.object({ name: s.string({ minLength: 1 }), key: s.string() });
export const clusterSecretKeyRef = s.object({
  name: s.string({ minLength: 1 }),
  key: s.string(),
  namespace: s.string({ minLength: 1 }),
});
