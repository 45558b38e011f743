import { type Infer, resourceScopes, s } from '@hawser/crd';

// spec/api-syncagent.md §2.7.

const names = (what: string) =>
  s.nullAsAbsent(
    s.array(s.string(), {
      description: `The ${what} in kcp; absent keeps those of the resource, an empty list leaves none.`,
    }),
  );

export const resourceProjection = s.object(
  {
    group: s.optional(s.string({ description: 'API group in kcp; empty keeps it.' })),
    version: s.optional(
      s.string({ description: 'Deprecated, use versions: name in kcp of the one version that is published.' }),
    ),
    versions: s.optional(
      s.map(s.string(), { description: 'Names of versions in kcp, by their names on the service cluster.' }),
    ),
    scope: s.optional(s.enumeration(resourceScopes, { description: 'Whether objects stand in namespaces in kcp.' })),
    kind: s.optional(s.string({ description: 'Kind in kcp; list kind, singular and plural follow it.' })),
    plural: s.optional(s.string({ description: 'Plural in kcp.' })),
    shortNames: s.optional(names('short names')),
    categories: s.optional(names('categories')),
  },
  { description: 'What the resource is called in kcp.' },
);
export type ResourceProjection = Infer<typeof resourceProjection>;
