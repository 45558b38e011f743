import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type InformerHandle, clusterKey, parseClusterKey } from './index.js';
import { apiError, clusterOf } from './testing/fake-api-server.js';
import type { Thing } from './testing/thing.js';
import { Recorder, contents, synced } from './testing/harness.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

const KEY_A = { cluster: 'c1', namespace: 'default', name: 'a' };

/** The same name in two clusters, and one more. */
async function start(): Promise<{
  readonly informer: InformerHandle<Thing>;
  readonly recorder: Recorder;
  readonly equal: () => void;
}> {
  scenario.create({ clusterOf, pageSize: 2 });
  const { server } = scenario.harness;
  server.create('a', 1, 'default', 'c1');
  server.create('a', 2, 'default', 'c2');
  server.create('b', 3, 'other', 'c2');
  const informer = scenario.harness.acquire();
  const recorder = new Recorder();
  informer.addHandler(recorder.handler);
  await synced(informer);
  recorder.take();
  const equal = (): void => {
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
    expect(contents(recorder.view.values())).toEqual(contents(server.objects.values()));
    expect(recorder.faults).toEqual([]);
  };
  return { informer, recorder, equal };
}

const values = (things: readonly Thing[]): number[] => things.map(({ spec }) => spec.value).sort();

describe('informers of many logical clusters', () => {
  it('keep objects of the same name in two clusters apart', async () => {
    const { informer, equal } = await start();
    equal();
    expect(informer.get(KEY_A)?.spec.value).toBe(1);
    expect(informer.get({ ...KEY_A, cluster: 'c2' })?.spec.value).toBe(2);
    expect(informer.get('c2|other/b')?.spec.value).toBe(3);
    expect(informer.get({ namespace: 'default', name: 'a' })).toBeUndefined();
    expect(informer.get({ ...KEY_A, cluster: 'c3' })).toBeUndefined();
  });

  it('list one cluster, or one namespace of it, before and after changes', async () => {
    const { informer } = await start();
    const { server, clock } = scenario.harness;
    expect(values(informer.list(undefined, 'c2'))).toEqual([2, 3]);
    expect(values(informer.list('default', 'c2'))).toEqual([2]);
    expect(values(informer.list('default'))).toEqual([1, 2]);
    expect(informer.list(undefined, 'c3')).toEqual([]);
    server.delete('a', 'default', 'c2');
    server.create('c', 4, 'default', 'c3');
    await clock.advance(0);
    expect(values(informer.list(undefined, 'c2'))).toEqual([3]);
    expect(values(informer.list('default', 'c3'))).toEqual([4]);
  });

  it('index what is in the clusters, and tell handlers the key', async () => {
    const { informer } = await start();
    const { server, clock } = scenario.harness;
    const keys: string[] = [];
    informer.addIndex('value', ({ spec }) => [String(spec.value)]);
    informer.addHandler({
      onAdd: (_object, _initial, key) => {
        keys.push(`add ${key}`);
      },
      onUpdate: (_before, _after, key) => {
        keys.push(`update ${key}`);
      },
      onDelete: (_last, _witnessed, key) => {
        keys.push(`delete ${key}`);
      },
    });
    expect(keys.splice(0).sort()).toEqual(['add c1|default/a', 'add c2|default/a', 'add c2|other/b']);
    server.update('a', 3, 'default', 'c1');
    server.delete('b', 'other', 'c2');
    server.create('a', 9, 'default', 'c3');
    await clock.advance(0);
    expect(keys).toEqual(['update c1|default/a', 'delete c2|other/b', 'add c3|default/a']);
    expect(informer.byIndex('value', '3').map((thing) => clusterOf(thing))).toEqual(['c1']);
  });

  it('delete in the one cluster only, also what was deleted while they were away', async () => {
    const { informer, recorder, equal } = await start();
    const { server, clock } = scenario.harness;
    server.delete('a', 'default', 'c1');
    await clock.advance(0);
    expect(recorder.take()).toEqual(['delete a=1']);
    expect(recorder.witnessed).toEqual(['a']);
    server.silenceWatches();
    server.delete('a', 'default', 'c2');
    server.create('a', 5, 'default', 'c1');
    server.compact();
    server.failWatches(apiError('Expired'));
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take().sort()).toEqual(['add a=5', 'delete a=2']);
    expect(recorder.witnessed).toEqual(['a']);
    equal();
  });

  it('take in the answer of a write to one cluster, unless it does not say which', async () => {
    const { informer, recorder, equal } = await start();
    const { server, clock } = scenario.harness;
    informer.observe(server.update('a', 7, 'default', 'c2'));
    expect(recorder.take()).toEqual(['update a=2→7']);
    expect(informer.get(KEY_A)?.spec.value).toBe(1);
    const { metadata, ...rest } = server.update('a', 8, 'default', 'c1');
    informer.observe({ ...rest, metadata: { ...metadata, annotations: {} } });
    expect(recorder.take()).toEqual([]);
    await clock.advance(0);
    expect(recorder.take()).toEqual(['update a=1→8']);
    equal();
  });

  it('keep an object that names no cluster under none', async () => {
    const { informer, equal } = await start();
    const { server, clock } = scenario.harness;
    server.create('a', 6);
    await clock.advance(0);
    expect(informer.get('|default/a')?.spec.value).toBe(6);
    expect(informer.size).toBe(4);
    equal();
  });

  it('share nothing with informers of one cluster, whose keys stay as they are', async () => {
    const { informer } = await scenario.start(['a']);
    expect(informer.get('default/a')).toBeDefined();
    expect(informer.list(undefined, 'c1')).toEqual([]);
  });
});

describe('keys with a cluster', () => {
  it('are read as they are written', () => {
    const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9.:|]{0,6}[a-z0-9])?$/u);
    const cluster = fc.stringMatching(/^[a-z0-9:]{1,8}$/u);
    const namespace = fc.stringMatching(/^[a-z0-9]{1,8}$/u);
    fc.assert(
      fc.property(cluster, fc.option(namespace, { nil: undefined }), part, (inCluster, inNamespace, name) => {
        const key = { cluster: inCluster, ...(inNamespace === undefined ? {} : { namespace: inNamespace }), name };
        expect(parseClusterKey(clusterKey(key))).toEqual(key);
      }),
    );
  });

  it('are not taken for those of one cluster', () => {
    expect(() => parseClusterKey('default/a')).toThrow(RangeError);
  });
});
