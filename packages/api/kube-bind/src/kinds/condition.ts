import { s, type Infer } from '@hawser/crd';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** Severity of a False condition. Absent (or empty) on every other. */
export type ConditionSeverity = 'Error' | 'Warning' | 'Info';

/** An element of `status.conditions` (spec/kube-bind-api.md §5.7), with the fields in the order in which the peers write them. */
export const condition = s.object({
  type: s.string({ description: 'Type of the condition.' }),
  status: s.stringOf<ConditionStatus>({ description: 'True, False or Unknown.' }),
  severity: s.optional(
    s.stringOf<ConditionSeverity | ''>({
      description: 'How bad it is when the status is False: Error, Warning, Info or empty.',
    }),
  ),
  lastTransitionTime: s.dateTime({ description: 'When the condition was last in another state.' }),
  reason: s.optional(s.string({ description: 'One word for the cause.' })),
  message: s.optional(s.string({ description: 'The cause in words.' })),
});

export type Condition = Infer<typeof condition>;

export const conditions = s.array(condition, { description: 'The state of the object, one entry per aspect.' });
