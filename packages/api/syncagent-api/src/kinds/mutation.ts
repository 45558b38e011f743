import { type Infer, s } from '@hawser/crd';

// spec/api-syncagent.md §2.6.

const path = s.string({ description: 'Where in the object, as gjson path.' });

export const resourceMutation = s.object(
  {
    delete: s.optional(s.object({ path }, { description: 'Removes the field.' })),
    regex: s.optional(
      s.object(
        {
          path,
          pattern: s.optional(s.string({ description: 'RE2 expression; empty for the whole value.' })),
          replacement: s.optional(s.string({ description: 'What stands in its place; $1 is the first group.' })),
        },
        { description: 'Replaces what an expression matches.' },
      ),
    ),
    template: s.optional(
      s.object(
        { path, template: s.string({ description: 'Go template.' }) },
        { description: 'Replaces the value by what a template gives.' },
      ),
    ),
    cel: s.optional(
      s.object(
        { path, expression: s.string({ description: 'CEL expression.' }) },
        { description: 'Replaces the value by that of an expression.' },
      ),
    ),
  },
  { description: 'One step; exactly one of the fields is set.' },
);
export type ResourceMutation = Infer<typeof resourceMutation>;

export const resourceMutationSpec = s.object({
  spec: s.optional(
    s.array(resourceMutation, { description: 'Steps on everything but the status, on its way to the copy.' }),
  ),
  status: s.optional(s.array(resourceMutation, { description: 'Steps on the status, on its way back.' })),
});
export type ResourceMutationSpec = Infer<typeof resourceMutationSpec>;
