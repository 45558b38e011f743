import { type Infer, s } from '@hawser/crd';

// spec/api-syncagent.md §2.8. Expressions that compute one value from another.

export const regularExpression = s.object({
  pattern: s.optional(s.string({ description: 'RE2 expression; empty for the whole value.' })),
  replacement: s.optional(s.string({ description: 'What stands in its place; $1 is the first group.' })),
});
export type RegularExpression = Infer<typeof regularExpression>;

export const templateExpression = s.object({ template: s.optional(s.string({ description: 'Go template.' })) });
export type TemplateExpression = Infer<typeof templateExpression>;
