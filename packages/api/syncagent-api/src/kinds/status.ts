import { type Infer, s } from '@hawser/crd';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** The standard condition of Kubernetes. */
export const condition = s.object({
  type: s.string({ description: 'Type of the condition.' }),
  status: s.stringOf<ConditionStatus>({ description: 'True, False or Unknown.' }),
  observedGeneration: s.optional(
    s.integer({ format: 'int64', minimum: 0, description: 'Generation that the condition was found at.' }),
  ),
  lastTransitionTime: s.dateTime({ description: 'When the status last changed.' }),
  reason: s.string({ description: 'One word for the cause.' }),
  message: s.string({ description: 'The cause in words, who must act, and what to do.' }),
});
export type Condition = Infer<typeof condition>;

/**
 * State of a publication. `Pending`: its schema is not in kcp yet. `Held`: a changed schema awaits approval.
 * `Published`: the schema is in the export, and objects are not synced, because sync is off or no workspace has bound
 * it. `Syncing`: objects are synced. `Draining`: it is ending. `Failed`: it cannot go on, see the conditions.
 */
export const phases = ['Pending', 'Held', 'Published', 'Syncing', 'Draining', 'Failed'] as const;
export type Phase = (typeof phases)[number];

const count = (description: string) => s.optional(s.integer({ format: 'int64', minimum: 0, description }));

const counts = s.object(
  {
    objects: count('Published objects in all workspaces.'),
    workspaces: count('Workspaces that have bound the resource.'),
    failing: count('Objects that are not in step because of an error.'),
  },
  { description: 'How much is published.' },
);
export type Counts = Infer<typeof counts>;

const lastError = s.object(
  {
    reason: s.string({ description: 'One word for the cause.' }),
    message: s.string({ description: 'The cause in words, who must act, and what to do.' }),
    time: s.optional(s.dateTime({ description: 'When it was first seen.' })),
  },
  { description: 'The last thing that failed, until it works again.' },
);
export type LastError = Infer<typeof lastError>;

/** spec/api-syncagent.md §2.10 has the first field; all others are Hawser's own. */
export const publishedResourceStatus = s.object({
  resourceSchemaName: s.optional(s.string({ description: 'Name of the APIResourceSchema in kcp.' })),
  observedGeneration: s.optional(
    s.integer({ format: 'int64', minimum: 0, description: 'Generation that this status is about.' }),
  ),
  phase: s.optional(s.stringOf<Phase>({ description: `Where the publication stands: ${phases.join(', ')}.` })),
  counts: s.optional(counts),
  lastError: s.optional(lastError),
  conditions: s.optional(
    s.array(condition, { listMapKeys: ['type'], description: 'The state of the publication, one entry per aspect.' }),
  ),
});
export type PublishedResourceStatus = Infer<typeof publishedResourceStatus>;
