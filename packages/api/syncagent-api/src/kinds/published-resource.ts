import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { labelSelector } from './label-selector.js';
import { resourceMutationSpec } from './mutation.js';
import { relatedResource } from './related-resource.js';
import { resourceProjection } from './resource-projection.js';
import { publishedResourceStatus, type PublishedResourceStatus } from './status.js';

// spec/api-syncagent.md §2.

const resource = s.object(
  {
    apiGroup: s.string({ description: 'API group on the service cluster; empty for the core API.' }),
    kind: s.string({ description: 'Kind on the service cluster.' }),
    versions: s.optional(s.array(s.string(), { description: 'Versions to publish; all if empty.' })),
    version: s.optional(s.string({ description: 'Deprecated, use versions: the one version to publish.' })),
  },
  { description: 'What is published.' },
);
export type SourceResource = Infer<typeof resource>;

const filter = s.object(
  { resource: s.optional(labelSelector), namespace: s.optional(labelSelector) },
  {
    description: 'Which objects in kcp are synchronised: by their own labels, and by those of their namespace in kcp.',
  },
);
export type ResourceFilter = Infer<typeof filter>;

const naming = s.object(
  {
    name: s.optional(s.string({ description: 'Go template for the name of a copy; empty for the default.' })),
    namespace: s.optional(
      s.string({ description: 'Go template for the namespace of a copy; empty for the default, the logical cluster.' }),
    ),
  },
  { description: 'What copies on the service cluster are called.' },
);
export type ResourceNaming = Infer<typeof naming>;

const synchronization = s.object(
  { enabled: s.boolean({ description: 'Whether objects are synchronised; if not, only the schema is published.' }) },
  { description: 'Switches the synchronisation of objects.' },
);
export type Synchronization = Infer<typeof synchronization>;

const spec = s.object({
  resource,
  filter: s.optional(filter),
  naming: s.optional(naming),
  enableWorkspacePaths: s.optional(
    s.boolean({ description: 'Whether templates and copies get the path of the workspace, too.' }),
  ),
  projection: s.optional(resourceProjection),
  mutation: s.optional(s.described('How objects are rewritten on their way.', resourceMutationSpec)),
  related: s.optional(
    s.array(relatedResource, {
      description: 'Further objects that belong to each published one, in the order in which they are carried.',
    }),
  ),
  synchronization: s.optional(synchronization),
});
export type PublishedResourceSpec = Infer<typeof spec>;

/** On the service cluster: one resource and how to publish it into kcp. Cluster-scoped. */
export interface PublishedResource extends KubeObject {
  readonly spec: PublishedResourceSpec;
  readonly status?: PublishedResourceStatus | undefined;
}

export const publishedResourceKind: KindDefinition<'v1alpha1'> = {
  kind: 'PublishedResource',
  plural: 'publishedresources',
  scope: 'Cluster',
  description: 'A resource of this cluster that is published into kcp.',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        columns.of('Group', '.spec.resource.apiGroup'),
        columns.of('Kind', '.spec.resource.kind'),
        columns.of('Phase', '.status.phase'),
        { name: 'Objects', type: 'integer', jsonPath: '.status.counts.objects' },
        { name: 'Failing', type: 'integer', jsonPath: '.status.counts.failing' },
        columns.of('Schema', '.status.resourceSchemaName', 1),
        columns.age,
      ],
      schema: root(spec, publishedResourceStatus),
    },
  ],
};
