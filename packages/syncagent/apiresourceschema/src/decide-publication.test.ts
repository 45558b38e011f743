import { describe, expect, it } from '@jest/globals';
import type { APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';
import { type Known, type Publication, decidePublication } from './decide-publication.js';

const schema = (
  plural: string,
  version = 'v2',
  kind = 'Thing',
  metadata: Partial<APIResourceSchema['metadata']> = {},
): APIResourceSchema => ({
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIResourceSchema',
  metadata: { name: `${version}.${plural}.example.com`, ...metadata },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, singular: plural, kind, listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { type: 'object', properties: { version: { type: version === 'v1' ? 'string' : 'integer' } } },
      },
    ],
  },
});
const publishedResource = (
  name: string,
  has?: string,
  metadata: Partial<PublishedResource['metadata']> = {},
): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name, creationTimestamp: '2026-01-02T00:00:00Z', ...metadata },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
  ...(has === undefined ? {} : { status: { resourceSchemaName: has } }),
});
const mine = publishedResource('mine');
const things = schema('things');
const ours = schema('things', 'v2', 'Thing', {
  labels: { 'syncagent.kcp.io/agent-name': 'textor' },
  annotations: { 'syncagent.kcp.io/agent-name': 'textor' },
});
const found = { kind: 'found', schema: things, watched: true } as const;
const older = {
  publishedResource: publishedResource('other', undefined, { creationTimestamp: '2026-01-01T00:00:00Z' }),
  schema: schema('others'),
};
const nothing = { present: undefined, presentSpec: undefined, published: undefined };
const decided = (more: Partial<Known>): Publication =>
  decidePublication({
    publishedResource: mine,
    agentName: 'textor',
    exportName: 'things.example.com',
    candidate: found,
    claimants: [],
    remains: [],
    present: undefined,
    schemas: undefined,
    ...more,
  });
const questionOf = (more: Partial<Known>): unknown => {
  const publication = decided(more);
  return publication.kind === 'ask' ? publication.question : publication.kind;
};

describe('a PublishedResource', () => {
  it('is forgotten once it is gone, or on its way out, whatever else is known', () => {
    expect(decided({ publishedResource: undefined, schemas: nothing })).toEqual({ kind: 'forget' });
    expect(
      decided({
        publishedResource: publishedResource('mine', undefined, { deletionTimestamp: '2026-01-03T00:00:00Z' }),
        schemas: nothing,
      }),
    ).toEqual({ kind: 'forget' });
  });

  it('is discovered, then what has its kind is read, then the schemas, then it is concluded', () => {
    expect(questionOf({ candidate: undefined })).toEqual({ type: 'discover' });
    expect(questionOf({ remains: undefined })).toEqual({ type: 'readRemains', schema: things });
    expect(questionOf({})).toEqual({
      type: 'readSchemas',
      present: undefined,
      specOf: undefined,
      published: undefined,
    });
    expect(decided({ schemas: nothing })).toEqual({
      kind: 'conclude',
      decision: { kind: 'publish', act: 'create' },
      schema: things,
      watched: true,
    });
    expect(decided({ schemas: nothing, candidate: { ...found, watched: false } })).toMatchObject({
      kind: 'conclude',
      watched: false,
    });
  });

  it.each<[string, Partial<Known>, object]>([
    ['that is absent', {}, { present: undefined, specOf: undefined, published: undefined }],
    ['that is ours', { present: ours }, { present: ours, specOf: undefined }],
    ['without marks', { present: things }, { specOf: 'v2.things.example.com' }],
    [
      'of another agent',
      { present: schema('things', 'v2', 'Thing', { annotations: { 'syncagent.kcp.io/agent-name': 'other' } }) },
      { specOf: 'v2.things.example.com' },
    ],
    [
      'that follows another one, under Always',
      { publishedResource: publishedResource('mine', 'v1.things.example.com') },
      { published: undefined },
    ],
    [
      'that follows another one, under Safe',
      {
        publishedResource: publishedResource('mine', 'v1.things.example.com', {
          annotations: { 'hawser.dev/schema-update': 'Safe' },
        }),
      },
      { published: 'v1.things.example.com' },
    ],
    [
      'that is published already, under Safe',
      {
        publishedResource: publishedResource('mine', 'v2.things.example.com', {
          annotations: { 'hawser.dev/schema-update': 'Safe' },
        }),
      },
      { published: undefined },
    ],
    [
      'that is the first one, under Never',
      { publishedResource: publishedResource('mine', '', { annotations: { 'hawser.dev/schema-update': 'Never' } }) },
      { published: undefined },
    ],
  ])('reads only what matters of a schema %s', (_, more, question) => {
    expect(questionOf(more)).toMatchObject({ type: 'readSchemas', ...question });
  });

  it('fails with what discovery says, and is tried again only where that helps', () => {
    const error = new Error('no answer');
    expect(
      decided({ candidate: { kind: 'problem', reason: 'ResourceNotDiscovered', message: 'not found', error } }),
    ).toEqual({ kind: 'fail', reason: 'ResourceNotDiscovered', message: 'not found', error });
    expect(
      decided({ candidate: { kind: 'problem', reason: 'ProjectionInvalid', message: 'wrong', error: undefined } }),
    ).toEqual({ kind: 'fail', reason: 'ProjectionInvalid', message: 'wrong', error: undefined });
  });

  it('leaves its kind to a rival that was there first, though all else was read', () => {
    const publication = decided({ claimants: [older], schemas: nothing });
    expect(publication).toMatchObject({
      kind: 'fail',
      reason: 'KindTaken',
      keptBy: 'rival',
      message: expect.stringContaining('PublishedResource other') as unknown,
    });
    expect(publication).not.toHaveProperty('error');
    // The one that is published has it.
    expect(
      questionOf({ claimants: [older], publishedResource: publishedResource('mine', 'v2.things.example.com') }),
    ).toMatchObject({ type: 'readSchemas' });
    expect(questionOf({ claimants: [{ ...older, schema: schema('others', 'v2', 'Other') }] })).toMatchObject({
      type: 'readSchemas',
    });
  });

  it('leaves its kind to what the export still has, unless it is published itself', () => {
    const remains = [schema('first', 'v1', 'First'), schema('others', 'v1')];
    const publication = decided({ remains, schemas: nothing });
    expect(publication).toMatchObject({ kind: 'fail', reason: 'KindTaken', keptBy: 'export' });
    expect(publication).toMatchObject({
      message: expect.stringMatching(
        /that of others, which APIExport things\.example\.com still has as v1\.others\.example\.com/u,
      ) as unknown,
    });
    expect(questionOf({ remains: remains.slice(0, 1) })).toMatchObject({ type: 'readSchemas' });
    for (const known of [undefined, remains])
      expect(
        questionOf({ remains: known, publishedResource: publishedResource('mine', 'v2.things.example.com') }),
      ).toMatchObject({ type: 'readSchemas' });
  });

  it('is held, or refused, as its schema is', () => {
    const held = publishedResource('mine', 'v1.things.example.com', {
      annotations: { 'hawser.dev/schema-update': 'Safe' },
    });
    expect(
      decided({ publishedResource: held, schemas: { ...nothing, published: schema('things', 'v1') } }),
    ).toMatchObject({ kind: 'conclude', decision: { kind: 'hold' } });
    const foreign = schema('things', 'v1', 'Thing', { annotations: { 'syncagent.kcp.io/agent-name': 'other' } });
    expect(decided({ schemas: { present: foreign, presentSpec: foreign.spec, published: undefined } })).toMatchObject({
      kind: 'conclude',
      decision: { kind: 'refuse', reason: 'SchemaNameTaken' },
    });
  });
});
