import type { KubeObject } from '@hawser/client';
import { columns, type Infer, type KindDefinition, root, s } from '@hawser/crd';
import { conditions } from './shared.js';

export const conflictPolicies = ['Fail', 'Adopt'] as const;
/** What to do when an object without an owner takes the name of a copy (spec/kbind-v2.md §17.3). */
export type ConflictPolicy = (typeof conflictPolicies)[number];
export const directions = ['FromProvider', 'FromConsumer'] as const;
/** The side that related objects come from. */
export type Direction = (typeof directions)[number];

const labelSelector = s.object(
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

const relatedResource = s.object({
  direction: s.enumeration(directions, { description: 'From which side the objects come.' }),
  // Required and defaulted on the wire: clients always find it.
  group: s.string({ default: '', description: 'API group; empty.' }),
  resource: s.enumeration(['secrets', 'configmaps'], { description: 'Plural name of the resource.' }),
  selector: s.optional(
    s.object(
      {
        labelSelector: s.optional(labelSelector),
        names: s.optional(s.array(s.string(), { set: true, description: 'Objects with these names.' })),
      },
      { description: 'Which objects: those that every part selects.' },
    ),
  ),
});
/** Secrets or ConfigMaps that travel with the objects of a binding. */
export type RelatedResource = Infer<typeof relatedResource>;

const spec = s.object({
  apis: s.array(s.object({ name: s.string({ minLength: 1, description: 'Plural name and group: plural.group.' }) }), {
    minItems: 1,
    description: 'The APIs that are kept in step.',
  }),
  conflictPolicy: s.optional(
    s.enumeration(conflictPolicies, {
      default: 'Fail',
      description: 'What is done where an object that nobody owns stands in the place of a copy.',
    }),
  ),
  connectionRef: s.object(
    { name: s.string({ minLength: 1, description: 'Name of the Connection.' }) },
    { description: 'The provider.' },
  ),
  relatedResources: s.optional(
    s.array(relatedResource, { atomic: true, description: 'Secrets and ConfigMaps that travel with the objects.' }),
  ),
});

const boundAPI = s.object({
  conflictCount: s.optional(s.integer({ format: 'int32', description: 'Objects that are not synced for a conflict.' })),
  crdHash: s.optional(s.string({ description: 'Hash of the schema.' })),
  name: s.string({ description: 'Plural name and group: plural.group.' }),
});
/** State of one API of a binding. */
export type BoundAPI = Infer<typeof boundAPI>;

const status = s.object({
  boundAPIs: s.optional(s.array(boundAPI, { atomic: true, description: 'How each API stands.' })),
  conditions: s.optional(conditions),
});

export type BindingSpec = Infer<typeof spec>;
export type BindingStatus = Infer<typeof status>;

/**
 * On the consumer: binds APIs of a provider, for one namespace (Binding) or the whole cluster (ClusterBinding); see
 * spec/kbind-v2.md §3.2.
 */
export interface Binding extends KubeObject {
  readonly spec: BindingSpec;
  readonly status?: BindingStatus | undefined;
}

const common = {
  categories: ['kbind'],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [columns.of('Connection', '.spec.connectionRef.name'), columns.ready, columns.age],
      schema: root(spec, status),
    },
  ],
} as const;

export const clusterBindingKind: KindDefinition = {
  kind: 'ClusterBinding',
  plural: 'clusterbindings',
  scope: 'Cluster',
  description: 'APIs of a provider, for all of this cluster.',
  ...common,
};

export const bindingKind: KindDefinition = {
  kind: 'Binding',
  plural: 'bindings',
  scope: 'Namespaced',
  description: 'APIs of a provider, for one namespace.',
  ...common,
};

/** The Connection that a binding names. Tolerates every spec that the CRD lets through. */
export function connectionNamed({ spec }: Binding): string | undefined {
  return (spec as Partial<BindingSpec> | undefined)?.connectionRef?.name;
}
