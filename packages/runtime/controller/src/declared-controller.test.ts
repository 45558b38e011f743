import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { FakeClock } from '@hawser/clock';
import { type ApiError, type Client, type KubeObject, createClient } from '@hawser/client';
import { eventually, runController, type RunningController } from '@hawser/testenv';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Controller } from './controller.js';
import { type Setup, controller } from './declared-controller.js';
import type { Decision, Reconciler } from './reconciler.js';
import { generationChanged, toOwnKey, toOwnerKey } from './watches.js';
import type { Watched } from './watched.js';

const resource = { group: '', version: 'v1', resource: 'configmaps' };
const configMaps = { resource, kind: 'ConfigMap', projection: 'metadata', labelSelector: 'colour' } as const;
const key = (name: string) => ({ namespace: 'default', name });

interface Paint {
  readonly type: 'paint';
  readonly object: KubeObject;
  readonly colour: string;
}
interface Seen {
  readonly object: KubeObject | undefined;
}

function decide({ object }: Seen): Decision<Paint> {
  const colour = object?.metadata.labels?.['colour'];
  if (object === undefined || colour === undefined) return { actions: [] };
  if (colour === 'invisible')
    return {
      actions: [],
      event: { type: 'Warning', reason: 'ColourUnknown', message: 'No paint has this colour. Choose another one.' },
    };
  return { actions: object.metadata.annotations?.['painted'] === colour ? [] : [{ type: 'paint', object, colour }] };
}

describe('controller', () => {
  let client: Client;
  let server: ReturnType<typeof createApiServer>;
  let running: RunningController | undefined;
  let looks: string[];

  beforeEach(() => {
    looks = [];
    server = createApiServer();
    client = createClient({
      name: 'provider',
      connection: { server: 'https://provider.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
    });
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await client.close();
    server.stop();
  });

  const painter = (
    changes: (objects: Watched<KubeObject>) => Partial<Reconciler<Seen, Decision<Paint>>> = () => ({}),
  ): Controller<'provider'> =>
    controller('painter', ({ clusters, watch }: Setup<'provider'>): Reconciler<Seen, Decision<Paint>> => {
      const objects = watch(clusters.provider, configMaps, toOwnKey);
      return {
        observe(one) {
          looks.push(one);
          return { object: objects.get(one) };
        },
        decide,
        act: async (action, signal) => {
          await objects.patch(action.object, { metadata: { annotations: { painted: action.colour } } }, signal);
        },
        ...changes(objects),
      };
    });
  const run = async (one: Controller<'provider'>): Promise<RunningController> =>
    (running = await runController(one, { provider: client }));
  const create = (name: string, colour: string) =>
    client.create(resource, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { colour } },
    });
  const painted = async (name: string) => (await client.get(resource, key(name))).metadata.annotations?.['painted'];

  it('acts until nothing is left to do, and follows changes', async () => {
    await create('wall', 'red');
    await run(painter());
    await eventually(async () => {
      expect(await painted('wall')).toBe('red');
    });
    await client.patch(resource, key('wall'), { type: 'merge', patch: { metadata: { labels: { colour: 'blue' } } } });
    await eventually(async () => {
      expect(await painted('wall')).toBe('blue');
    });
  });

  it('writes nothing at a restart', async () => {
    await create('wall', 'red');
    await (await run(painter())).stop();
    const version = async () => (await client.get(resource, key('wall'))).metadata.resourceVersion;
    const before = await version();
    looks = [];
    await run(painter());
    await eventually(() => {
      expect(looks).toEqual(['default/wall']);
    });
    expect(await painted('wall')).toBe('red');
    expect(await version()).toBe(before);
  });

  it('tells of a lasting state once, about the kind that is watched, and again when it comes back', async () => {
    await create('wall', 'invisible');
    const { events } = await run(painter());
    await eventually(() => {
      expect(events).toHaveLength(1);
    });
    const touch = async (colour: string, n: string): Promise<void> => {
      const before = looks.length;
      await client.patch(resource, key('wall'), { type: 'merge', patch: { metadata: { labels: { colour, n } } } });
      await eventually(() => {
        expect(looks.length).toBeGreaterThan(before);
      });
    };
    await touch('invisible', '1');
    await touch('red', '2');
    await eventually(async () => {
      expect(await painted('wall')).toBe('red');
    });
    expect(events).toHaveLength(1);
    await touch('invisible', '3');
    await eventually(() => {
      expect(events).toHaveLength(2);
    });
    expect(events[0]).toMatchObject({
      regarding: { apiVersion: 'v1', kind: 'ConfigMap', name: 'wall', namespace: 'default', uid: expect.any(String) },
      event: { reason: 'ColourUnknown' },
    });
  });

  it('tells of the API that its watch names, where the client shows another one', async () => {
    await create('wall', 'invisible');
    const { events } = await run(
      controller('painter', ({ clusters, watch }: Setup<'provider'>): Reconciler<Seen, Decision<Paint>> => {
        const objects = watch(clusters.provider, { ...configMaps, apiVersion: 'stored.example.com/v1' }, toOwnKey);
        return { observe: (one) => ({ object: objects.get(one) }), decide, act: () => Promise.resolve() };
      }),
    );
    await eventually(() => {
      expect(events).toMatchObject([{ regarding: { apiVersion: 'stored.example.com/v1', kind: 'ConfigMap' } }]);
    });
  });

  it('looks at what an object stops to concern, and at what is gone', async () => {
    const owners = [{ apiVersion: 'v1', kind: 'House', name: 'home', uid: 'u', controller: true }];
    const object = await client.create<KubeObject>(resource, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'wall', namespace: 'default', labels: { colour: 'red' }, ownerReferences: owners },
    });
    await run(
      controller('houses', ({ clusters, watch }) => {
        watch(clusters.provider, configMaps, toOwnerKey('House'));
        return {
          observe: (one: string) => {
            looks.push(one);
            return { object: undefined };
          },
          decide,
          act: () => Promise.resolve(),
        };
      }),
    );
    await eventually(() => {
      expect(looks).toEqual(['default/home']);
    });
    await client.patch(resource, key('wall'), {
      type: 'merge',
      patch: { metadata: { ownerReferences: [{ ...owners[0], name: 'other' }] } },
    });
    await eventually(() => {
      expect(looks.toSorted()).toEqual(['default/home', 'default/home', 'default/other']);
    });
    await client.delete(resource, object.metadata);
    await eventually(() => {
      expect(looks.at(-1)).toBe('default/other');
      expect(looks).toHaveLength(4);
    });
  });

  it('takes a conflict for a cache that is behind, and does not count it as a failure', async () => {
    await create('wall', 'red');
    let tries = 0;
    await run(
      painter((objects) => ({
        act: async (action, signal) => {
          const { metadata } = action.object;
          await objects.patch(
            ++tries === 1 ? { ...action.object, metadata: { ...metadata, resourceVersion: '1' } } : action.object,
            { metadata: { annotations: { painted: action.colour } } },
            signal,
          );
        },
      })),
    );
    await eventually(async () => {
      expect(await painted('wall')).toBe('red');
    });
    expect(tries).toBe(2);
  });

  it('gives up a key whose actions change nothing', async () => {
    await create('wall', 'red');
    let acts = 0;
    await run(
      painter(() => ({
        act: () => {
          acts++;
          return Promise.resolve();
        },
      })),
    );
    await eventually(() => {
      expect(acts).toBe(3);
    });
  });

  it('takes an action about an object of any depth, and gives up one that is repeated all the same', async () => {
    const deep = (): object => {
      let value: object = {};
      for (let level = 0; level < 9_000; level++) value = { value };
      return value;
    };
    let acts = 0;
    await run(
      controller('deep', () => ({
        initial: () => ['a'],
        observe: () => acts,
        decide: () => ({ actions: [{ type: 'take', object: deep() }] }),
        act: () => {
          acts++;
          return Promise.resolve();
        },
      })),
    );
    await eventually(() => {
      expect(acts).toBe(12);
    });
  });

  it('writes a status that does not stay once a try, and tells of it', async () => {
    const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
    let writes = 0;
    const { events } = await run(
      controller('painter', ({ clusters, watch }: Setup<'provider'>): Reconciler<Seen, Decision<Paint>> => {
        const objects = watch(
          clusters.provider,
          { resource: namespaces, kind: 'Namespace', fieldSelector: 'metadata.name=default' },
          toOwnKey,
        );
        return {
          initial: () => ['default'],
          observe: (one) => ({ object: objects.get(one) }),
          decide: ({ object }) => ({
            actions: object === undefined ? [] : [{ type: 'paint', object, colour: 'red' }],
          }),
          act: async ({ object, colour }, signal) => {
            writes++;
            // No such field: the server drops it.
            const event = { type: 'Normal', reason: 'Painted', message: 'It is red.' } as const;
            await objects.commitStatus(object, (status) => ({ ...status, colour }), signal, [event]);
          },
        };
      }),
    );
    await eventually(() => {
      expect(events).toMatchObject([
        { regarding: { kind: 'Namespace' }, event: { reason: 'Painted' } },
        { regarding: { kind: 'Namespace' }, event: { reason: 'WritesUndone' } },
      ]);
    });
    expect(events[1]?.event.message).toContain('colour');
    expect(writes).toBe(1);
  });

  it('ends a run with what an action returns', async () => {
    await create('wall', 'red');
    let acts = 0;
    await run(
      painter(() => ({
        act: () =>
          Promise.resolve(++acts === 1 ? ({ kind: 'requeue', afterMs: 20 } as const) : ({ kind: 'done' } as const)),
      })),
    );
    await eventually(() => {
      expect(acts).toBe(2);
    });
  });

  it('tells of a refusal in the words of the controller, about the object that it names', async () => {
    await create('wall', 'red');
    const { events } = await run(
      painter((objects) => ({
        act: async (action, signal) => {
          await objects.patch(action.object, { metadata: { labels: { '-': 'x' } } }, signal);
        },
        refused: (error: ApiError) => ({ type: 'Warning', reason: 'PaintRefused', message: error.message }),
        about: () => objects.about({ apiVersion: 'v1', kind: 'x', metadata: { name: 'house' } }),
      })),
    );
    await eventually(() => {
      expect(events).toMatchObject([
        { regarding: { kind: 'ConfigMap', name: 'house' }, event: { reason: 'PaintRefused' } },
      ]);
    });
  });

  it('has a refusal written down, of an action or of a read', async () => {
    await create('wall', 'red');
    const reports: unknown[] = [];
    let reads = 0;
    await run(
      painter((objects) => ({
        async observe(one, signal) {
          if (++reads === 1)
            await client.create(
              resource,
              { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '-', namespace: 'default' } },
              { signal },
            );
          return { object: objects.get(one) };
        },
        act: async (action, signal) => {
          await objects.patch(action.object, { metadata: { labels: { '-': 'x' } } }, signal);
        },
        reportRefusal: ({ code }, { key: one, observed, action }) => {
          reports.push([code, one, observed?.object?.metadata.name, action?.type]);
          return Promise.resolve();
        },
      })),
    );
    await eventually(() => {
      expect(reports.slice(0, 2)).toEqual([
        ['Invalid', 'default/wall', undefined, undefined],
        ['Invalid', 'default/wall', 'wall', 'paint'],
      ]);
    });
  });

  it('tells what only an action could find out, once, about what the controller says', async () => {
    await create('wall', 'red');
    let acts = 0;
    const { events } = await run(
      painter((objects) => ({
        act: () =>
          Promise.resolve(
            ++acts === 3
              ? ({ kind: 'done' } as const)
              : ({
                  kind: 'requeue',
                  afterMs: 5,
                  event: { type: 'Normal', reason: 'PaintWet', message: 'It dries.' },
                } as const),
          ),
        about: (_, one, action) =>
          objects.about({ apiVersion: 'v1', kind: 'x', metadata: { name: `${one} ${action?.type ?? 'itself'}` } }),
      })),
    );
    await eventually(() => {
      expect(acts).toBe(3);
    });
    expect(events).toMatchObject([{ regarding: { name: 'default/wall paint' }, event: { reason: 'PaintWet' } }]);
    // It was over in between.
    await client.patch(resource, key('wall'), { type: 'merge', patch: { metadata: { labels: { colour: 'blue' } } } });
    await eventually(() => {
      expect(events).toHaveLength(2);
    });
  });

  it('takes one action of a decision, or all, before it observes again, and shows what it observed last', async () => {
    const seen: unknown[] = [];
    const both = (takesAll: boolean): Controller<'provider'> =>
      painter(() => {
        let left = 2;
        return {
          takesAll,
          initial: () => ['default/wall'],
          observe: (one, _, before) => {
            seen.push([left, before === undefined]);
            return { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: one } } };
          },
          decide: ({ object }) => ({
            actions: Array.from(
              { length: left },
              () => ({ type: 'paint', object: object as KubeObject, colour: 'red' }) as const,
            ),
          }),
          act: () => {
            left--;
            return Promise.resolve();
          },
        };
      });
    await run(both(false));
    await eventually(() => {
      expect(seen).toEqual([
        [2, true],
        [1, false],
        [0, false],
      ]);
    });
    await running?.stop();
    seen.length = 0;
    await run(both(true));
    await eventually(() => {
      expect(seen).toEqual([
        [2, true],
        [0, false],
      ]);
    });
  });

  it('ends a run after its actions as the decision says', async () => {
    const acts: string[] = [];
    await run(
      controller('deleter', () => ({
        takesAll: true,
        initial: () => ['a'],
        observe: () => acts.length,
        decide: (taken) => ({
          actions: taken === 4 ? [] : ['first', 'second'].map((type) => ({ type })),
          ends: { kind: 'requeue', afterMs: 5 },
        }),
        act: ({ type }) => {
          acts.push(type);
          return Promise.resolve();
        },
      })),
    );
    await eventually(() => {
      expect(acts).toEqual(['first', 'second', 'first', 'second']);
    });
    expect(looks).toEqual([]);
  });

  it('takes as many rounds as the controller says', async () => {
    const acts = new Map<number | undefined, number>();
    const counter = (rounds: number | undefined): Controller<'provider'> =>
      controller('counter', () => ({
        rounds,
        initial: () => ['a'],
        observe: () => acts.get(rounds) ?? 0,
        decide: (taken) => ({ actions: taken === 30 ? [] : [{ type: 'take', taken }] }),
        act: ({ taken }) => {
          acts.set(rounds, taken + 1);
          return Promise.resolve();
        },
      }));
    for (const [rounds, taken] of [
      [undefined, 12],
      [5, 5],
      [Infinity, 30],
    ] as const) {
      // By the clock of a process that stands still, what has failed is not tried again.
      const one = await runController(counter(rounds), { provider: client }, new FakeClock());
      await eventually(() => {
        expect(acts.get(rounds)).toBe(taken);
      });
      await one.stop();
    }
    expect([...acts.values()]).toEqual([12, 5, 30]);
  });

  it('lets other keys go first where a decision yields', async () => {
    const acts: string[] = [];
    await run(
      controller('greedy', () => ({
        concurrency: 1,
        initial: () => ['a', 'b'],
        observe: (one) => ({ one, left: 2 - acts.filter((name) => name === one).length }),
        decide: ({ one, left }: { readonly one: string; readonly left: number }) => ({
          actions: left === 0 ? [] : [{ type: 'take', one }],
          yields: true,
        }),
        act: ({ one }) => {
          acts.push(one);
          return Promise.resolve();
        },
      })),
    );
    await eventually(() => {
      expect(acts).toEqual(['a', 'b', 'a', 'b']);
    });
  });

  it('fails a key that yields but repeats an action, ever less often', async () => {
    const clock = new FakeClock();
    let acts = 0;
    running = await runController(
      controller('undone', () => ({
        initial: () => ['a'],
        observe: () => 0,
        decide: () => ({ actions: acts === 100 ? [] : [{ type: 'take' }], yields: true }),
        act: () => {
          acts++;
          return Promise.resolve();
        },
      })),
      { provider: client },
      clock,
    );
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);
    // The back-off grows from 50 ms.
    expect(acts).toBeGreaterThan(10);
    expect(acts).toBeLessThan(60);
  });

  it('goes on without an action that it sets aside, and fails in the end, ever less often', async () => {
    const clock = new FakeClock();
    const acts: string[] = [];
    type Walls = { readonly broken: Set<string>; readonly painted: Set<string> };
    running = await runController(
      controller('walls', () => ({
        initial: () => ['house'],
        observe: (_, _signal, before: Walls | undefined) => before ?? { broken: new Set(), painted: new Set() },
        decide: ({ broken, painted }: Walls) => ({
          actions: ['a', 'b', 'c']
            .filter((wall) => !broken.has(wall) && !painted.has(wall))
            .map((wall) => ({ type: 'paint', wall })),
          yields: true,
          requeueAfterMs: 10,
        }),
        act({ wall }, _, { painted }): Promise<void> {
          acts.push(wall);
          if (wall !== 'c') return Promise.reject(new Error(`${wall} takes no paint`));
          painted.add(wall);
          return Promise.resolve();
        },
        setAside(_, { wall }, { broken }) {
          broken.add(wall);
          return true;
        },
      })),
      { provider: client },
      clock,
    );
    await eventually(() => {
      expect(acts).toEqual(['a', 'b', 'c']);
    });
    for (let seconds = 0; seconds < 60; seconds++) await clock.advance(1_000);
    // The back-off grows from 50 ms.
    expect(acts.length).toBeGreaterThan(3 * 6);
    expect(acts.length).toBeLessThan(3 * 20);
    expect(acts).toEqual(acts.map((_, at) => 'abc'[at % 3]));
  });

  it('looks again when a decision wants it, though an action that was set aside fails for ever', async () => {
    const clock = new FakeClock();
    const looksAt: number[] = [];
    let broken = false;
    running = await runController(
      controller('house', () => ({
        initial: () => ['house'],
        observe(_, _signal, before: { readonly isBroken: boolean } | undefined) {
          if (before === undefined) broken = false;
          return { isBroken: broken };
        },
        decide: ({ isBroken }) => ({ actions: isBroken ? [] : [{ type: 'paint' }], requeueAfterMs: 60_000 }),
        act(): Promise<void> {
          looksAt.push(clock.monotonic());
          return Promise.reject(new Error('the wall takes no paint'));
        },
        setAside: () => (broken = true),
      })),
      { provider: client },
      clock,
    );
    for (let seconds = 0; seconds < 3_600; seconds++) await clock.advance(1_000);
    // The back-off alone grows to five minutes.
    const gaps = looksAt.slice(1).map((at, index) => at - (looksAt[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(61_000);
    // But it does grow.
    expect(looksAt.length).toBeLessThan(140);
    expect(looksAt.length).toBeGreaterThan(59);
  });

  it('tries an action that was set aside ever less often however soon a decision wants to be looked at', async () => {
    const clock = new FakeClock();
    let acts = 0;
    let broken = false;
    running = await runController(
      controller('house', () => ({
        initial: () => ['house'],
        observe(_, _signal, before: object | undefined) {
          if (before === undefined) broken = false;
          return { isBroken: broken };
        },
        decide: ({ isBroken }: { readonly isBroken: boolean }) => ({
          actions: isBroken ? [] : [{ type: 'paint' }],
          requeueAfterMs: 0,
        }),
        act(): Promise<void> {
          acts++;
          return Promise.reject(new Error('the wall takes no paint'));
        },
        setAside: () => (broken = true),
      })),
      { provider: client },
      clock,
    );
    for (let seconds = 0; seconds < 600; seconds++) await clock.advance(1_000);
    expect(acts).toBeGreaterThan(20);
    expect(acts).toBeLessThan(60);
  });

  it('lets no other key come between the last look and the action', async () => {
    let made = 0;
    let looked = 0;
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await run(
      controller('bounded', () => ({
        concurrency: 8,
        initial: () => names,
        observe: async () => {
          await new Promise(setImmediate);
          return { made: 0 };
        },
        lastLook: () => {
          looked++;
          return { made };
        },
        decide: (seen: { readonly made: number }) => ({ actions: seen.made < 3 ? [{ type: 'make' }] : [] }),
        act: async () => {
          made++;
          await new Promise(setImmediate);
          return { kind: 'done' } as const;
        },
      })),
    );
    await eventually(() => {
      expect(looked).toBe(8);
    });
    expect(made).toBe(3);
  });

  it('keeps within its budget of writes', async () => {
    await create('wall', 'red');
    const seen: string[] = [];
    await run(
      painter((objects) => ({
        budget: { burst: 1, refillMs: 60_000 },
        act: async (action, signal) => {
          seen.push(action.colour);
          await objects.patch(action.object, { metadata: { annotations: { painted: action.colour } } }, signal);
        },
      })),
    );
    await eventually(async () => {
      expect(await painted('wall')).toBe('red');
    });
    looks = [];
    await client.patch(resource, key('wall'), { type: 'merge', patch: { metadata: { labels: { colour: 'blue' } } } });
    await eventually(() => {
      expect(looks).toContain('default/wall');
    });
    expect(seen).toEqual(['red']);
  });

  it('looks at the keys that it names when it starts, and creates as its field manager', async () => {
    await run(
      painter((objects) => ({
        initial: () => ['default/wall'],
        observe: (one) => ({
          object: objects.get(one) ?? {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'wall', namespace: 'default', labels: { colour: 'red' } },
          },
        }),
        act: async (action, signal) => {
          await objects.create(
            { ...action.object, metadata: { ...action.object.metadata, annotations: { painted: action.colour } } },
            signal,
          );
        },
      })),
    );
    await eventually(async () => {
      expect(await painted('wall')).toBe('red');
    });
    expect((await client.get(resource, key('wall'))).metadata.managedFields).toMatchObject([
      { manager: 'hawser-painter' },
    ]);
  });

  it('looks at the keys that it names when it starts however often others come', async () => {
    await create('wall', 'red');
    const seen: string[] = [];
    await run(
      controller('busy', ({ clusters, watch, look }: Setup<'provider'>) => {
        watch(clusters.provider, configMaps, () => 'a');
        return {
          concurrency: 1,
          initial: () => ['named'],
          observe(one) {
            seen.push(one);
            // One of the two waits at any time.
            if (one !== 'named' && seen.length < 500) look(one === 'a' ? 'b' : 'a', 'normal');
            return one;
          },
          decide: () => ({ actions: [] }),
          act: () => Promise.resolve(),
        };
      }),
    );
    await eventually(() => {
      expect(seen).toContain('named');
    });
    expect(seen.indexOf('named')).toBeLessThan(10);
  });

  it('ends a run whose object is gone, and does not try again what its cache still shows', async () => {
    const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
    const own = { resource: namespaces, kind: 'Namespace', labelSelector: 'colour' } as const;
    const home = (name: string) =>
      client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { colour: 'red' } } });
    await home('former');
    await run(
      controller('homes', ({ clusters, watch }: Setup<'provider'>) => {
        const objects = watch(clusters.provider, own, toOwnKey);
        return {
          concurrency: 1,
          observe(one: string) {
            looks.push(one);
            return objects.get(one);
          },
          decide: (object): Decision<{ readonly type: 'report'; readonly object: KubeObject }> => ({
            actions: object?.metadata.name === 'former' ? [{ type: 'report', object }] : [],
          }),
          async act({ object }, signal) {
            const former = {
              ...object,
              metadata: { ...object.metadata, uid: 'of-its-predecessor', resourceVersion: '1' },
            };
            await objects.commitStatus(former, (status) => ({ ...status, colour: 'red' }), signal);
          },
        };
      }),
    );
    await home('next');
    await eventually(() => {
      expect(looks).toContain('next');
    });
    expect(looks.filter((one) => one === 'former')).toHaveLength(1);
  });

  it('tells again what has ended, unless a decision says that it lasts', async () => {
    await create('wall', 'invisible');
    await create('door', 'invisible');
    const { events } = await run(
      painter(() => ({
        decide: (seen) => ({ ...decide(seen), actions: [], lasts: seen.object?.metadata.name === 'door' }),
      })),
    );
    const eventCount = (name: string): number => events.filter(({ regarding }) => regarding.name === name).length;
    await eventually(() => {
      expect([eventCount('wall'), eventCount('door')]).toEqual([1, 1]);
    });
    for (const colour of ['red', 'invisible'])
      for (const name of ['door', 'wall']) {
        const before = looks.length;
        await client.patch(resource, key(name), { type: 'merge', patch: { metadata: { labels: { colour } } } });
        await eventually(() => {
          expect(looks.length).toBeGreaterThan(before);
        });
      }
    await eventually(() => {
      expect(eventCount('wall')).toBe(2);
    });
    expect(eventCount('door')).toBe(1);
  });

  it('writes a status, and sees it at once', async () => {
    type House = KubeObject & {
      readonly spec: { readonly colour: string };
      readonly status?: { readonly colour?: string };
    };
    const houses = { group: 'example.com', version: 'v1', resource: 'houses' };
    const field = { type: 'object', properties: { colour: { type: 'string' } } };
    const definition = {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'House', plural: 'houses' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: field, status: field } } },
        },
      ],
    };
    await client.create({ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'houses.example.com' },
      spec: definition,
    } as KubeObject);
    await eventually(() =>
      client.create(houses, {
        apiVersion: 'example.com/v1',
        kind: 'House',
        metadata: { name: 'home' },
        spec: { colour: 'red' },
      } as KubeObject),
    );
    const cached: unknown[] = [];
    await run(
      controller('houses', ({ clusters, watch }: Setup<'provider'>) => {
        const objects = watch<House>(clusters.provider, { resource: houses, kind: 'House' }, toOwnKey, {
          changed: generationChanged,
        });
        return {
          observe: (one: string) => objects.get(one),
          decide: (object): Decision<{ readonly type: 'report'; readonly object: House }> => ({
            actions:
              object === undefined || object.status?.colour === object.spec.colour ? [] : [{ type: 'report', object }],
          }),
          async act({ object }, signal) {
            await objects.commitStatus(object, (status) => ({ ...status, colour: object.spec.colour }), signal);
            cached.push(objects.get('home')?.status?.colour);
          },
        };
      }),
    );
    await eventually(() => {
      expect(cached).toEqual(['red']);
    });
  });
});
