import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@hawser/json';
import { describeWithControlPlane, sharedControlPlane, uniqueGroup } from '@hawser/testenv';
import { RealServer, causesOf } from '../testing/real-server.js';
import { type RuleCase, schemaOfCases, specOf } from '../testing/rule-case.js';
import { ruleCases } from '../testing/rule-cases.js';
import { compileRules } from './rule-set.js';

/** What is tried on a CRD: the rules of all its cases at once. */
interface Trial {
  readonly spec: Record<string, JsonValue>;
  /** On an update: the name of the stored object, and what it is. */
  readonly stored?: { readonly name: string; readonly spec: Record<string, JsonValue> };
}

const trialsOf = (cases: readonly RuleCase[]): (readonly [title: string, trial: Trial])[] =>
  cases.flatMap(({ title, values, updates = [] }, caseIndex) => {
    const spec = (value: JsonValue): Record<string, JsonValue> => specOf(cases, caseIndex, value);
    const text = (value: JsonValue): string =>
      JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));
    return [
      ...values.map((value): readonly [string, Trial] => [`${title}: ${text(value)}`, { spec: spec(value) }]),
      ...updates.map(([from, to], index): readonly [string, Trial] => [
        `${title}: ${text(from)} becomes ${text(to)}`,
        { spec: spec(to), stored: { name: `c${caseIndex}-${index}`, spec: spec(from) } },
      ]),
    ];
  });

describeWithControlPlane('rules, beside those of a real API server', () => {
  describe.each(ruleCases.map((cases) => [cases]))('%#', (cases) => {
    const schema = schemaOfCases(cases);
    const rules = compileRules(schema);
    const trials = trialsOf(cases);
    const object = (spec: JsonValue): JsonValue => ({
      apiVersion: 'v1',
      kind: 'Sample',
      metadata: { name: 'sample' },
      spec,
    });
    let server: RealServer;

    beforeAll(async () => {
      server = new RealServer(await sharedControlPlane('consumer'), uniqueGroup());
      await server.define(
        schema,
        Object.fromEntries(
          trials.flatMap(([, { stored }]) => (stored === undefined ? [] : [[stored.name, stored.spec]])),
        ),
      );
    });
    afterAll(async () => {
      await server.remove();
    });

    it.each(trials)('%s', async (_, { spec, stored }) => {
      const errors =
        stored === undefined ? rules.evaluate(object(spec)) : rules.evaluate(object(spec), object(stored.spec));
      const real = await (stored === undefined
        ? server.createRefusals(spec)
        : server.updateRefusals(stored.name, spec));
      expect(causesOf(errors)).toEqual(real);
    });
  });
});
