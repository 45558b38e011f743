import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, type KubeObject, createClient, isApiError } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import {
  type SharedControlPlane,
  describeWithControlPlane,
  eventually,
  sharedControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';
import type { LeaderElector, Leadership } from './lease.js';
import { createLeaderElector } from './leader-elector.js';
import type { Lease } from './lease-record.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const short = { leaseDurationMs: 6000, renewDeadlineMs: 4000, retryPeriodMs: 200 };

describeWithControlPlane('leader election on a real API server', () => {
  let cluster: SharedControlPlane;
  let namespace: string;
  const clients: Client[] = [];
  const stoppers: (() => Promise<void>)[] = [];

  const newClient = (name: string): Client => {
    const client = createClient({ name, connection: cluster.connection });
    clients.push(client);
    return client;
  };

  function campaign(lease: string, identity: string, client = newClient(identity)) {
    const elector: LeaderElector = createLeaderElector({
      client,
      namespace,
      name: lease,
      identity,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      ...short,
    });
    const stopper = new AbortController();
    const terms: Leadership[] = [];
    const running = elector.run(async (leadership) => {
      terms.push(leadership);
      await new Promise<void>((resolve) => {
        leadership.signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      });
    }, stopper.signal);
    const stop = async (): Promise<void> => {
      stopper.abort();
      await running;
    };
    stoppers.push(stop);
    return { elector, client, terms, stop, leads: () => terms.at(-1)?.signal.aborted === false };
  }

  const read = (name: string): Promise<Lease> => clients[0]!.get<Lease>(leases, { namespace, name });

  beforeAll(async () => {
    cluster = await sharedControlPlane('consumer');
    namespace = uniqueNamespace('lease');
    await newClient('admin').create(
      { group: '', version: 'v1', resource: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    );
  });

  afterAll(async () => {
    await Promise.all(stoppers.map((stop) => stop()));
    await Promise.all(clients.map((client) => client.close()));
  });

  it('one of two leads, and hands over at once when it is stopped', async () => {
    const [a, b] = [campaign('hand-over', 'a'), campaign('hand-over', 'b')];
    await eventually(() => a.leads() || b.leads());
    const [leader, follower] = a.leads() ? [a, b] : [b, a];
    await eventually(() => {
      expect(follower.elector.state).toEqual({ kind: 'following', leader: leader === a ? 'a' : 'b' });
    });
    const before = await read('hand-over');
    await leader.stop();
    await eventually(() => follower.leads(), { timeoutMs: short.leaseDurationMs });
    const after = await read('hand-over');
    expect(after.spec?.leaseTransitions).toBe((before.spec?.leaseTransitions ?? 0) + 1);
    expect(after.spec?.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('one that loses its connection stops writing before the other leads', async () => {
    const a = campaign('killed', 'a');
    await eventually(() => a.leads());
    const guarded = newClient('writer').withWriteGuard(a.terms[0]!.signal);
    const marker: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'marker', namespace } };
    await guarded.create(configMaps, marker);
    const b = campaign('killed', 'b');
    let overlap = false;
    a.terms[0]!.signal.addEventListener('abort', () => {
      overlap = b.leads();
    });
    // The leader's own connection is gone; it can neither renew nor release.
    await a.client.close();
    await eventually(() => b.leads(), { timeoutMs: 20_000 });
    expect(overlap).toBe(false);
    expect(a.leads()).toBe(false);
    const refused = await guarded.delete(configMaps, { namespace, name: 'marker' }).catch((error: unknown) => error);
    expect(isApiError(refused, 'Aborted')).toBe(true);
    await newClient('reader').get(configMaps, { namespace, name: 'marker' });
  });

  it('a new process of the same identity leads at once', async () => {
    const first = campaign('same', 'me');
    await eventually(() => first.leads());
    const before = await read('same');
    await first.client.close();
    const start = performance.now();
    const second = campaign('same', 'me');
    await eventually(() => second.leads());
    expect(performance.now() - start).toBeLessThan(short.leaseDurationMs);
    expect((await read('same')).spec).toMatchObject({
      holderIdentity: 'me',
      leaseTransitions: before.spec?.leaseTransitions,
      acquireTime: before.spec?.acquireTime,
    });
  });

  it('goes on leading when others touch the object', async () => {
    const a = campaign('touched', 'a');
    await eventually(() => a.leads());
    for (let i = 0; i < 5; i++) {
      const { spec } = await newClient('other').patch<Lease>(
        leases,
        { namespace, name: 'touched' },
        { type: 'merge', patch: { metadata: { annotations: { touched: String(i) } } } },
      );
      await eventually(async () => (await read('touched')).spec?.renewTime !== spec?.renewTime);
    }
    expect(a.terms).toHaveLength(1);
    expect((await read('touched')).metadata.annotations).toEqual({ touched: '4' });
  });

  it('waits for a holder of client-go, takes over when it stops renewing, and leaves a record that it can read', async () => {
    const spec = (renewTime: string) => ({
      holderIdentity: 'host_6f1c8f3e',
      leaseDurationSeconds: 5,
      acquireTime: '2026-01-01T00:00:00.000001Z',
      renewTime,
      leaseTransitions: 4,
    });
    const admin = clients[0]!;
    const create = await admin.create<Lease>(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'theirs', namespace },
      spec: spec('2026-01-01T00:00:00.000001Z'),
    } as Lease);
    const a = campaign('theirs', 'a');
    let theirs = create;
    for (let i = 2; i < 6; i++) {
      await eventually(() => {
        expect(a.elector.state).toEqual({ kind: 'following', leader: 'host_6f1c8f3e' });
      });
      theirs = await admin.update<Lease>(leases, { ...theirs, spec: spec(`2026-01-01T00:00:00.00000${i}Z`) } as Lease);
      const seen = performance.now();
      await eventually(() => performance.now() - seen > 600);
      expect(a.leads()).toBe(false);
    }
    const silentSince = performance.now();
    await eventually(() => a.leads(), { timeoutMs: 20_000 });
    // Renewed 0.6 s before it fell silent, and seen after that.
    expect(performance.now() - silentSince).toBeGreaterThan(3500);
    await a.stop();
    expect((await read('theirs')).spec).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 5,
    });
  });

  it('of ten candidates for a new lease one leads', async () => {
    const candidates = Array.from({ length: 10 }, (_, index) => campaign('crowd', `c${index}`));
    await eventually(() => candidates.some(({ leads }) => leads()));
    await eventually(() => {
      expect(
        candidates.filter(({ elector }) => elector.state.kind === 'following' && elector.state.leader !== undefined),
      ).toHaveLength(9);
    });
    expect(candidates.filter(({ leads }) => leads())).toHaveLength(1);
  });
});
