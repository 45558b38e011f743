import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { carriedPart, decodeSnapshot, encodeSnapshot } from './snapshot.js';
import { isReservedKey, stripMetadata } from './strip-metadata.js';

const object = {
  apiVersion: 'kcp.example.com/v1',
  kind: 'Database',
  metadata: {
    name: 'one',
    namespace: 'default',
    generateName: 'o',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
    finalizers: ['syncagent.kcp.io/cleanup'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }],
    managedFields: [{ manager: 'm' }],
    selfLink: '/x',
    labels: {
      team: 'a',
      'syncagent.kcp.io/remote-object-cluster': 'forged',
      'syncagent.kcp.io/agent-name': 'forged',
      'claimed.internal.apis.kcp.io/5pVZ': 'x',
    },
    annotations: {
      note: 'b',
      'kcp.io/cluster': 'c',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'syncagent.kcp.io/remote-object-name': 'forged',
      'related-resources.syncagent.kcp.io/credentials.0': '{}',
      'hawser.dev/paused': 'because',
    },
  },
  spec: { size: 9223372036854775807n, html: '<&>' },
  status: { phase: 'Ready' },
};

describe('stripMetadata', () => {
  it("keeps what is the user's", () => {
    expect(stripMetadata(object)).toEqual({
      ...object,
      metadata: {
        name: 'one',
        namespace: 'default',
        generateName: 'o',
        deletionTimestamp: '2026-01-02T00:00:00Z',
        labels: { team: 'a' },
        annotations: { note: 'b' },
      },
    });
  });

  it('removes a map that ends up empty, and a map that was', () => {
    const labels = { 'syncagent.kcp.io/agent-name': 'forged' };
    expect(stripMetadata({ metadata: { name: 'n', labels, annotations: {} } })).toEqual({ metadata: { name: 'n' } });
  });

  it('returns what needs no stripping, and strips nothing twice', () => {
    const stripped = stripMetadata(object);
    expect(stripMetadata(stripped)).toBe(stripped);
  });

  it('takes any key and value for no more than that', () => {
    const map = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a.kcp.io/b', 'kcp.io/x', '/')),
      fc.string(),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(map, map, (labels, annotations) => {
        const before = structuredClone({ metadata: { name: 'n', labels, annotations } });
        const input = { metadata: { name: 'n', labels, annotations } };
        const { metadata } = stripMetadata(input);
        expect(input).toEqual(before);
        const keysOf = (name: 'labels' | 'annotations'): readonly string[] =>
          Object.keys((metadata as Partial<typeof metadata>)[name] ?? {});
        expect(keysOf('labels')).toEqual(Object.keys(labels).filter((key) => !isReservedKey(key)));
        expect(keysOf('annotations')).toEqual(Object.keys(annotations).filter((key) => !isReservedKey(key)));
      }),
    );
  });
});

describe('isReservedKey', () => {
  it.each([
    'syncagent.kcp.io/agent-name',
    'syncagent.kcp.io/anything',
    'kcp.io/path',
    'claimed.internal.apis.kcp.io/x',
    'internal.tenancy.kcp.io/type',
    'hawser.dev/x',
    'kubectl.kubernetes.io/last-applied-configuration',
  ])('%s is', (key) => {
    expect(isReservedKey(key)).toBe(true);
  });
  it.each([
    'team',
    'kcp.io',
    'example.com/kcp.io',
    'notkcp.io/x',
    'kcp.io.example.com/x',
    'kubectl.kubernetes.io/restartedAt',
    '',
    '/',
    'app.kubernetes.io/name',
  ])('%j is not', (key) => {
    expect(isReservedKey(key)).toBe(false);
  });
});

describe('snapshots', () => {
  it('hold what is carried, as Go writes it', () => {
    const part = carriedPart(object, ['status']);
    expect(encodeSnapshot(part)).toBe(
      '{"apiVersion":"kcp.example.com/v1","kind":"Database","metadata":{"annotations":{"note":"b"},"deletionTimestamp":"2026-01-02T00:00:00Z","generateName":"o",' +
        '"labels":{"team":"a"},"name":"one","namespace":"default"},"spec":{"html":"\\u003c\\u0026\\u003e","size":9223372036854775807}}',
    );
    expect(decodeSnapshot(encodeSnapshot(part))).toEqual(part);
    expect(carriedPart(object, [])).toHaveProperty('status', { phase: 'Ready' });
  });

  it('of the Go agent lose the keys that are reserved here, so that none of them looks removed', () => {
    const text =
      '{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":"b","syncagent.kcp.io/agent-name":"x"},"name":"n"}}';
    expect(decodeSnapshot(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'n', labels: { a: 'b' } },
    });
  });

  it.each(['', 'x', 'null', '7', '[]', '{}', '{"metadata":7}', '{"metadata":{"name":'])(
    'that cannot be read count as none: %j',
    (text) => {
      expect(decodeSnapshot(text)).toBeUndefined();
    },
  );
});
