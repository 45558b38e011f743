import { afterEach, beforeAll, expect } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import { type SampleApi, databases } from '@hawser/installation';
import { unitOf } from '@hawser/konnector-connection';
import { SHARDS, shardOf } from '@hawser/lease';
import { type AuditMark, eventually } from '@hawser/testenv';
import { type Ended, runCommand } from './command.js';
import { createNamespace, objectOf, resourceOf, synced } from './copies.js';
import { type Program, probe, working } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, executables, ready } from './system.js';

const NAMESPACE = 'team-a';
/** Of the Lease. */
const LEASE_DURATION_MS = 15_000;
/** What a busy machine needs besides. */
const SLACK_MS = 12_000;
const SIZES = ['small', 'medium', 'large'] as const;
const apis: readonly SampleApi[] = ['databases', 'volumes', 'queues'].map((plural) => ({
  ...databases,
  plural,
  kind: `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`,
}));

interface Serving {
  readonly shards: readonly number[];
  readonly connections: number;
}

describeSystem(
  'several konnectors at a time',
  () => ({ name: 'shards', chartValues: { shards: 3 } }),
  (system, it) => {
    const bound = new Map<string, BoundApi>();
    let made = 0;
    const running: Program[] = [];

    const start = async (name: string): Promise<Program> => {
      const program = await system().startKonnector({ name, wait: false, config: { shards: 3 } });
      running.push(program);
      await working(program, 'konnector works');
      return program;
    };
    const serving = async (program: Program): Promise<Serving> => {
      const { text } = await probe(program, '/readyz?verbose');
      const shards = /\]shards ok: serves \d+ of \d+ \(([\d ]*)\)/u.exec(text)?.[1] ?? '';
      return {
        shards: shards
          .split(' ')
          .filter((shard) => shard !== '')
          .map(Number),
        connections: [...text.matchAll(/connection\/[0-9a-f]+ ok: running/gu)].length,
      };
    };
    /** Each shard is with one of them, and each binding's connection where its shard is. */
    const shared = (programs: readonly Program[], withinMs: number): Promise<readonly Serving[]> =>
      eventually(
        async () => {
          const all = await Promise.all(programs.map(serving));
          const shards = all.flatMap((one) => one.shards).sort((a, b) => a - b);
          expect(shards).toEqual(Array.from({ length: SHARDS }, (_, shard) => shard));
          const owned = [...bound.keys()].map((name) =>
            shardOf(unitOf({ namespace: 'kube-bind', name: `kubeconfig-${name}` })),
          );
          expect(all.map(({ connections }) => connections)).toEqual(
            all.map((one) => owned.filter((shard) => one.shards.includes(shard)).length),
          );
          return all;
        },
        { timeoutMs: withinMs, intervalMs: 100 },
      );
    const createInEach = async (): Promise<void> => {
      made++;
      await Promise.all(
        apis.map(async (api) => {
          const key = { namespace: NAMESPACE, name: `one-${made}` };
          await system().consumer.client.create(resourceOf(api), objectOf(api, key));
          await synced(system(), bound.get(api.plural)!, api, key);
        }),
      );
    };
    /** Changes one object of each API without a pause, until it is ended; resolves to how often. */
    const churn = (): (() => Promise<number>) => {
      const ending = new AbortController();
      const { client } = system().consumer;
      const change = async (api: SampleApi): Promise<number> => {
        const key = { namespace: NAMESPACE, name: 'changing' };
        await client.create(resourceOf(api), objectOf(api, key));
        let changes = 0;
        for (; !ending.signal.aborted; changes++)
          await client.patch(resourceOf(api), key, {
            type: 'merge',
            patch: { spec: { size: SIZES[changes % SIZES.length] } },
          });
        return changes;
      };
      const changing = Promise.all(apis.map(change));
      return async () => {
        ending.abort();
        return Math.min(...(await changing));
      };
    };
    /** By API: which konnectors have changed its objects on the provider, in the order of their requests; one that writes again after another stands there twice. */
    const writers = async (since: AuditMark): Promise<Readonly<Record<string, readonly string[]>>> => {
      const written = await system()
        .provider.controlPlane!.auditLog()
        .writes({ since, userAgent: 'hawser-konnector/' });
      const turns = apis.map(({ plural }) => {
        const by = written
          .filter(({ resource }) => resource === plural)
          .sort((one, other) => (one.time < other.time ? -1 : 1))
          .map(({ userAgent }) => /[(](\w+)[)]/u.exec(userAgent)?.[1] ?? userAgent);
        return [plural, by.filter((name, at) => name !== by[at - 1])] as const;
      });
      return Object.fromEntries(turns);
    };
    const nameOf = ({ name }: Program): string => name.split('-')[0] ?? name;
    /** Which API is with which konnector. */
    const servedBy = async (programs: readonly Program[]): Promise<Readonly<Record<string, string>>> => {
      const all = await Promise.all(programs.map(serving));
      const entries = apis.map(({ plural }) => {
        const shard = shardOf(unitOf({ namespace: 'kube-bind', name: `kubeconfig-${plural}` }));
        return [plural, nameOf(programs[all.findIndex(({ shards }) => shards.includes(shard))]!)] as const;
      });
      return Object.fromEntries(entries);
    };
    const startAll = async (): Promise<readonly [Program, Program, Program]> => {
      const all = [await start('one'), await start('two'), await start('three')] as const;
      const served = await shared(all, 60_000);
      expect(served.map(({ shards }) => shards.length).sort((a, b) => a - b)).toEqual([10, 11, 11]);
      return all;
    };

    beforeAll(async () => {
      await createNamespace(system(), NAMESPACE);
      const first = await start('first');
      for (const api of apis) bound.set(api.plural, await system().bind({ name: api.plural, apis: [api] }));
      for (const { plural } of apis) await ready(system(), plural);
      await first.stop();
    }, 240_000);
    afterEach(async () => {
      for (const { pid, running: lives } of running) if (lives) process.kill(pid, 'SIGCONT');
      await Promise.all(running.splice(0).map((program) => program.stop()));
    });

    it('are told of by commands: who serves a binding, and that nobody does', async () => {
      const all = await startAll();
      const kubeconfig = `--kubeconfig=${system().consumer.kubeconfigFile}`;
      const why = await runCommand(executables.hawser, ['why', 'apiservicebinding', 'volumes', kubeconfig]);
      const shard = shardOf(unitOf({ namespace: 'kube-bind', name: 'kubeconfig-volumes' }));
      expect(why.out).toMatch(new RegExp(`  shard ${shard}, served by konnector (one|two|three)-\\w+\n?$`, 'u'));
      const name = /konnector (\w+)-/u.exec(why.out)?.[1];
      const serves = await Promise.all(all.map(async (program) => (await serving(program)).shards.includes(shard)));
      expect(all.find((_, index) => serves[index])?.name.split('-')[0]).toBe(name);
      const doctor = (): Promise<Ended> => runCommand(executables.hawser, ['doctor', kubeconfig]);
      expect((await doctor()).out).toContain(
        `APIServiceBinding volumes: Shard ${shard}, served by konnector ${name!}-`,
      );
      await Promise.all(running.splice(0).map((program) => program.stop()));
      expect((await doctor()).out).toContain(`APIServiceBinding volumes: Shard ${shard}, which no konnector serves.`);
    });

    it.ownClusters(
      'never write two for one binding, while one is stopped, one stands still and one is killed',
      async () => {
        const [one, two, three] = await startAll();
        const since = await system().provider.controlPlane!.auditLog().mark();
        const end = churn();
        const owners: Readonly<Record<string, string>>[] = [];
        /** Each API is written by the konnector that serves it now. */
        const written = async (programs: readonly Program[]): Promise<void> => {
          await shared(programs, LEASE_DURATION_MS + 40_000);
          const served = await servedBy(programs);
          owners.push(served);
          await eventually(
            async () => {
              const last = Object.entries(await writers(since)).map(([plural, names]) => [plural, names.at(-1)]);
              expect(Object.fromEntries(last)).toEqual(served);
            },
            { timeoutMs: 30_000 },
          );
        };
        await written([one, two, three]);
        await one.stop('SIGTERM', 15_000);
        await written([two, three]);
        process.kill(three.pid, 'SIGSTOP');
        await written([two]);
        process.kill(three.pid, 'SIGCONT');
        await written([two, three]);
        await two.stop('SIGKILL');
        await written([three]);
        expect(await end()).toBeGreaterThan(100);
        const expected = apis.map(({ plural }) => {
          const names = owners.map((served) => served[plural]);
          return [plural, names.filter((name, at) => name !== names[at - 1])];
        });
        expect(await writers(since)).toEqual(Object.fromEntries(expected));
      },
    );

    it('share the connections, and one that is stopped hands its own over at once', async () => {
      const [one, two, three] = await startAll();
      await createInEach();
      const stopped = await one.stop('SIGTERM', 15_000);
      expect(stopped).toEqual({ code: 0, signal: null });
      await shared([two, three], 5_000);
      await createInEach();
    });

    it('take over what one leaves that is killed, within the life of its Lease', async () => {
      const [one, two, three] = await startAll();
      await two.stop('SIGKILL');
      const from = systemClock.monotonic();
      await shared([one, three], LEASE_DURATION_MS + SLACK_MS);
      expect(systemClock.monotonic() - from).toBeLessThan(LEASE_DURATION_MS + SLACK_MS);
      await createInEach();
    });

    it('take over what one leaves that stands still, which gives up when it goes on, and takes part again', async () => {
      const [one, two, three] = await startAll();
      process.kill(three.pid, 'SIGSTOP');
      await shared([one, two], LEASE_DURATION_MS + SLACK_MS);
      await createInEach();
      process.kill(three.pid, 'SIGCONT');
      await shared([one, two, three], 40_000);
      expect(three.log()).toContain('takes part no longer');
      await createInEach();
    });
  },
);
