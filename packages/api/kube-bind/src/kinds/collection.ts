import type { KubeObject } from '@hawser/client';
import { columns, type Infer, root, s } from '@hawser/crd';
import { conditions } from './condition.js';
import type { KindDefinition } from './kind.js';

const spec = s.object({
  description: s.optional(s.string({ description: 'What the templates have in common.' })),
  templates: s.array(s.object({ name: s.string({ description: 'Name of a template.' }) }), { minItems: 1 }),
});
const status = s.object({ conditions: s.optional(conditions) });

export type CollectionSpec = Infer<typeof spec>;

/** On the provider: a group of templates (spec/kube-bind-api.md §6.10). */
export interface Collection extends KubeObject {
  readonly spec: CollectionSpec;
  readonly status?: Infer<typeof status> | undefined;
}

export const collectionKind: KindDefinition = {
  kind: 'Collection',
  plural: 'collections',
  scope: 'Cluster',
  category: 'kube-bind',
  description: 'Templates that belong together.',
  versions: [
    {
      name: 'v1alpha2',
      storage: true,
      columns: [
        columns.of('Description', '.spec.description'),
        columns.of('Templates', '.spec.templates[*].name'),
        columns.age,
      ],
      schema: root(spec, status),
    },
  ],
};
