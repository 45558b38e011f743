import { databases, onboardConsumer, requestExport, bind, sampleCrd } from '@hawser/installation';
import { listAll } from '@hawser/client';
import { fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { beforeAll, expect, it as jestIt } from '@jest/globals';
import { LONG, type ServiceObject, copyKey, createNamespace, objectOf, report, resourceOf } from './copies.js';
import { inParallel } from './in-parallel.js';
import { previousRelease } from './previous-release.js';
import { type Program, working } from './program.js';
import { type Roles, rolesAsProcesses } from './roles.js';
import { serviceAccountConnection } from './service-account.js';
import { describeSystem } from './suite.js';
import { type BoundApi, prefixed, ready } from './system.js';
import { type Marks, konnectorWrites, mark, settledWrites } from './writes.js';

const { version, folder: release, missing } = previousRelease;
const RESTING = 1_000;
const CHANGING = 30;
const NAMESPACE = 'team-a';
const resource = resourceOf(databases);
const resting = Array.from({ length: RESTING }, (_, at) => `rests-${String(at).padStart(4, '0')}`);
const changing = Array.from({ length: CHANGING }, (_, at) => `changes-${String(at).padStart(2, '0')}`);

if (missing !== undefined) jestIt.skip(`upgrades from ${version}: ${missing}`, () => undefined);
else
  describeSystem(
    `upgrades from ${version}, and back`,
    () => ({ name: 'upgrade', resources: [databases] }),
    (system, it) => {
      let bound: BoundApi;
      let before: Roles;
      let now: Roles;
      let konnector: Program;
      let provider: Program;
      let started = 0;
      /** By name, the uid of the copy. */
      let uids: ReadonlyMap<string, string | undefined>;

      const startKonnector = async (roles: Roles): Promise<void> => {
        const account = await serviceAccountConnection(system().consumer, fixedNames.konnectorNamespace, 'konnector');
        konnector = await roles.startKonnector(`konnector-${started++}`, { name: 'konnector' }, account);
        await working(konnector, 'konnector works');
      };
      const startProvider = async (roles: Roles): Promise<void> => {
        provider = await roles.startProvider(`provider-${started++}`, prefixed);
        await working(provider, 'provider works');
      };
      const copies = async (): Promise<readonly ServiceObject[]> =>
        listAll<ServiceObject>(system().provider.client, resource);
      const uidsNow = async (): Promise<ReadonlyMap<string, string | undefined>> =>
        new Map((await copies()).map(({ metadata }) => [metadata.name, metadata.uid]));
      /** Each object has a copy that says the same. */
      const inStep = async (): Promise<void> => {
        const objects = await listAll<ServiceObject>(system().consumer.client, resource);
        expect(objects).toHaveLength(RESTING + CHANGING);
        const specs = (of: readonly ServiceObject[]): Readonly<Record<string, unknown>> =>
          Object.fromEntries(of.map(({ metadata, spec }) => [metadata.name, spec]));
        expect(specs(await copies())).toEqual(specs(objects));
      };
      const change = (at: number): Promise<unknown> =>
        system().consumer.client.patch(
          resource,
          { namespace: NAMESPACE, name: changing[at % CHANGING] ?? '' },
          { type: 'merge', patch: { spec: { replicas: at % 9 } } },
        );
      /** People go on with their objects while `step` is done. */
      const whileChanging = async (step: () => Promise<void>): Promise<void> => {
        const done = new AbortController();
        let at = 0;
        const churn = (async () => {
          while (!done.signal.aborted) await change(at++);
        })();
        try {
          await step();
        } finally {
          done.abort();
        }
        await churn;
        expect(at).toBeGreaterThan(0);
      };
      /** Writes of resting objects and their copies: each name once at most on each side. */
      const writesOfResting = (writes: readonly string[]): ReadonlyMap<string, number> => {
        const counts = new Map<string, number>();
        for (const write of writes) {
          const [, side, name] = /^(consumer|provider): .* \S*\/(rests-\d+) \d+$/u.exec(write) ?? [];
          if (side !== undefined && name !== undefined)
            counts.set(`${side} ${name}`, (counts.get(`${side} ${name}`) ?? 0) + 1);
        }
        return counts;
      };
      const holds = async (since: Marks): Promise<void> => {
        await ready(system(), 'databases');
        await eventually(inStep, { timeoutMs: 120_000, intervalMs: 250 });
        const counts = writesOfResting(await settledWrites(system(), since));
        expect(Math.max(0, ...counts.values())).toBeLessThanOrEqual(1);
        process.stderr.write(`${counts.size} of ${2 * RESTING} resting objects and copies were written\n`);
        expect(await uidsNow()).toEqual(uids);
      };

      beforeAll(async () => {
        const { consumer, provider: providing, folder, watchdog } = system();
        const options = { consumer, provider: providing, folder, watchdog };
        before = rolesAsProcesses({ ...options, release });
        now = rolesAsProcesses(options);
        await createNamespace(system(), NAMESPACE);
        await startProvider(before);
        await startKonnector(before);
        await providing.apply(sampleCrd(databases));
        const clusterNamespace = 'kube-bind-upgrade';
        const { kubeconfig } = await onboardConsumer({
          provider: providing.client,
          connection: providing.podsConnection,
          clusterNamespace,
          prettyName: 'Provider',
          apis: [databases],
        });
        await requestExport(providing.client, clusterNamespace, 'databases', [databases]);
        await eventually(
          () => providing.client.get(resources.apiServiceExports, { namespace: clusterNamespace, name: 'databases' }),
          LONG,
        );
        await bind({ consumer: consumer.client, name: 'databases', kubeconfig });
        bound = { ...prefixed, name: 'databases', clusterNamespace, kubeconfig };
        await ready(system(), 'databases');
        await inParallel(RESTING + CHANGING, 8, async (at) => {
          const name = [...resting, ...changing][at] ?? '';
          await consumer.client.create(resource, objectOf(databases, { namespace: NAMESPACE, name }));
        });
        await eventually(inStep, { timeoutMs: 120_000, intervalMs: 250 });
        for (const name of resting.slice(0, 20))
          await report(system(), bound, databases, { namespace: NAMESPACE, name }, { phase: 'Ready' });
        uids = await uidsNow();
      }, 300_000);

      const statusesCome = async (phase: string): Promise<void> => {
        const name = resting[0] ?? '';
        await report(system(), bound, databases, { namespace: NAMESPACE, name }, { phase });
        await eventually(async () => {
          const { status } = await system().consumer.client.get<ServiceObject>(resource, {
            namespace: NAMESPACE,
            name,
          });
          expect(status).toEqual({ phase });
        }, LONG);
      };

      const steps: readonly (readonly [string, () => Promise<void>])[] = [
        [
          'a konnector of today with a provider of before',
          async () => {
            await konnector.stop();
            await startKonnector(now);
          },
        ],
        [
          'both of today',
          async () => {
            await provider.stop();
            await startProvider(now);
          },
        ],
        [
          'a konnector of before with a provider of today',
          async () => {
            await konnector.stop();
            await startKonnector(before);
          },
        ],
        [
          'both of before, again',
          async () => {
            await provider.stop();
            await startProvider(before);
          },
        ],
      ];
      for (const [title, step] of steps)
        it.ownClusters(
          `${title}: nothing is lost, doubled or deleted, and each resting object is written once at most`,
          async () => {
            const since = await mark(system());
            await whileChanging(step);
            await holds(since);
            await statusesCome(title);
          },
        );

      it.ownClusters('deletes with the last what the first has made', async () => {
        const key = { namespace: NAMESPACE, name: resting[1] ?? '' };
        const since = await mark(system());
        await system().consumer.client.delete(resource, key);
        await eventually(async () => {
          expect(await system().consumer.find(resource, key)).toBeUndefined();
          expect(await system().provider.find(resource, copyKey(bound, key))).toBeUndefined();
        }, LONG);
        expect((await konnectorWrites(system(), since)).filter((write) => write.includes('delete '))).toHaveLength(1);
        await Promise.all([konnector.stop(), provider.stop()]);
      });
    },
  );
