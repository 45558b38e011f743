import { describe, expect, it } from '@jest/globals';
import type { APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';
import { type Decision, type Observed, decide } from './decide.js';
import { schemaPolicyOf } from './schema-policy.js';

const schema = (
  name: string,
  size: object = { type: 'string' },
  metadata: Partial<APIResourceSchema['metadata']> = {},
): APIResourceSchema => ({
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIResourceSchema',
  metadata: { name: `${name}.things.example.com`, ...metadata },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object', properties: { size } } }],
  },
});
const marked = (agent: string): Partial<APIResourceSchema['metadata']> => ({
  labels: { 'syncagent.kcp.io/agent-name': agent },
  annotations: { 'syncagent.kcp.io/agent-name': agent },
});
const published = (annotations: Readonly<Record<string, string>> = {}): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'p', annotations },
  spec: { resource: { apiGroup: 'example.com', kind: 'Thing' } },
});
const decided = (more: Partial<Observed> = {}): Decision =>
  decide({
    publishedResource: published(),
    agentName: 'textor',
    candidate: schema('v2'),
    present: undefined,
    presentSpec: undefined,
    published: undefined,
    ...more,
  });
const policy = (value: string, more: Readonly<Record<string, string>> = {}): PublishedResource =>
  published({ 'hawser.dev/schema-update': value, ...more });

describe('a wanted schema', () => {
  it('is made where there is none, and named where there is', () => {
    expect(decided()).toEqual({ kind: 'publish', act: 'create' });
    expect(decided({ present: schema('v2', {}, marked('textor')) })).toEqual({ kind: 'publish', act: 'nothing' });
  });

  it('gets marks that an older release forgot', () => {
    const half = { labels: marked('textor').labels };
    expect(decided({ present: schema('v2', {}, half), presentSpec: schema('v2').spec })).toEqual({
      kind: 'publish',
      act: 'repairMarks',
    });
    expect(decided({ present: schema('v2', {}), presentSpec: schema('v2').spec })).toEqual({
      kind: 'publish',
      act: 'repairMarks',
    });
  });

  it('is shared with another agent, nobody’s marks being touched', () => {
    expect(decided({ present: schema('v2', {}, marked('other')), presentSpec: schema('v2').spec })).toEqual({
      kind: 'publish',
      act: 'nothing',
    });
  });

  it('is not taken for something else of its name', () => {
    expect(
      decided({ present: schema('v2', {}, marked('other')), presentSpec: schema('v2', { type: 'integer' }).spec }),
    ).toMatchObject({
      kind: 'refuse',
      reason: 'SchemaNameTaken',
      message: expect.stringContaining('agent other') as unknown,
    });
  });

  const narrow = schema('v2', { type: 'string', maxLength: 3 });
  const other: APIResourceSchema = { ...schema('v3'), spec: { ...schema('v3').spec, scope: 'Cluster' } };

  it('is published whatever it breaks, unless the PublishedResource says otherwise', () => {
    for (const publishedResource of [published(), policy('Always'), policy(' always ')]) {
      expect(decided({ publishedResource, candidate: other, published: schema('v1') })).toEqual({
        kind: 'publish',
        act: 'create',
      });
    }
  });

  it('is held under Safe where it may break objects, and tells the fields and how to approve', () => {
    const held = decided({ publishedResource: policy('Safe'), candidate: narrow, published: schema('v1') });
    expect(held).toMatchObject({ kind: 'hold', reason: 'BreakingSchemaChange' });
    const { message } = held as { readonly message: string };
    expect(message).toContain('v1: size: may have at most this length: 3');
    expect(message).toContain('v1.things.example.com stays published');
    expect(message).toContain('hawser.dev/schema-approved: v2');
    expect(decided({ publishedResource: policy('Safe'), candidate: other, published: schema('v1') })).toMatchObject({
      kind: 'hold',
      reason: 'IncompatibleSchemaChange',
    });
    expect(decided({ publishedResource: policy('Safe'), candidate: schema('v2'), published: narrow })).toEqual({
      kind: 'publish',
      act: 'create',
    });
  });

  it('is published once it is approved: this one, and no other', () => {
    const approved = (value: string): Decision =>
      decided({
        publishedResource: policy('Safe', { 'hawser.dev/schema-approved': value }),
        candidate: narrow,
        published: schema('v1'),
      });
    expect(approved('v2')).toEqual({ kind: 'publish', act: 'create' });
    expect(approved('v2.things.example.com')).toEqual({ kind: 'publish', act: 'create' });
    for (const value of ['', 'v1', 'v', 'true', 'v2.', 'v22']) expect(approved(value).kind).toBe('hold');
  });

  it('is held under Never even if it is safe; the first one is published all the same', () => {
    expect(decided({ publishedResource: policy('Never'), candidate: schema('v2'), published: narrow })).toMatchObject({
      kind: 'hold',
      reason: 'SchemaUpdatesOff',
    });
    expect(decided({ publishedResource: policy('Never') })).toEqual({ kind: 'publish', act: 'create' });
  });

  it('names the worst changes first, and not all of a hundred', () => {
    const many = (type: object): APIResourceSchema => ({
      ...schema('v2'),
      spec: {
        ...schema('v2').spec,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              properties: Object.fromEntries(
                Array.from({ length: 50 }, (_, at) => [`f${at}`, at === 49 ? { type: 'integer' } : type]),
              ),
            },
          },
        ],
      },
    });
    const before = { ...many({ type: 'string' }), spec: { ...many({ type: 'string' }).spec } };
    const after = many({ type: 'string', nullable: true });
    const changed = {
      ...after,
      spec: {
        ...after.spec,
        versions: after.spec.versions.map((version) => ({
          ...version,
          schema: { properties: { ...(version.schema['properties'] as object), f49: { type: 'string' } } },
        })),
      },
    };
    const { message } = decided({ publishedResource: policy('Safe'), candidate: changed, published: before }) as {
      readonly message: string;
    };
    expect(message.indexOf('f49')).toBeLessThan(message.indexOf('f0'));
    expect(message).toContain('and 38 more');
  });

  it.each([
    ['Always', 'Always'],
    ['ALWAYS', 'Always'],
    ['', 'Always'],
    ['Never', 'Never'],
    ['safe', 'Safe'],
    ['saef', 'Safe'],
  ])('takes the policy %j as %s', (value, meant) => {
    expect(schemaPolicyOf(policy(value))).toBe(meant);
  });
});
