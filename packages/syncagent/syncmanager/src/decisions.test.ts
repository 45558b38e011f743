import { describe, expect, it } from '@jest/globals';
import { createHosts } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { ObjectProblem } from '@hawser/controller';
import type { CustomResourceDefinition } from '@hawser/crd';
import type { APIExportEndpointSlice, APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResourceSpec, PublishedResourceStatus } from '@hawser/syncagent-api';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { compareEndpoints } from './endpoints.js';
import { Engagements } from './engagements.js';
import { publishedKinds } from './published-kinds.js';
import { type State, withState } from './report.js';

const slice = (...urls: readonly string[]): APIExportEndpointSlice => ({
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIExportEndpointSlice',
  metadata: { name: 's' },
  status: { endpoints: urls.map((url) => ({ url })) },
});

describe('the endpoints of a slice', () => {
  it('are engaged once each, and disengaged when they are no more', () => {
    expect(compareEndpoints([], slice('https://a/x/', 'https://b', 'https://b'))).toMatchObject({
      add: ['https://a/x', 'https://b'],
      remove: [],
    });
    expect(compareEndpoints(['https://a/x', 'https://c'], slice('https://a/x/'))).toMatchObject({
      add: [],
      remove: ['https://c'],
    });
    expect(compareEndpoints(['https://a'], undefined)).toMatchObject({ add: [], remove: ['https://a'] });
    expect(compareEndpoints([], { ...slice(), status: {} })).toMatchObject({ add: [], remove: [] });
  });

  it('are the more specific the more they require of a shard; one that says nothing is for one shard', () => {
    const endpoints = [
      { url: 'https://a', shards: { matchAll: true } },
      { url: 'https://b', shards: { selector: { matchLabels: { region: 'eu' } } } },
      { url: 'https://c', shards: { selector: { matchLabels: { region: 'eu' }, matchExpressions: [{}] } } },
      { url: 'https://d', shards: {} },
      { url: 'https://b/', shards: { matchAll: true } },
    ];
    const { specificities } = compareEndpoints([], { ...slice(), status: { endpoints } });
    expect([...specificities]).toEqual([
      ['https://a', 0],
      ['https://b', 1],
      ['https://c', 2],
      ['https://d', Number.MAX_SAFE_INTEGER],
    ]);
  });
});

it('an endpoint that cannot be asked keeps no other from being engaged, and is told until it is gone', async () => {
  const hosts = createHosts({
    name: 'kcp',
    connection: { server: 'https://127.0.0.1:1/clusters/root', credentials: { kind: 'none' } },
  });
  const engagements = new Engagements({
    hosts,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    metrics: noMetrics,
    onChange: () => undefined,
    onState: () => undefined,
    onRecovered: () => undefined,
    onDisengage: () => undefined,
  });
  const good = 'https://127.0.0.1:1/services/apiexport/1abc/example.com';
  try {
    await engagements.follow(slice('file:///etc', good));
    expect([engagements.size, engagements.unusable]).toEqual([1, [expect.stringContaining('file:///etc')]]);
    await engagements.follow(slice(good));
    expect([engagements.size, engagements.unusable]).toEqual([1, []]);
  } finally {
    await engagements.close();
    await hosts.close();
  }
});

describe('the kinds of a published resource', () => {
  const version = (name: string, more: object = {}) => ({ name, served: true, storage: false, schema: {}, ...more });
  const names = { plural: 'things', kind: 'Thing', listKind: 'ThingList' };
  const crd = (...versions: ReturnType<typeof version>[]): CustomResourceDefinition => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names, versions },
  });
  const schema = (...versions: ReturnType<typeof version>[]): APIResourceSchema => ({
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIResourceSchema',
    metadata: { name: 'v1.fings.kcp.example' },
    spec: { group: 'kcp.example', scope: 'Namespaced', names: { ...names, plural: 'fings', kind: 'Fing' }, versions },
  });
  const spec = (more: Partial<PublishedResourceSpec> = {}): PublishedResourceSpec => ({
    resource: { apiGroup: 'example.com', kind: 'Thing' },
    ...more,
  });
  const versions = (...args: Parameters<typeof publishedKinds>): readonly (string | undefined)[] => {
    const kinds = publishedKinds(...args);
    return [kinds?.service.resource.version, kinds?.kcp.resource.version];
  };

  it('are the local one, and the one that the schema shows', () => {
    expect(
      publishedKinds(
        spec(),
        crd(version('v1', { storage: true, subresources: { status: {}, scale: null } })),
        schema(version('v1', { storage: true })),
      ),
    ).toEqual({
      service: {
        resource: { group: 'example.com', version: 'v1', resource: 'things' },
        kind: 'Thing',
        scope: 'Cluster',
        subresources: ['status'],
      },
      kcp: {
        resource: { group: 'kcp.example', version: 'v1', resource: 'fings' },
        kind: 'Fing',
        scope: 'Namespaced',
        subresources: [],
      },
    });
  });

  it('are of the same version on either side, whatever it is called in kcp and whichever is stored', () => {
    const local = crd(version('v1'), version('v2', { storage: true }));
    expect(
      versions(
        spec({ resource: { apiGroup: 'example.com', kind: 'Thing', versions: ['v1'] } }),
        local,
        schema(version('v1', { storage: true })),
      ),
    ).toEqual(['v1', 'v1']);
    expect(
      versions(
        spec({ projection: { versions: { v1: 'v9' } } }),
        local,
        schema(version('v9', { storage: true }), version('v2')),
      ),
    ).toEqual(['v1', 'v9']);
    expect(
      versions(
        spec({ resource: { apiGroup: 'example.com', kind: 'Thing', version: 'v1' }, projection: { version: 'v6' } }),
        local,
        schema(version('v6', { storage: true })),
      ),
    ).toEqual(['v1', 'v6']);
  });

  it('are the stored ones where there is no such version any more, and none where there is nothing', () => {
    expect(versions(spec(), crd(version('v3', { storage: true })), schema(version('v1', { storage: true })))).toEqual([
      'v3',
      'v1',
    ]);
    expect(
      versions(
        spec(),
        crd(version('v1', { served: false }), version('v2', { storage: true })),
        schema(version('v1', { storage: true })),
      ),
    ).toEqual(['v2', 'v1']);
    expect(
      versions(
        spec(),
        crd(version('v1', { storage: true })),
        schema(version('v1', { storage: true, served: false }), version('v2')),
      ),
    ).toEqual(['v1', 'v2']);
    expect(publishedKinds(spec(), crd(), schema(version('v1', { storage: true })))).toBeUndefined();
    expect(publishedKinds(spec(), crd(version('v1', { storage: true })), schema())).toBeUndefined();
  });
});

describe('what is told of a sync', () => {
  const AT = Date.parse('2026-01-01T00:00:00Z');
  const problem = (object: string, since: number, reason = 'NameInvalid'): ObjectProblem => ({
    object,
    reason,
    message: `${object} is wrong`,
    actor: 'consumer',
    since,
  });
  const running = (problems: readonly ObjectProblem[] = [], more: object = {}): State => ({
    kind: 'running',
    sync: {
      surveyed: true,
      pause: undefined,
      counts: () => ({ objects: 9, workspaces: 2, failing: problems.length, orphans: 0, held: 0 }),
      problems: () => problems,
      troubles: () => [],
      ...more,
    },
  });
  const statusOf = (
    state: State,
    before: PublishedResourceStatus = {},
  ): { readonly counts: unknown; readonly words: readonly string[] } => {
    const { counts, conditions } = withState(before, state, AT);
    return {
      counts,
      words: (conditions ?? []).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`),
    };
  };

  it('tells that it is paused as long as it is', () => {
    const paused = statusOf(running([], { pause: { of: 'publication', reason: 'an upgrade' } }));
    expect(paused.words).toContain(
      'Paused True Paused: Nothing is written for its objects, as the annotation hawser.dev/paused says: an upgrade.',
    );
    const { conditions } = withState({}, running([], { pause: { of: 'publication', reason: '' } }), AT);
    expect(statusOf(running(), { conditions }).words.filter((word) => word.startsWith('Paused'))).toEqual([]);
  });

  it('is nothing new before every object was looked at', () => {
    const before = withState({}, running(), AT);
    expect(withState(before, running([problem('x', 1)], { surveyed: false }), AT + 5)).toEqual(before);
    expect(withState(before, { kind: 'waiting' }, AT + 5)).toBe(before);
  });

  it('is a trouble that concerns all before anything else', () => {
    const trouble = { reason: 'CacheUnfilled', message: 'no rights', actor: 'operator' };
    for (const surveyed of [true, false]) {
      expect(statusOf(running([problem('x', 1)], { surveyed, troubles: () => [trouble] })).words).toContain(
        'ObjectsInSync False CacheUnfilled: no rights',
      );
    }
  });

  it('names those that have waited longest, and keeps naming them', () => {
    const all = [problem('d', 4), problem('a', 1), problem('c', 3), problem('b', 2)];
    const first = withState({}, running(all), AT);
    const words =
      'ObjectsInSync False NameInvalid: 4 objects are not in step: a: a is wrong (consumer); b: b is wrong (consumer); c: c is wrong (consumer); …';
    expect(statusOf(running(all)).words).toContain(words);
    expect(statusOf(running([problem('e', 0), ...all]), first).words.join()).toContain(
      'a: a is wrong (consumer); b: b is wrong (consumer); c',
    );
    expect(statusOf(running([problem('a', 1), problem('b', 2, 'Other')])).words.join()).toContain('ObjectsFailing');
  });

  it('is no synchronisation where nobody has bound it, or it is off', () => {
    const before = withState({}, running([problem('x', 1)]), AT);
    expect(
      statusOf(running([], { counts: () => ({ objects: 0, workspaces: 0, failing: 0, orphans: 0, held: 0 }) }), before),
    ).toEqual({ counts: { objects: 0, workspaces: 0, failing: 0 }, words: ['Valid True Valid: '] });
    expect(statusOf({ kind: 'stopped' }, before)).toEqual({ counts: undefined, words: [] });
    expect(statusOf({ kind: 'unbound' }, before)).toEqual({
      counts: { objects: 0, workspaces: 0, failing: 0 },
      words: ['Valid True Valid: '],
    });
    expect(statusOf({ kind: 'invalid', problems: ['a.', 'b.'] }, before)).toEqual({
      counts: undefined,
      words: ['Valid False RulesInvalid: No object is synchronised until the provider corrects the spec: a. b.'],
    });
  });
});
