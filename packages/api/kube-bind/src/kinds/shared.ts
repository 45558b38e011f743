import { s, type Infer } from '@hawser/crd';

// spec/kube-bind-api.md §5. Building blocks of several kinds.

const groupPattern = '^(|[a-z0-9]([-a-z0-9]*[a-z0-9](\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?)$';
const resourcePattern = '^[a-z][-a-z0-9]*[a-z0-9]$';

export const informerScopes = ['Cluster', 'Namespaced'] as const;
/** How widely the konnector may watch on the provider. */
export type InformerScope = (typeof informerScopes)[number];

export const isolations = ['Prefixed', 'Namespaced', 'None'] as const;
/** How the provider separates cluster-scoped objects of several consumers. */
export type Isolation = (typeof isolations)[number];

export const schemaUpdatePolicies = ['Never', 'Always'] as const;
/** Whether a changed provider schema reaches the consumer. */
export type SchemaUpdatePolicy = (typeof schemaUpdatePolicies)[number];

/** Phase of a request. */
export const requestPhases = ['Pending', 'Failed', 'Succeeded'] as const;
export type RequestPhase = (typeof requestPhases)[number];

const groupResourceShape = {
  group: s.optional(
    s.string({ default: '', pattern: groupPattern, description: 'API group; empty for the core API.' }),
  ),
  resource: s.string({ pattern: resourcePattern, description: 'Plural name of the resource.' }),
};

export const groupResource = s.object(groupResourceShape);
export type GroupResource = Infer<typeof groupResource>;

/** An exported resource; `versions` as in the request. */
export const exportedResource = s.object({
  ...groupResourceShape,
  versions: s.optional(s.array(s.string(), { description: 'Versions to export.' })),
});
export type ExportedResource = Infer<typeof exportedResource>;

export const labelSelector = s.object(
  {
    matchExpressions: s.optional(
      s.array(
        s.object({
          key: s.string(),
          operator: s.string(),
          values: s.optional(s.array(s.string(), { atomic: true })),
        }),
        { atomic: true },
      ),
    ),
    matchLabels: s.optional(s.map(s.string())),
  },
  { atomic: true, description: 'Objects with these labels.' },
);
export type LabelSelector = Infer<typeof labelSelector>;

export const selectorReference = s.object({
  ...groupResourceShape,
  versions: s.optional(s.array(s.string(), { description: 'Versions to look at; those of the export if absent.' })),
  jsonPath: s.object(
    {
      name: s.optional(s.string({ description: 'Where the name of the claimed object stands.' })),
      namespace: s.optional(s.string({ description: 'Where the namespace of the claimed object stands.' })),
    },
    { description: 'Dotted paths into the referencing object; `#` stands for every element of a list.' },
  ),
});
export type SelectorReference = Infer<typeof selectorReference>;

/** Claimed objects. The three parts are OR-ed; three empty parts select nothing. */
export const claimSelector = s.object(
  {
    labelSelector: s.optional(labelSelector),
    namedResources: s.optional(
      s.array(
        s.object({
          name: s.string(),
          namespace: s.optional(s.string({ description: 'Empty for the name in every namespace.' })),
        }),
        { description: 'Objects with these names.' },
      ),
    ),
    references: s.optional(
      s.array(selectorReference, { description: 'Objects that are referenced from other objects.' }),
    ),
  },
  { description: 'Which objects. An object is selected if any of the parts selects it.' },
);
export type ClaimSelector = Infer<typeof claimSelector>;

export const permissionClaim = s.object({ ...groupResourceShape, selector: claimSelector });
export type PermissionClaim = Infer<typeof permissionClaim>;

export const namedNamespace = s.object({ name: s.string({ description: 'Name of the consumer namespace.' }) });

const nameOf = (what: string) => s.string({ minLength: 1, description: `Name of the ${what}.` });

/** A key of a Secret in the object's own namespace. */
export const localSecretKeyRef = s.object({
  name: nameOf('secret'),
  key: s.string({ description: 'Key in the secret.' }),
});
export type LocalSecretKeyRef = Infer<typeof localSecretKeyRef>;

/** A key of a Secret somewhere in the cluster. */
export const clusterSecretKeyRef = s.object({
  name: nameOf('secret'),
  key: s.string({ description: 'Key in the secret.' }),
  namespace: nameOf('namespace of the secret'),
});
export type ClusterSecretKeyRef = Infer<typeof clusterSecretKeyRef>;

/** The same in v1alpha1, where the key is fixed. */
export const v1alpha1LocalSecretKeyRef = s.object({
  name: nameOf('secret'),
  key: s.enumeration(['kubeconfig'], { description: 'Key in the secret.' }),
});
export const v1alpha1ClusterSecretKeyRef = s.object({
  name: nameOf('secret'),
  key: s.enumeration(['kubeconfig'], { description: 'Key in the secret.' }),
  namespace: nameOf('namespace of the secret'),
});

/** A whole Secret. */
export const localSecretRef = s.object({ name: nameOf('secret'), namespace: nameOf('namespace of the secret') });
export type LocalSecretRef = Infer<typeof localSecretRef>;
