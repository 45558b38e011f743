import type { JsonObject } from '@hawser/json';
import { cases, table } from '../case.js';
import { definition, integer, list, object, string } from '../definition.js';
import { expressions } from '../expressions.js';
import { fixtureVersion, widget } from './objects.js';

const steps = (before: JsonObject, ...after: readonly JsonObject[]): readonly JsonObject[] => [before, ...after];

/** A CRD with one rule at `spec`. */
const withRule = (group: string, rule: string, properties: JsonObject): JsonObject =>
  definition({
    group,
    versions: [{ spec: object(properties, { 'x-kubernetes-validations': [{ rule }] }) }],
  });

const text = { type: 'string', maxLength: 30 } as const;
const texts = list(text, { maxItems: 5 });

export const ruleCases = cases('rules', {
  ...table(
    {
      'a message': [{ range: { min: 1, max: 2 } }, { range: { min: 2, max: 1 } }],
      'a field that is missing': [{ range: { min: 1 } }],
      'a message from an expression': [{ spoken: 'good' }, { spoken: 'bad' }],
      'a reason and a field path': [{ reasoned: { a: 'x' } }, { reasoned: { a: 'x', b: 'y' } }, { reasoned: {} }],
      'items of a list': [{ words: ['word', 'other', 'more'] }],
      'a rule over two fields of the spec': [{ title: 'same', slug: 'same' }],
      'optionalOldSelf at creation': [{ once: 'first' }],
    },
    async (api, specs) => {
      for (const [index, spec] of specs.entries()) await api.create(api.fixture('widgets'), widget(`w${index}`, spec));
    },
  ),
  ...table(
    {
      'an immutable field': steps({ fixed: 'a' }, { fixed: 'b' }, { fixed: 'a' }, { fixed: null }, { fixed: 'c' }),
      'a field that only rises': steps({ rising: 1 }, { rising: 5 }, { rising: 4 }, { rising: null }, { rising: 0 }),
      optionalOldSelf: steps(
        { once: 'first' },
        { once: 'second' },
        { once: 'reset' },
        { once: null },
        { once: 'third' },
      ),
      'a range that stays broken elsewhere': steps({ range: { min: 1, max: 5 } }, { range: { min: 6 } }, { size: 5 }),
    },
    async (api, [before, ...after]) => {
      await api.create(api.fixture('widgets'), widget('one', before));
      for (const spec of after) await api.patch('merge', api.fixture('widgets', 'one'), { spec });
    },
  ),
  ...table(
    Object.fromEntries(expressions.map((expression) => [expression.title, expression])),
    async (api, { field, values }) => {
      for (const [index, value] of values.entries()) {
        await api.create(api.fixture('ruled'), {
          apiVersion: fixtureVersion,
          kind: 'Ruled',
          metadata: { name: `r${index}` },
          spec: { [field]: value },
        });
      }
    },
    'the expression: ',
  ),
  ...table(
    {
      'a rule that does not parse': 'self.a ==',
      'a rule over an unknown field': 'self.missing == 1',
      'a rule that is no bool': 'self.a',
      'a rule with types that do not fit': 'self.a == 1',
      'an unknown function': 'self.a.shout() == self.a',
      'an empty rule': ' ',
      'strings that could grow': "self.a.split('-').join('+').replace('+', '').trim() == 'x'",
      'oldSelf where it cannot be': 'self.list.all(x, oldSelf == x)',
    },
    async (api, rule) => {
      await api.create(api.path('customresourcedefinitions'), withRule(api.group, rule, { a: text, list: texts }));
    },
  ),
  async 'a rule that would cost too much'(api) {
    await api.create(
      api.path('customresourcedefinitions'),
      withRule(api.group, 'self.list.all(x, self.list.all(y, x == y || x.contains(y)))', { list: list(string) }),
    );
  },
  async 'a transition rule on an uncorrelated list'(api) {
    await api.create(
      api.path('customresourcedefinitions'),
      definition({
        group: api.group,
        versions: [
          {
            spec: object({
              list: list({ ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] }, { maxItems: 5 }),
            }),
          },
        ],
      }),
    );
  },
  async 'transition rules of items of a map list follow their keys'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          {
            spec: object({
              ports: list(
                object(
                  {
                    name: text,
                    port: {
                      ...integer,
                      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'port is fixed' }],
                    },
                  },
                  { required: ['name'] },
                ),
                { maxItems: 5, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
              ),
            }),
          },
        ],
      }),
    );
    const thing = (ports: readonly object[]): object => ({
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'one' },
      spec: { ports },
    });
    await api.create(
      api.custom('v1', 'things'),
      thing([
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ]),
    );
    await api.replace(
      api.custom('v1', 'things', 'one'),
      thing([
        { name: 'b', port: 2 },
        { name: 'a', port: 1 },
        { name: 'c', port: 3 },
      ]),
    );
    await api.replace(
      api.custom('v1', 'things', 'one'),
      thing([
        { name: 'b', port: 1 },
        { name: 'a', port: 1 },
      ]),
    );
  },
  async 'a rule may look at metadata.name'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          {
            schema: object(
              { spec: object({ name: text }) },
              { 'x-kubernetes-validations': [{ rule: 'self.metadata.name == self.spec.name' }] },
            ),
          },
        ],
      }),
    );
    for (const name of ['a', 'b'])
      await api.create(api.custom('v1', 'things'), {
        apiVersion: `${api.group}/v1`,
        kind: 'Thing',
        metadata: { name },
        spec: { name: 'a' },
      });
  },
  async 'rules of status count when status is written'(api) {
    await api.define(
      definition({
        group: api.group,
        versions: [
          {
            spec: object({ a: text }),
            status: object(
              { n: integer },
              { 'x-kubernetes-validations': [{ rule: '!has(self.n) || self.n > 0', message: 'n must be positive' }] },
            ),
            more: { subresources: { status: {} } },
          },
        ],
      }),
    );
    await api.quietly.create(api.custom('v1', 'things'), {
      apiVersion: `${api.group}/v1`,
      kind: 'Thing',
      metadata: { name: 'one' },
      spec: {},
    });
    await api.patch('merge', api.custom('v1', 'things', 'one', 'status'), { status: { n: 0 } });
    await api.patch('merge', api.custom('v1', 'things', 'one', 'status'), { status: { n: 1 } });
  },
});
