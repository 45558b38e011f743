import { type BoundSchema, exportHash } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideExport } from './decide-export.js';
import { withExportOutcome } from './export-outcome.js';
import { sourceSchema } from './source-schema.js';
import { apiExport, boundSchema, crd } from './testing/objects.js';

const now = Date.UTC(2026, 10, 21, 15, 24, 8);

function schema(plural: string): BoundSchema {
  const source = sourceSchema(crd(plural), { informerScope: 'Cluster', isolation: 'Prefixed' });
  if (source.kind !== 'offered') throw new Error(source.message);
  return boundSchema(source.spec, source.hash);
}

const databases = schema('databases');
const zones = schema('zones');
const two = apiExport({ resources: ['zones', 'databases'].map((resource) => ({ group: 'example.com', resource, versions: ['v1'] })) });
const byName = (...schemas: readonly BoundSchema[]): Map<string, BoundSchema> => new Map(schemas.map((one) => [one.metadata.name, one]));
const hash = exportHash([zones.spec!, databases.spec!]);
const annotated = { ...two, metadata: { ...two.metadata, annotations: { 'kube-bind.io/source-spec-hash': hash } } };
const connected = { type: 'Connected', status: 'True', lastTransitionTime: '2026-11-21T15:00:00Z' } as const;
const inSync = { ...annotated, status: withExportOutcome({ conditions: [connected] }, { kind: 'inSync' }, now) };

describe('decideExport', () => {
  it('writes the hash over the schemas in the order of the resources, then the condition', () => {
    expect(decideExport({ export: two, boundSchemas: byName(databases, zones) }, now)).toEqual({
      actions: [{ type: 'annotate', export: two, hash }, { type: 'writeStatus', export: two, outcome: { kind: 'inSync' } }],
      verdict: { kind: 'inSync' },
    });
    expect(hash).not.toBe(exportHash([databases.spec!, zones.spec!]));
  });

  it('writes nothing when nothing differs', () => {
    expect(decideExport({ export: inSync, boundSchemas: byName(databases, zones) }, now + 60_000)).toEqual({ actions: [], verdict: { kind: 'inSync' } });
  });

  it('leaves the conditions of others alone and sums nothing up', () => {
    expect(inSync.status.conditions).toEqual([connected, { type: 'ProviderInSync', status: 'True', lastTransitionTime: '2026-11-21T15:24:08Z' }]);
  });

  it('says which BoundSchemas are missing and leaves the hash as it is', () => {
    const { actions, verdict } = decideExport({ export: inSync, boundSchemas: byName(databases) }, now);
    expect(verdict).toEqual({ kind: 'boundSchemasMissing', names: ['zones.example.com'] });
    expect(actions).toEqual([{ type: 'writeStatus', export: inSync, outcome: verdict }]);
    expect(withExportOutcome(inSync.status, { kind: 'boundSchemasMissing', names: ['zones.example.com'] }, now).conditions).toMatchObject([
      { type: 'Connected' }, { type: 'ProviderInSync', status: 'False', reason: 'BoundSchemaMissing', severity: 'Error', message: expect.stringContaining('zones.example.com') as unknown },
    ]);
  });

  it('has nothing to do without an export, or for one that is going', () => {
    expect(decideExport({ export: undefined, boundSchemas: byName(databases) }, now)).toEqual({ actions: [], verdict: { kind: 'absent' } });
    const going = { ...two, metadata: { ...two.metadata, deletionTimestamp: '2026-11-21T15:24:08Z' } };
    expect(decideExport({ export: going, boundSchemas: byName(databases) }, now)).toEqual({ actions: [], verdict: { kind: 'absent' } });
  });
});
