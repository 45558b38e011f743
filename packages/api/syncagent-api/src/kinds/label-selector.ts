import { type Infer, s } from '@hawser/crd';

/** The fields of a label selector. */
export const labelSelectorShape = {
  matchExpressions: s.optional(
    s.array(
      s.object({ key: s.string(), operator: s.string(), values: s.optional(s.array(s.string(), { atomic: true })) }),
      { atomic: true, description: 'Requirements, all of which must hold.' },
    ),
  ),
  matchLabels: s.optional(s.map(s.string(), { description: 'Labels with their values, all of which must be there.' })),
};

export const labelSelector = s.object(labelSelectorShape, {
  atomic: true,
  description: 'Objects with these labels; an empty selector matches all.',
});
export type LabelSelector = Infer<typeof labelSelector>;
