import { beforeAll, expect } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import type { KubeObject } from '@hawser/client';
import { leaseName } from '@hawser/syncagent-api';
import { eventually, settled } from '@hawser/testenv';
import { databaseRights, databasesOf, key, remote } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, RELEASE, agentNamespace, agentUser } from './agent-system.js';
import { LONG } from './copies.js';
import { inParallel } from './in-parallel.js';
import { type Program, standsBy, working } from './program.js';

const LEASE = {
  resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
  key: { namespace: agentNamespace, name: leaseName(RELEASE) },
};
/** Of the Lease. */
const LEASE_DURATION_MS = 15_000;

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

describeAgentSystem(
  'one agent at a time',
  { name: 'agent-lease', rights: { publishedResources: databaseRights } },
  (system, it) => {
    const { install, publish, served, create, copyOf, placed, gone } = databasesOf(system);
    let workspace: ConsumerWorkspace;
    let leader: Program;
    let standby: Program;
    const start = (wait: boolean): Promise<Program> =>
      system().startAgent({ wait, args: ['--enable-leader-election'] });
    const lease = (): Promise<Lease> => system().service.client.get<Lease>(LEASE.resource, LEASE.key);

    beforeAll(async () => {
      await install();
      leader = await start(true);
      await publish();
      workspace = await system().consumer('a');
      await served(workspace);
      standby = await start(false);
      await standsBy(standby);
    }, 240_000);

    it('a leader that is killed is followed within the life of its lease, and nothing is written twice', async () => {
      for (const name of ['changed', 'deleted']) {
        await create(workspace, name);
        await placed(workspace, name);
      }
      expect(standby.log()).not.toContain('syncagent works');
      const audit = system().service.controlPlane!.auditLog();
      const since = await audit.mark();
      const before = await lease();
      const NEW = 20;
      // In the middle of its work.
      const made = inParallel(NEW, 4, async (at) => {
        await create(workspace, `new-${at}`);
      });
      await placed(workspace, 'new-0');
      await leader.stop('SIGKILL');
      const from = systemClock.monotonic();
      await made;
      await workspace.client.patch(remote, key('changed'), { type: 'merge', patch: { spec: { size: 'large' } } });
      await workspace.client.delete(remote, key('deleted'));
      await working(standby, 'syncagent works');
      // The lease, one retry, and the start of the work on a busy machine.
      expect(systemClock.monotonic() - from).toBeLessThan(LEASE_DURATION_MS + 12_000);
      const { spec } = await lease();
      expect(spec.holderIdentity).not.toBe(before.spec.holderIdentity);
      expect(spec.leaseTransitions).toBe((before.spec.leaseTransitions ?? 0) + 1);
      for (let at = 0; at < NEW; at++) await placed(workspace, `new-${at}`);
      await eventually(async () => {
        expect(await copyOf(workspace, 'changed')).toMatchObject({ spec: { size: 'large' } });
      }, LONG);
      await gone(workspace, 'deleted');
      expect(await copyOf(workspace, 'deleted')).toBeUndefined();
      const writes = (
        await settled(
          () => audit.writes({ since, user: agentUser, group: 'example.com', resource: 'databases', succeeded: true }),
          { intervalMs: 300 },
        )
      ).map(({ verb, name = '' }) => `${verb} ${name}`);
      expect(writes.sort()).toEqual(
        [...Array.from({ length: NEW }, (_, at) => `create new-${at}`), 'patch changed', 'delete deleted'].sort(),
      );
    });

    it('a leader that is told to stop gives way at once', async () => {
      const next = await start(false);
      await standsBy(next);
      const from = systemClock.monotonic();
      expect(await standby.stop('SIGTERM', 15_000)).toEqual({ code: 0, signal: null });
      await working(next, 'syncagent works');
      expect(systemClock.monotonic() - from).toBeLessThan(LEASE_DURATION_MS);
      await create(workspace, 'after');
      await placed(workspace, 'after');
    });
  },
);
