import { afterEach, beforeAll, expect } from '@jest/globals';
import { sleep, systemClock } from '@hawser/clock';
import type { KubeObject } from '@hawser/client';
import { databases } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { createNamespace, objectOf, resourceOf, synced } from './copies.js';
import { type Program, standsBy, working } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';
import { konnectorWrites, mark } from './writes.js';

const NAMESPACE = 'team-a';
const LEASE = { namespace: 'kube-bind', name: 'kube-bind' };
/** Of the Lease. */
const LEASE_DURATION_MS = 15_000;

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

describeSystem(
  'one konnector at a time',
  () => ({ name: 'lease' }),
  (system, it) => {
    let bound: BoundApi;
    let made = 0;
    const running: Program[] = [];

    beforeAll(async () => {
      await createNamespace(system(), NAMESPACE);
      const first = await system().startKonnector({ name: 'first' });
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
      await first.stop();
    }, 240_000);
    afterEach(async () => {
      await Promise.all(running.splice(0).map((program) => program.stop()));
    });

    const start = async (name: string, wait: boolean): Promise<Program> => {
      const program = await system().startKonnector({ name, wait });
      running.push(program);
      return program;
    };
    const holder = async (): Promise<string> =>
      (await system().consumer.client.get<Lease>(resources.leases, LEASE)).spec.holderIdentity ?? '';
    const create = async (): Promise<void> => {
      const key = { namespace: NAMESPACE, name: `db-${++made}` };
      await system().consumer.client.create(resourceOf(databases), objectOf(databases, key));
      await synced(system(), bound, databases, key);
    };

    it('a leader that is killed is followed within the life of its lease', async () => {
      const leader = await start('killed', true);
      const standby = await start('follower', false);
      await standsBy(standby);
      expect(standby.log()).not.toContain('konnector works');
      await leader.stop('SIGKILL');
      const from = systemClock.monotonic();
      await working(standby, 'konnector works');
      // The lease, one retry, and the start of the work on a busy machine.
      expect(systemClock.monotonic() - from).toBeLessThan(LEASE_DURATION_MS + 12_000);
      expect(await holder()).toBe('follower');
      await create();
    });

    it('a leader that is told to stop gives way at once, and ends within 10 s', async () => {
      const leader = await start('polite', true);
      const standby = await start('successor', false);
      await standsBy(standby);
      await create();
      const from = systemClock.monotonic();
      expect(await leader.stop('SIGTERM', 15_000)).toEqual({ code: 0, signal: null });
      expect(systemClock.monotonic() - from).toBeLessThan(10_000);
      await working(standby, 'konnector works', LEASE_DURATION_MS - 3_000);
      expect(await holder()).toBe('successor');
      await create();
    });

    it.ownClusters('a Lease that a Go konnector renews is respected, and taken when it renews no more', async () => {
      const renewal = (): object => ({
        holderIdentity: 'go-konnector-abc',
        leaseDurationSeconds: 15,
        renewTime: new Date().toISOString().replace(/Z$/u, '000Z'),
      });
      await system().consumer.client.patch(resources.leases, LEASE, { type: 'merge', patch: { spec: renewal() } });
      const since = await mark(system());
      const waiting = await start('patient', false);
      await standsBy(waiting);
      await system().consumer.client.create(
        resourceOf(databases),
        objectOf(databases, { namespace: NAMESPACE, name: 'waits' }),
      );
      // For longer than the lease lasts.
      const end = systemClock.monotonic() + LEASE_DURATION_MS + 3_000;
      while (systemClock.monotonic() < end) {
        await system().consumer.client.patch(resources.leases, LEASE, { type: 'merge', patch: { spec: renewal() } });
        await sleep(systemClock, 2_000);
      }
      expect(await holder()).toBe('go-konnector-abc');
      expect(await konnectorWrites(system(), since)).toEqual([]);

      await working(waiting, 'konnector works', LEASE_DURATION_MS + 12_000);
      expect(await holder()).toBe('patient');
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: 'waits' });
    });
  },
);
