import { expect, it } from '@jest/globals';
import { type JsonValue, clone } from '@hawser/json';
import { compileSchema, formatFieldError, type CompiledSchema } from '@hawser/schema';
import fc from 'fast-check';
import { compareDefinitions, definitionOf } from './index.js';
import { type Schema, cases } from './testing/schemas.js';
import { specOf } from './testing/pairs.js';

/** What is wrong with an object under a schema, and what of it would go. */
function faults(schema: CompiledSchema, object: JsonValue): readonly string[] {
  const { unknownFields, error } = schema.admit(object);
  return [
    ...unknownFields.map((path) => `loses ${path}`),
    ...(error === undefined ? [] : [error]).map(formatFieldError),
    ...schema.validate(object).map(formatFieldError),
  ];
}

const severityOf = (before: Schema, after: Schema): string =>
  compareDefinitions(definitionOf(specOf('Thing', before)), definitionOf(specOf('Thing', after))).severity;

it('a change that is called safe refuses no object that the old schema took, and drops nothing of it', () => {
  const tally = { safe: 0, others: 0, objects: 0, justified: 0 };
  fc.assert(
    fc.property(cases, ({ before, after, specs }) => {
      const severity = severityOf(before, after);
      const [was, is] = [compileSchema(before), compileSchema(after)];
      for (const spec of specs) {
        const object: JsonValue = { apiVersion: 'shop.example.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec };
        // What the API server would store.
        was.admit(object);
        if (was.validate(object).length > 0) continue;
        const found = faults(is, clone(object));
        if (severity === 'safe') {
          tally.objects += 1;
          expect(found).toEqual([]);
        } else if (found.length > 0) tally.justified += 1;
      }
      tally[severity === 'safe' ? 'safe' : 'others'] += 1;
    }),
    { numRuns: 1500, seed: 20_261_122 },
  );
  // Otherwise nothing would have been shown.
  expect(tally.safe).toBeGreaterThan(150);
  expect(tally.objects).toBeGreaterThan(300);
  expect(tally.justified).toBeGreaterThan(100);
});
