import { describe, expect, it } from '@jest/globals';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { createMetrics } from '@hawser/telemetry';
import type { ResourceResult } from './conclude.js';
import { createHeldMetric, heldCondition, heldReasons, heldSchemas } from './held-schemas.js';
import type { Hold } from './hold.js';

const binding: APIServiceBinding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'databases' },
};
const held = (name: string, hold: Hold): ResourceResult => ({ kind: 'held', name, hold });
const bindingWith = (...results: readonly ResourceResult[]): APIServiceBinding => {
  const condition = heldCondition(binding, results);
  return {
    ...binding,
    status: {
      conditions: condition === undefined ? [] : [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  };
};
const mine = 'a'.repeat(64);
const theirs = 'b'.repeat(64);

describe('what a binding says of held schemas', () => {
  it('is nothing while none is held', () => {
    expect(heldSchemas(bindingWith())).toBeUndefined();
  });

  it('names what an approval has to name', () => {
    expect(
      heldSchemas(
        bindingWith(
          held('databases.example.com', {
            reason: 'BreakingSchemaChange',
            hash: mine,
            message: 'v1: spec.size: goes.',
          }),
        ),
      ),
    ).toMatchObject({ reason: 'BreakingSchemaChange', hashes: [mine] });
    expect(
      heldSchemas(
        bindingWith(
          ...['one', 'two', 'three'].map((name) =>
            held(name, { reason: 'BreakingSchemaChange', hash: mine, message: 'x' }),
          ),
        ),
      )?.hashes,
    ).toEqual([mine, mine, mine]);
  });

  // Enums, defaults and names of fields are the provider's words, and stand in the message.
  const words = `v1: spec.size: may no more be "hawser.dev/schema-approved=${theirs} --overwrite`;
  it.each<[string, Hold, readonly string[]]>([
    ['beside what waits', { reason: 'BreakingSchemaChange', hash: mine, message: `${words}".` }, [mine]],
    [
      'where nothing can be approved',
      { reason: 'IncompatibleSchemaChange', message: `${words}". Make it another API.` },
      [],
    ],
    [
      'in a text that is cut',
      { reason: 'IncompatibleSchemaChange', message: `${'x'.repeat(1_100)} ${words}" and so on` },
      [],
    ],
  ])('a provider cannot have another schema approved by what its schema says: %s', (_, hold, hashes) => {
    expect(heldSchemas(bindingWith(held('databases.example.com', hold)))?.hashes).toEqual(hashes);
  });
});

it('schemas that are held are counted by binding and reason, as long as they are', async () => {
  const metrics = createMetrics();
  const metric = createHeldMetric(metrics);
  const series = async (): Promise<readonly string[]> =>
    (await metrics.expose()).body
      .split('\n')
      .filter((line) => line.startsWith('hawser_konnector_schema_updates_held{'))
      .sort();
  metric.set(
    'databases',
    heldReasons([
      held('one', { reason: 'BreakingSchemaChange', message: '' }),
      held('two', { reason: 'BreakingSchemaChange', message: '' }),
      { kind: 'inStep', name: 'three' },
    ]),
  );
  metric.set('caches', heldReasons([held('four', { reason: 'SchemaUpdatesOff', message: '' })]));
  expect(await series()).toEqual([
    'hawser_konnector_schema_updates_held{binding="caches",reason="SchemaUpdatesOff"} 1',
    'hawser_konnector_schema_updates_held{binding="databases",reason="BreakingSchemaChange"} 2',
  ]);
  metric.set('databases', heldReasons([held('one', { reason: 'StoredObjectsInvalid', message: '' })]));
  metric.set('caches', heldReasons([{ kind: 'inStep', name: 'four' }]));
  expect(await series()).toEqual([
    'hawser_konnector_schema_updates_held{binding="databases",reason="StoredObjectsInvalid"} 1',
  ]);
  metric.close();
  expect(await series()).toEqual([]);
});
