import { describe, expect, it } from '@jest/globals';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { type PublishedResource, type StatusField, setCondition } from '@hawser/syncagent-api';
import { type Action, decideLook } from './decide-look.js';
import type { Known } from './decide-publication.js';
import type { Observed } from './observe.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const ofGo = new Set<StatusField>(['resourceSchemaName']);
const ofHawser = new Set<StatusField>([...ofGo, 'conditions', 'observedGeneration']);
const marks = { 'syncagent.kcp.io/agent-name': 'textor' };
const schema: APIResourceSchema = {
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIResourceSchema',
  metadata: { name: 'v1.things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object' } }],
  },
};
const marked = { metadata: { ...schema.metadata, labels: marks, annotations: marks } };
const named: PublishedResource = {
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'a', uid: 'a', generation: 2 },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
  status: { resourceSchemaName: schema.metadata.name },
};
const unnamed: PublishedResource = { ...named, status: {} };
const found = { kind: 'found', schema, watched: true } as const;
const missing = { kind: 'problem', reason: 'ResourceNotDiscovered', message: 'There is none.' } as const;
const schemas = { present: marked, presentSpec: undefined, published: undefined };

const observed = (known: Partial<Known>, kept: ReadonlySet<StatusField> = ofGo): Observed => ({
  known: {
    publishedResource: named,
    agentName: 'textor',
    exportName: 'example.com',
    candidate: found,
    claimants: [],
    remains: [],
    present: schemas.present,
    schemas,
    ...known,
  },
  terms: { kept, now },
  recheckMs: 7,
});
const wordsOf = (action: Action): string => {
  switch (action.type) {
    case 'writeStatus':
      return `writeStatus ${'reason' in action.verdict ? action.verdict.reason : action.verdict.kind}`;
    case 'retry':
      return `retry: ${action.error.message}`;
    case 'createSchema':
    case 'repairMarks':
      return `${action.type} ${action.schema.metadata.name}`;
  }
};
/** As it stands after its status was written. */
const withConditions = (conditions: NonNullable<PublishedResource['status']>['conditions']): PublishedResource => ({
  ...named,
  status: { ...named.status, observedGeneration: 2, conditions },
});
const published = { type: 'SchemaPublished', status: 'True', reason: 'Published', message: '' } as const;
const pending = {
  type: 'Ready',
  status: 'False',
  reason: 'Pending',
  message: 'The schema is on its way into the APIExport.',
  observedGeneration: 2,
} as const;

describe('a look at a PublishedResource', () => {
  it.each<[string, Partial<Known>, readonly string[]]>([
    ['that is gone', { publishedResource: undefined }, []],
    ['that goes', { publishedResource: { ...named, metadata: { name: 'a', deletionTimestamp: 'now' } } }, []],
    ['that is in step', {}, []],
    ['whose schema is not named', { publishedResource: unnamed }, ['writeStatus publish']],
    [
      'whose schema is missing',
      { publishedResource: unnamed, schemas: { ...schemas, present: undefined } },
      ['createSchema v1.things.example.com', 'writeStatus publish'],
    ],
    [
      'whose schema lost its marks',
      { schemas: { ...schemas, present: schema } },
      ['repairMarks v1.things.example.com'],
    ],
    ['without a resource, where only a change helps', { candidate: { ...missing, error: undefined } }, []],
    ['without a resource yet', { candidate: { ...missing, error: new Error('no') } }, ['retry: no']],
    ['whose schemas cannot be read', { schemas: undefined, unread: new Error('no') }, ['retry: no']],
  ])('%s', (_, known, expected) => {
    expect(decideLook(observed(known)).actions.map(wordsOf)).toEqual(expected);
  });

  it.each<[string, Partial<Known>, readonly string[]]>([
    ['what is published', { publishedResource: named }, ['writeStatus publish']],
    [
      'nothing twice',
      { publishedResource: withConditions(setCondition(setCondition([], published, now), pending, now)) },
      [],
    ],
    [
      'what is missing, and fails',
      { candidate: { ...missing, error: new Error('no') } },
      ['writeStatus ResourceNotDiscovered', 'retry: no'],
    ],
    [
      'that schemas cannot be read, and fails',
      { schemas: undefined, unread: new Error('no') },
      ['writeStatus SchemaNotWritten', 'retry: no'],
    ],
  ])('says in conditions %s', (_, known, expected) => {
    expect(decideLook(observed(known, ofHawser)).actions.map(wordsOf)).toEqual(expected);
  });

  it('comes back for a type without a CRD, written or not', () => {
    const unwatched = { candidate: { ...found, watched: false } };
    const again = { kind: 'requeue', afterMs: 7, priority: 'background' };
    expect(decideLook(observed(unwatched))).toMatchObject({ actions: [], requeueAfterMs: 7 });
    expect(decideLook(observed({ ...unwatched, publishedResource: unnamed }))).toMatchObject({ ends: again });
    expect(decideLook(observed({}))).toMatchObject({ requeueAfterMs: undefined, ends: { kind: 'done' } });
  });
});
