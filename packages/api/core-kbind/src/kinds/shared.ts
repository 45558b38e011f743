import { type Infer, s } from '@hawser/crd';

/** The standard condition of Kubernetes (spec/kbind-v2.md §3.3). */
export const condition = s.object({
  lastTransitionTime: s.dateTime({ description: 'When the status was last another one.' }),
  message: s.string({ maxLength: 32768, description: 'The cause in words.' }),
  observedGeneration: s.optional(
    s.integer({ format: 'int64', minimum: 0, description: 'Generation of the object that this was found out about.' }),
  ),
  reason: s.string({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    description: 'One word for the cause.',
  }),
  status: s.enumeration(['True', 'False', 'Unknown'], { description: 'Whether the aspect holds.' }),
  type: s.string({
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    description: 'The aspect.',
  }),
});
export type Condition = Infer<typeof condition>;

export const conditions = s.array(condition, {
  listMapKeys: ['type'],
  description: 'The state of the object, one entry per aspect.',
});
