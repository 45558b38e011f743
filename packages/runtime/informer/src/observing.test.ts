import { describe, expect, it } from '@jest/globals';
import { apiError } from './testing/fake-api-server.js';
import type { Thing } from './testing/thing.js';
import { contents, synced } from './testing/harness.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

describe('observing the answers of writes', () => {
  it('shows them at once, and the watch does not deliver them again', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    informer.observe(server.update('a', 1));
    informer.observe(server.create('b'));
    expect(recorder.take()).toEqual(['update a=0→1', 'add b=0']);
    expect(informer.get('default/b')?.spec.value).toBe(0);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    server.update('a', 2);
    await clock.advance(0);
    expect(recorder.take()).toEqual(['update a=1→2']);
    equal();
  });

  it('are told as its own to who took them in, and as news to all others', async () => {
    const { server, clock, informer } = await scenario.start(['a']);
    const other = scenario.harness.acquire();
    const events: string[] = [];
    for (const [who, handle] of [
      ['one', informer],
      ['other', other],
    ] as const) {
      const record = (what: string, own: boolean): void => {
        events.push(`${who}: ${what}${own ? ', own' : ''}`);
      };
      handle.addHandler({
        onAdd: ({ metadata: { name } }, _initial, _key, own) => {
          record(`add ${name}`, own);
        },
        onUpdate: (_, { metadata: { name } }, _key, own) => {
          record(`update ${name}`, own);
        },
        onDelete: ({ metadata: { name } }, _witnessed, _key, own) => {
          record(`delete ${name}`, own);
        },
      });
    }
    events.length = 0;
    informer.observe(server.update('a', 1));
    informer.observe(server.create('b'));
    expect(events).toEqual(['one: update a, own', 'other: update a', 'one: add b, own', 'other: add b']);
    events.length = 0;
    server.update('a', 2);
    await clock.advance(0);
    expect(events).toEqual(['one: update a', 'other: update a']);
    other.release();
  });

  it('are not read again from the watch: what it has not told yet is named to it, until it has, or another is opened', async () => {
    const { server, clock, informer, recorder, equal, live } = await scenario.start(['a']);
    const known = (): [string, string][] => [...(server.watchRequests.at(-1)?.known ?? [])];
    const answer = server.update('a', 1);
    informer.observe(answer);
    informer.observe(answer);
    expect(known()).toEqual([[answer.metadata.resourceVersion, answer.metadata.uid]]);
    await clock.advance(0);
    expect(known()).toEqual([]);
    const late = server.update('a', 2);
    await clock.advance(0);
    informer.observe(late);
    expect(known()).toEqual([]);
    await live();
    server.silenceWatches();
    informer.observe(server.update('a', 3));
    expect(known()).toHaveLength(1);
    server.endWatches();
    await synced(informer);
    await clock.advance(0);
    expect(known()).toEqual([]);
    server.update('a', 4);
    await clock.advance(0);
    expect(recorder.take()).toEqual(['update a=0→1', 'update a=1→2', 'update a=2→3', 'update a=3→4']);
    equal();
  });

  it('ignores versions that the cache has or has passed', async () => {
    const { server, clock, informer, recorder } = await scenario.start(['a']);
    const late = server.update('a', 1);
    server.update('a', 2);
    await clock.advance(0);
    recorder.take();
    informer.observe(late);
    informer.observe(server.objects.get('default/a')!);
    expect(recorder.take()).toEqual([]);
  });

  it('takes the successor of an object; the deletion and the versions of the old one come later and change nothing', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    server.update('a', 1);
    server.delete('a');
    informer.observe(server.create('a', 7));
    expect(recorder.take()).toEqual(['delete a=0', 'add a=7']);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('does not bring back what has gone: the deletion was seen by the watch', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    const answer = server.update('a', 1);
    server.delete('a');
    await clock.advance(0);
    recorder.take();
    informer.observe(answer);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('does not bring back what was deleted before it was ever seen', async () => {
    const { server, clock, informer, recorder, live } = await scenario.start([]);
    server.silenceWatches();
    const answer = server.create('a');
    server.delete('a');
    server.compact();
    server.failWatches(apiError('Expired'));
    await clock.advance(800);
    await live();
    recorder.take();
    informer.observe(answer);
    expect(recorder.take()).toEqual([]);
    expect(informer.size).toBe(0);
  });

  it('does not bring back what has gone, where versions are no numbers', async () => {
    const { server, clock, informer, recorder } = await scenario.start(['a']);
    const object = server.objects.get('default/a')!;
    const answer = { ...object, metadata: { ...object.metadata, resourceVersion: 'x:2' } };
    server.send({ type: 'DELETED', object: answer });
    await clock.advance(0);
    expect(recorder.take()).toEqual(['delete a=0']);
    informer.observe({ ...answer, metadata: { ...answer.metadata, resourceVersion: 'x:1' } });
    expect(recorder.take()).toEqual([]);
  });

  it('during a list that cannot contain it: the list does not delete it', async () => {
    const { server, clock, informer, recorder, equal, live } = await scenario.start(['a', 'b', 'c', 'd'], {
      pageSize: 2,
    });
    await live();
    server.failWatches(apiError('Expired'));
    let calls = 0;
    server.beforePage = () => {
      // Between the pages of the relist: its snapshot is older than all of these.
      if (++calls !== 2) return;
      informer.observe(server.create('aa'));
      informer.observe(server.update('a', 1));
      informer.observe(server.update('d', 2));
      const old = server.delete('c');
      informer.observe(server.create('c', 3));
      expect(old.metadata.uid).not.toBe(server.objects.get('default/c')?.metadata.uid);
    };
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take()).toEqual(['add aa=0', 'update a=0→1', 'update d=0→2', 'delete c=0', 'add c=3']);
    await clock.advance(0);
    expect(recorder.take()).toEqual([]);
    equal();
  });

  it('during a list, of what was deleted before its snapshot: the list removes it', async () => {
    scenario.create({ pageSize: 1 });
    const { server } = scenario.harness;
    server.create('a');
    server.create('b');
    const answer = server.create('c');
    server.delete('c');
    const informer = scenario.harness.acquire();
    server.beforePage = (page) => {
      if (page === 2) informer.observe(answer);
    };
    await synced(informer);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });

  it('during a list keeps it also where versions are no numbers', async () => {
    scenario.create({ pageSize: 1 });
    const { server } = scenario.harness;
    server.create('a');
    server.create('b');
    const informer = scenario.harness.acquire();
    const answer = {
      ...server.objects.get('default/a')!,
      metadata: { name: 'c', namespace: 'default', uid: 'c', resourceVersion: 'x:1' },
    };
    server.beforePage = (page) => {
      if (page === 2) informer.observe(answer);
    };
    await synced(informer);
    expect(informer.get('default/c')).toBeDefined();
  });

  it('ignores those that are metadata alone, unless no more is kept', async () => {
    const { server, clock, informer, equal } = await scenario.start(['a']);
    const metadataOnly = scenario.harness.acquire({ projection: 'metadata' });
    await synced(metadataOnly);
    const { metadata } = server.update('a', 1);
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata } as Thing;
    informer.observe(partial);
    metadataOnly.observe(partial);
    expect(metadataOnly.get('default/a')?.metadata.resourceVersion).toBe(metadata.resourceVersion);
    await clock.advance(0);
    equal();
  });

  it('takes in new ones whose labels are selected, and drops them when a list lacks them', async () => {
    scenario.create();
    const { server, clock } = scenario.harness;
    const labelled = scenario.harness.acquire({ labelSelector: 'app=x' });
    await synced(labelled);
    const gone: string[] = [];
    labelled.addHandler({
      onDelete: ({ metadata: { name } }) => {
        gone.push(name);
      },
    });
    server.silenceWatches();
    const created = server.create('a');
    labelled.observe({ ...created, metadata: { ...created.metadata, labels: { app: 'x' } } });
    expect(labelled.get('default/a')).toBeDefined();
    server.delete('a');
    server.endWatches();
    server.compact();
    await clock.advance(5000);
    await synced(labelled);
    expect(labelled.get('default/a')).toBeUndefined();
    expect(gone).toEqual(['a']);
  });

  it('ignores objects of other namespaces, and new ones where only the server knows what is selected', async () => {
    scenario.create();
    const { server } = scenario.harness;
    server.create('a');
    const inDefault = scenario.harness.acquire({ namespace: 'default' });
    const labelled = scenario.harness.acquire({ labelSelector: 'app=x' });
    await synced(inDefault);
    await synced(labelled);
    const otherNamespace = server.create('b', 0, 'other');
    inDefault.observe(otherNamespace);
    labelled.observe(otherNamespace);
    expect(inDefault.size).toBe(1);
    expect(labelled.get('other/b')).toBeUndefined();
    labelled.observe(server.update('a', 4));
    expect(labelled.get('default/a')?.spec.value).toBe(4);
  });
});
