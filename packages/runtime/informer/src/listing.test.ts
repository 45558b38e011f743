import { type Logger, silentLogger } from '@hawser/telemetry';
import { describe, expect, it } from '@jest/globals';
import type { InformerState } from './informer.js';
import { type FakeApiServer, apiError } from './testing/fake-api-server.js';
import { Recorder, contents, synced, until } from './testing/harness.js';
import { useScenario } from './testing/scenario.js';

const scenario = useScenario();

describe('the first list', () => {
  it('is fetched in pages, delivered as initial adds, and followed by a watch from its version', async () => {
    scenario.create({ pageSize: 2 });
    const { server } = scenario.harness;
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.create(name);
    const informer = scenario.harness.acquire();
    const recorder = new Recorder();
    informer.addHandler(recorder.handler);
    expect(informer.hasSynced).toBe(false);
    await informer.synced();
    expect(recorder.take()).toEqual(['initial a=0', 'initial b=0', 'initial c=0', 'initial d=0', 'initial e=0']);
    expect(server.listRequests.map(({ limit, resourceVersion }) => ({ limit, resourceVersion }))).toEqual(
      Array(3).fill({ limit: 2, resourceVersion: undefined }),
    );
    await synced(informer);
    expect(server.watchRequests).toEqual([
      expect.objectContaining({ resourceVersion: server.resourceVersion, allowBookmarks: true, timeoutSeconds: 1_200 }),
    ]);
    expect(informer.get('default/a')).toBe(informer.get({ namespace: 'default', name: 'a' }));
    expect(informer.size).toBe(5);
  });

  it('does not miss what changes between its pages and before the watch', async () => {
    scenario.create({ pageSize: 2 });
    const { server } = scenario.harness;
    for (const name of ['a', 'b', 'c']) server.create(name);
    server.beforePage = (page) => {
      if (page !== 2) return;
      server.update('a', 1);
      server.create('d');
      server.delete('b');
    };
    const informer = scenario.harness.acquire();
    await synced(informer);
    await until(() => informer.get('default/d') !== undefined && informer.get('default/b') === undefined);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });

  it.each(['repeats', 'empty'] as const)(
    'is given up when its pages do not end (%s), and tried again with back-off',
    async (endless) => {
      scenario.create({ pageSize: 2 });
      const { server, clock } = scenario.harness;
      server.create('a');
      server.endless = endless;
      const informer = scenario.harness.acquire();
      await until(() => informer.state.phase === 'waiting');
      expect(informer.state).toMatchObject({ phase: 'waiting', error: { code: 'Malformed' } });
      expect(server.listRequests.length).toBeLessThan(110);
      expect(informer.hasSynced).toBe(false);
      server.endless = undefined;
      await clock.advance(800);
      await synced(informer);
      expect(informer.get('default/a')).toBeDefined();
    },
  );

  it('lets the event loop turn while a large page is taken in', async () => {
    scenario.create({ pageSize: 5000 });
    for (let index = 0; index < 3000; index++) scenario.harness.server.create(`n${index}`);
    const informer = scenario.harness.acquire();
    let turns = 0;
    let running = true;
    const turn = (): void => {
      turns++;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    await informer.synced();
    running = false;
    expect(turns).toBeGreaterThanOrEqual(15);
    await synced(informer);
  });

  it.each([
    'Unauthorized',
    'Forbidden',
    'NotFound',
    'InternalError',
    'Unavailable',
    'TooManyRequests',
    'Unreachable',
    'Malformed',
  ] as const)('is tried for ever after %s, and says so', async (code) => {
    scenario.create();
    const { server, clock } = scenario.harness;
    server.listFaults.push(...Array.from({ length: 8 }, () => apiError(code)));
    server.create('a');
    const informer = scenario.harness.acquire();
    const phases: InformerState['phase'][] = [];
    informer.onStateChange((state) => {
      phases.push(state.phase);
    });
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ phase: 'waiting', failures: 1, error: { code } });
    await clock.advance(799);
    expect(server.listRequests).toHaveLength(1);
    await clock.advance(1);
    expect(server.listRequests).toHaveLength(2);
    // 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30 seconds.
    await clock.advance(1600 + 3200 + 6400 + 12_800 + 25_600 + 30_000 - 1);
    expect(informer.state).toMatchObject({ phase: 'waiting', failures: 7 });
    expect(informer.hasSynced).toBe(false);
    await clock.advance(30_001);
    await synced(informer);
    expect(informer.hasSynced).toBe(true);
    // No flicker while it is tried again.
    expect([...new Set(phases.slice(0, -2))]).toEqual(['waiting']);
    expect(phases.slice(-2)).toEqual(['listing', 'watching']);
  });

  it('is warned of once for each answer', async () => {
    const warned: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (_, fields) => {
        warned.push(fields?.['error']);
      },
      child: () => logger,
    };
    scenario.create({ logger });
    const { server, clock } = scenario.harness;
    const [forbidden, unavailable] = [apiError('Forbidden'), apiError('Unavailable')];
    server.listFaults.push(forbidden, forbidden, forbidden, unavailable, unavailable);
    const informer = scenario.harness.acquire();
    await until(() => informer.state.phase === 'waiting');
    await clock.advance(800 + 1600 + 3200 + 6400 + 12_800);
    await synced(informer);
    expect(warned).toEqual([forbidden, unavailable]);
  });

  it('waits as long as the server asks', async () => {
    scenario.create();
    scenario.harness.server.listFaults.push(apiError('TooManyRequests', 'slow down', { retryAfterMs: 20_000 }));
    const informer = scenario.harness.acquire();
    await scenario.harness.clock.advance(19_999);
    expect(scenario.harness.server.listRequests).toHaveLength(1);
    await scenario.harness.clock.advance(1);
    await synced(informer);
  });

  it('survives an answer that makes no sense', async () => {
    scenario.create();
    const { server, clock } = scenario.harness;
    const list = server.client.list.bind(server.client);
    Object.assign(server.client, { list: () => Promise.resolve({ metadata: {}, items: [{ nonsense: true }] }) });
    const informer = scenario.harness.acquire();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.state).toMatchObject({ error: { code: 'Malformed' } });
    Object.assign(server.client, { list });
    await clock.advance(1000);
    await synced(informer);
  });
});

describe('half a list', () => {
  it.each(['Unreachable', 'Expired'] as const)(
    'that ends with %s deletes nothing; the next complete one does',
    async (code) => {
      const { server, clock, informer, recorder, equal, live } = await scenario.start(['a', 'b', 'c', 'd'], {
        pageSize: 2,
      });
      await live();
      server.silenceWatches();
      server.delete('a');
      server.create('e');
      server.update('b', 1);
      server.compact();
      server.failWatches(apiError('Expired'));
      server.listFaults.push(undefined, apiError(code));
      await clock.advance(800);
      await until(() => informer.state.phase === 'waiting' && informer.state.failures === 2);
      expect(recorder.words.filter((word) => word.startsWith('delete'))).toEqual([]);
      expect(informer.get('default/a')).toBeDefined();
      await clock.advance(1600);
      await synced(informer);
      expect(recorder.take().sort()).toEqual(['add e=0', 'delete a=0', 'update b=0→1']);
      equal();
    },
  );

  it('does not count as synced', async () => {
    scenario.create({ pageSize: 1 });
    const { server, clock } = scenario.harness;
    server.create('a');
    server.create('b');
    server.listFaults.push(undefined, apiError('Unreachable'));
    const informer = scenario.harness.acquire();
    await until(() => informer.state.phase === 'waiting');
    expect(informer.hasSynced).toBe(false);
    expect(informer.size).toBe(1);
    const recorder = new Recorder();
    informer.addHandler(recorder.handler);
    await clock.advance(800);
    await synced(informer);
    expect(recorder.take()).toEqual(['initial a=0', 'initial b=0']);
  });

  it('is given up for a whole one where the server forgets faster than pages can be read', async () => {
    scenario.create({ pageSize: 1 });
    const { server, clock } = scenario.harness;
    server.create('a');
    server.create('b');
    server.beforePage = () => {
      server.compact();
    };
    const informer = scenario.harness.acquire();
    await clock.advance(10_000);
    await synced(informer);
    expect(server.listRequests.filter((request) => request.limit === undefined)).toHaveLength(1);
    expect(informer.size).toBe(2);
  });
});

describe('a list that is asked for', () => {
  /** The same version in another shape, as after a change of the schema: the watch has told of it in the old one. */
  const reshape = (server: FakeApiServer, name: string, value: number): void => {
    const before = server.objects.get(`default/${name}`);
    if (before === undefined) throw new Error(`there is no ${name}`);
    server.objects.set(`default/${name}`, { ...before, spec: { value } });
  };

  it('takes what the server says also at a version that is known, tells of that alone, and goes on watching', async () => {
    const { server, informer, recorder, equal } = await scenario.start(['a', 'b']);
    reshape(server, 'a', 9);
    informer.relist();
    await until(() => server.watchRequests.length === 2);
    expect(recorder.words).toEqual(['update a=0→9']);
    expect(server.openWatches).toBe(1);
    expect([...scenario.harness.series('hawser_informer_relists_total')]).toEqual([['asked', 1]]);
    server.update('b', 3);
    await until(() => recorder.words.length === 2);
    equal();
  });

  it('is made after the one that is under way, which may have begun too early', async () => {
    scenario.create({ pageSize: 1 });
    const { server } = scenario.harness;
    for (const name of ['a', 'b']) server.create(name);
    const informer = scenario.harness.acquire();
    const recorder = new Recorder();
    informer.addHandler(recorder.handler);
    server.beforePage = (page) => {
      if (page !== 2) return;
      server.beforePage = () => undefined;
      reshape(server, 'a', 9);
      informer.relist();
    };
    await until(() => recorder.words.includes('update a=0→9'));
    await synced(informer);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });

  it('is made once it can be, after failures', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    server.listFaults.push(apiError('Unavailable'));
    reshape(server, 'a', 9);
    informer.relist();
    await until(() => informer.state.phase === 'waiting');
    expect(recorder.words).toEqual([]);
    await clock.advance(800);
    await until(() => recorder.words.length === 1);
    equal();
  });

  it('is made by an informer that waits before it watches again', async () => {
    const { server, clock, informer, recorder, equal } = await scenario.start(['a']);
    server.watchFaults.push(apiError('Forbidden'));
    server.failWatches(apiError('Forbidden'));
    await until(() => informer.state.phase === 'waiting');
    reshape(server, 'a', 9);
    informer.relist();
    await clock.advance(2_000);
    await until(() => recorder.words.length === 1);
    equal();
  });
});

describe('an object that is nested deeper than anything can compare', () => {
  /** Far beyond what a stack takes, also after everything has been compiled. */
  const deep = (leaf: string): Record<string, unknown> => {
    let value: Record<string, unknown> = { leaf };
    for (let level = 0; level < 50_000; level++) value = { a: value };
    return value;
  };

  it('stops neither its neighbours nor the list, and is there', async () => {
    scenario.create({ pageSize: 2 });
    const { server, clock } = scenario.harness;
    for (const name of ['a', 'b', 'c', 'd']) server.create(name);
    server.nest('b', () => deep('one'));
    const informer = scenario.harness.acquire();
    const updates: string[] = [];
    informer.addHandler({
      onUpdate: (before, after) => {
        updates.push(`${after.metadata.name}=${before.spec.value}→${after.spec.value}`);
      },
    });
    await synced(informer);
    // Another version of the same content, by the watch, and by lists that compare what they find.
    server.update('b', 1);
    server.update('c', 1);
    await until(() => informer.get('default/c')?.spec.value === 1);
    expect(updates).toEqual(['b=0→1', 'c=0→1']);
    informer.relist();
    server.update('d', 1);
    await until(() => informer.get('default/d')?.spec.value === 1);
    await clock.advance(60_000);
    await until(() => informer.state.phase === 'watching');
    expect(informer.get('default/b')).toMatchObject({ spec: { value: 1 } });
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
  });
});

describe('pages that are longer than what is read', () => {
  const MB = 1024 * 1024;

  it('are asked for again with fewer objects, until they fit, and with more where objects are small again', async () => {
    scenario.create();
    const { server } = scenario.harness;
    for (let index = 0; index < 97; index++) {
      const name = `a-large-${index}`;
      server.create(name);
      server.lengths.set(name, 1.4 * MB);
    }
    for (let index = 0; index < 2_000; index++) server.create(`small-${index}`);
    const informer = scenario.harness.acquire();
    await synced(informer);
    expect(contents(informer.list())).toEqual(contents(server.objects.values()));
    const limits = server.listRequests.map(({ limit }) => limit);
    expect(limits.slice(0, 4)).toEqual([500, 125, 31, 7]);
    expect(limits.length).toBeLessThan(60);
    expect(limits.at(-1)).toBeGreaterThan(100);
    for (const { limit, maxBytes } of server.listRequests)
      expect(limit === 1 || (maxBytes ?? Infinity) <= 8 * MB).toBe(true);
  });

  it('pass over an object that does not fit alone: what was known of it stays, and it is said', async () => {
    scenario.create();
    const { server } = scenario.harness;
    for (let index = 0; index < 300; index++) server.create(`n${index}`);
    const informer = scenario.harness.acquire();
    const deletions: string[] = [];
    informer.addHandler({
      onDelete: ({ metadata }) => {
        deletions.push(metadata.name);
      },
    });
    await synced(informer);
    for (let index = 10; index < 160; index++) server.lengths.set(`n${index}`, 200 * MB);
    server.delete('n200');
    informer.relist();
    await until(() => informer.get('default/n200') === undefined);
    await synced(informer);
    expect(informer.size).toBe(299);
    expect(deletions).toEqual(['n200']);
    expect(scenario.harness.logged).toContain('an object could not be read; what was known of it before stays');
  });
});
