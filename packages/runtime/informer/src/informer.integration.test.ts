import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Client, createClient } from '@hawser/client';
import { type FaultProxy, type FaultRule, createFaultProxy } from '@hawser/faultproxy';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import type { Informer, InformerSpec, SharedInformers } from './informer.js';
import { type SharedInformersOptions, createSharedInformers } from './shared-informers.js';
import { CONFIG_MAPS, type ConfigMap, ConfigMaps, byName } from './testing/config-maps.js';
import { CountingClock } from './testing/counting-clock.js';
import { View } from './testing/view.js';

const OPTIONS = {
  random: Math.random,
  logger: silentLogger,
  metrics: noMetrics,
  pageSize: 5,
  backoff: { initialMs: 50, capMs: 400 },
};

describeWithControlPlane('informers of a real API server', () => {
  let cluster: SharedControlPlane;
  let direct: Client;
  let proxy: FaultProxy;

  beforeAll(async () => {
    cluster = await sharedControlPlane('provider');
    direct = createClient({ name: 'direct', connection: cluster.connection });
  });
  afterAll(async () => {
    await direct.close();
  });

  let maps: ConfigMaps;
  let client: Client;
  let informers: SharedInformers;
  let clock: CountingClock;
  let view: View;

  beforeEach(async () => {
    maps = new ConfigMaps(direct, uniqueNamespace('informer'));
    await maps.createNamespace();
    await Promise.all(Array.from({ length: 12 }, (_, index) => maps.create(`map-${index}`)));
    proxy = await createFaultProxy({ upstream: cluster.connection });
    client = createClient({ name: 'proxied', connection: proxy.connection });
    view = new View();
  });

  function start(options: Partial<SharedInformersOptions> = {}, spec: Partial<InformerSpec> = {}): Informer<ConfigMap> {
    clock = new CountingClock();
    informers = createSharedInformers({ client, clock, ...OPTIONS, ...options });
    const informer = informers.acquire<ConfigMap>({ resource: CONFIG_MAPS, namespace: maps.namespace, ...spec });
    informer.addHandler(view.handler);
    return informer;
  }

  const watches = (informer: Informer<ConfigMap>): Promise<unknown> =>
    eventually(() => informer.state.phase === 'watching');
  const lists = (): number =>
    proxy.requests.filter(({ url, watch }) => !watch && url.includes('limit=5') && !url.includes('continue=')).length;

  /** One of each change, so that whatever the fault hides can be missed. */
  async function change(round: number): Promise<void> {
    await Promise.all([
      maps.create(`new-${round}`),
      maps.set('map-1', `round ${round}`),
      maps.delete(`map-${round + 2}`),
      maps.delete('map-0').then(() => maps.create('map-0', `made anew ${round}`)),
    ]);
  }

  async function becomesEqual(informer: Informer<ConfigMap>): Promise<void> {
    const truth = await maps.list();
    await eventually(
      () => {
        expect(byName(informer.list())).toEqual(truth);
        expect(informer.state.phase).toBe('watching');
      },
      { timeoutMs: 20_000 },
    );
    expect(byName(view.objects.values())).toEqual(truth);
    expect(view.words.filter((word) => word.endsWith('out of order'))).toEqual([]);
  }

  afterEach(async () => {
    await informers.close();
    expect(clock.pendingTimers).toBe(0);
    // Requests end at once; pooled connections with the client.
    await eventually(() => proxy.openRequests === 0);
    await client.close();
    await eventually(() => proxy.connections === 0);
    await proxy.stop();
    await maps.deleteAll();
  });

  it('follow it: pages, then every change', async () => {
    const informer = start();
    await informer.synced();
    expect(view.words.filter((word) => word.startsWith('add map-'))).toHaveLength(12);
    await watches(informer);
    expect(proxy.requests.filter(({ url, watch }) => !watch && url.includes('limit=5'))).toHaveLength(3);
    await change(1);
    await becomesEqual(informer);
    expect(informer.get({ namespace: maps.namespace, name: 'map-1' })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { value: 'round 1' },
    });
    expect(informer.get({ namespace: maps.namespace, name: 'map-1' })?.metadata).not.toHaveProperty('managedFields');
    expect(lists()).toBe(1);
  });

  it('keep metadata alone where that is asked for, and managedFields where they are', async () => {
    const metadata = start({}, { projection: 'metadata' });
    const whole = informers.acquire<ConfigMap>({
      resource: CONFIG_MAPS,
      namespace: maps.namespace,
      keepManagedFields: true,
    });
    await Promise.all([metadata.synced(), whole.synced(), watches(metadata), watches(whole)]);
    expect(metadata.size).toBe(12);
    await maps.set('map-1', 'changed');
    await maps.create('added');
    await eventually(() => metadata.size === 13 && whole.size === 13);
    expect(metadata.list().filter((object) => 'data' in object)).toEqual([]);
    expect(whole.list().filter(({ metadata: { managedFields } }) => managedFields === undefined)).toEqual([]);
  });

  it('select by labels; what loses its label is deleted', async () => {
    const labelled = (value: string | null): Promise<unknown> =>
      direct.patch(
        CONFIG_MAPS,
        { namespace: maps.namespace, name: 'map-3' },
        { type: 'merge', patch: { metadata: { labels: { pick: value } } } },
      );
    const informer = start({}, { labelSelector: 'pick=me' });
    await informer.synced();
    expect(informer.size).toBe(0);
    await watches(informer);
    await labelled('me');
    await eventually(() => informer.size === 1);
    await labelled(null);
    await eventually(() => informer.size === 0);
    await labelled('me');
    await eventually(() => informer.size === 1);
    expect(view.words).toEqual(['add map-3', 'delete map-3', 'add map-3']);
  });

  it('take in answers of writes before the watch does, and deliver them once', async () => {
    const informer = start();
    await watches(informer);
    view.words.length = 0;
    informer.observe(await maps.create('own'));
    expect(informer.get(`${maps.namespace}/own`)?.data).toEqual({ value: '0' });
    informer.observe(await maps.set('own', '1'));
    expect(view.words).toEqual(['add own', 'update own']);
    const late = await maps.set('own', '2');
    await maps.delete('own');
    await maps.create('marker');
    await eventually(() => informer.get(`${maps.namespace}/marker`) !== undefined);
    informer.observe(late);
    expect(informer.get(`${maps.namespace}/own`)).toBeUndefined();
    await becomesEqual(informer);
    expect(view.words.filter((word) => word === 'add own')).toHaveLength(1);
  });

  it('share one watch, and close it with the last share', async () => {
    const first = start();
    const second = informers.acquire<ConfigMap>({ resource: CONFIG_MAPS, namespace: maps.namespace });
    await watches(first);
    expect(proxy.requests.filter(({ watch }) => watch)).toHaveLength(1);
    second.release();
    await maps.create('still');
    await eventually(() => first.size === 13);
    (first as typeof second).release();
    await eventually(() => proxy.openRequests === 0);
    expect(informers.active).toEqual([]);
  });

  const LIST = { match: { method: 'GET', watch: false } };
  const WATCH = { match: { watch: true } };
  const status = (code: number, more: object = {}) => ({ kind: 'status', code, ...more }) as const;

  it.each<[string, FaultRule[]]>([
    ['latency', [{ fault: { kind: 'latency', ms: 200 } }]],
    ['a reset in the middle of a page', [{ ...LIST, times: 6, fault: { kind: 'reset', afterBytes: 700 } }]],
    ['a reset before an answer', [{ times: 6, fault: { kind: 'reset' } }]],
    ['half a list', [{ ...LIST, times: 3, fault: { kind: 'truncate' } }]],
    ['a second page that is cut', [{ match: { path: /continue=/u }, times: 2, fault: { kind: 'truncate' } }]],
    [
      'a continue token that expired',
      [{ match: { path: /continue=/u }, times: 2, fault: status(410, { reason: 'Expired' }) }],
    ],
    ['410', [{ ...WATCH, times: 2, fault: status(410, { reason: 'Expired' }) }]],
    ['410 within the watch', [{ ...WATCH, times: 2, fault: { kind: 'watch-error' } }]],
    ['429', [{ times: 4, fault: status(429, { retryAfterSeconds: 1 }) }]],
    ['500', [{ times: 5, fault: status(500) }]],
    [
      '500 within the watch',
      [{ ...WATCH, times: 4, fault: { kind: 'watch-error', code: 500, reason: 'InternalError' } }],
    ],
    ['503', [{ times: 5, fault: status(503) }]],
    ['401, then good again', [{ times: 5, fault: status(401) }]],
    ['403, then good again', [{ times: 5, fault: status(403) }]],
    ['404, then good again', [{ times: 5, fault: status(404) }]],
    ['a watch that is reset within an event', [{ ...WATCH, times: 3, fault: { kind: 'reset', afterBytes: 300 } }]],
    ['a watch that ends within an event', [{ ...WATCH, times: 2, fault: { kind: 'watch-error', afterEvents: 1 } }]],
    ['a watch that goes silent', [{ ...WATCH, times: 2, fault: { kind: 'silence', afterEvents: 1 } }]],
    ['a watch that is not answered', [{ times: 1, ...WATCH, fault: { kind: 'hang' } }]],
  ])('recover from %s at the start, with changes meanwhile', async (_name, rules) => {
    for (const rule of rules) proxy.inject(rule);
    const informer = start({ stallTimeoutMs: 1500 });
    for (let round = 1; round <= 3; round++) await change(round);
    await becomesEqual(informer);
    await proxy.clear();
    await change(4);
    await becomesEqual(informer);
  });

  it.each<[string, (informer: Informer<ConfigMap>) => Promise<void>, { relists: number }]>([
    [
      'a reset',
      async () => {
        proxy.dropAll();
        await change(1);
      },
      { relists: 0 },
    ],
    [
      'a server that cannot be reached for a while',
      async () => {
        await proxy.refuse();
        await change(1);
        await proxy.accept();
      },
      { relists: 0 },
    ],
    [
      'credentials that were refused for a while',
      async (informer) => {
        const fault = proxy.inject({ fault: status(401) });
        proxy.dropAll();
        await eventually(() => informer.state.phase === 'waiting' && informer.state.error.code === 'Unauthorized');
        await change(1);
        await eventually(() => fault.hits > 3);
        expect(informer.hasSynced).toBe(true);
        expect(informer.size).toBe(12);
        fault.remove();
      },
      { relists: 0 },
    ],
    [
      'a watch that was told 410',
      async () => {
        proxy.inject({ ...WATCH, times: 1, fault: status(410, { reason: 'Expired' }) });
        proxy.dropAll();
        await change(1);
      },
      { relists: 1 },
    ],
    [
      'a relist that broke off',
      async (informer) => {
        proxy.inject({ ...WATCH, times: 1, fault: status(410, { reason: 'Expired' }) });
        const half = proxy.inject({ match: { path: /continue=/u }, fault: status(500) });
        proxy.dropAll();
        await change(1);
        await eventually(() => half.hits >= 3);
        // Objects of the missing pages are still there; the one that was deleted, too.
        expect(informer.get(`${maps.namespace}/map-3`)).toBeDefined();
        expect(view.words.filter((word) => word.startsWith('delete') && word !== 'delete map-0')).toEqual([]);
        half.remove();
      },
      { relists: NaN },
    ],
  ])('recover from %s in the middle of their life', async (_name, fault, { relists }) => {
    const informer = start();
    await watches(informer);
    expect(informer.size).toBe(12);
    const before = lists();
    await fault(informer);
    await becomesEqual(informer);
    if (!Number.isNaN(relists)) expect(lists() - before).toBe(relists);
    await change(2);
    await becomesEqual(informer);
  });
});
