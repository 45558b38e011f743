import { afterAll, beforeAll, expect } from '@jest/globals';
import { createFaultProxy, type FaultProxy } from '@hawser/faultproxy';
import { type SampleApi, databases } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import {
  LONG,
  type ServiceObject,
  binding,
  copyKey,
  createNamespace,
  objectOf,
  report,
  resourceOf,
  synced,
} from './copies.js';
import {
  consumerSecret,
  providerSecret,
  readKubeconfig,
  revocableKubeconfig,
  revoke,
  writeKubeconfig,
} from './kubeconfigs.js';
import { type Program, probe } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';
import { mark, settledWrites } from './writes.js';

const buckets: SampleApi = { ...databases, plural: 'buckets', kind: 'Bucket' };
const NAMESPACE = 'team-a';
/** A server that restarts, a lease that has to be taken again, back-offs in between. */
const RECOVERED = { timeoutMs: 120_000, intervalMs: 200 };

describeSystem(
  'a connection that is disturbed',
  () => ({ name: 'connection' }),
  (system, it) => {
    let konnector: Program;
    let proxy: FaultProxy;
    let direct: BoundApi;
    let proxied: BoundApi;

    beforeAll(async () => {
      konnector = await system().startKonnector({ config: { heartbeatIntervalSeconds: 10 } });
      await createNamespace(system(), NAMESPACE);
      proxy = await createFaultProxy({ upstream: system().provider.connection });
      direct = await system().bind({ name: 'databases', apis: [databases] });
      proxied = await system().bind({ name: 'buckets', apis: [buckets], connection: proxy.connection });
      for (const name of ['databases', 'buckets']) await ready(system(), name);
    }, 240_000);
    afterAll(async () => {
      await proxy.stop();
    });

    const create = async (bound: BoundApi, api: SampleApi, name: string): Promise<void> => {
      await system().consumer.client.create(resourceOf(api), objectOf(api, { namespace: NAMESPACE, name }));
      await synced(system(), bound, api, { namespace: NAMESPACE, name });
    };
    const names = async (api: SampleApi): Promise<readonly string[]> =>
      (await system().provider.client.list(resourceOf(api))).items.map(({ metadata }) => metadata.name).sort();

    it('an unreachable provider is told and does not disturb others; afterwards nothing is lost', async () => {
      await create(proxied, buckets, 'before');
      await create(proxied, buckets, 'doomed');
      await proxy.refuse();
      for (const name of ['away-1', 'away-2'])
        await system().consumer.client.create(resourceOf(buckets), objectOf(buckets, { namespace: NAMESPACE, name }));
      await system().consumer.client.delete(resourceOf(buckets), { namespace: NAMESPACE, name: 'doomed' });
      await system().consumer.client.patch(
        resourceOf(buckets),
        { namespace: NAMESPACE, name: 'before' },
        { type: 'merge', patch: { spec: { size: 'large' } } },
      );
      await eventually(async () => {
        const conditions = conditionsOf(await binding(system(), 'buckets'));
        expect(conditions['Heartbeating']).toMatchObject({ status: 'False' });
        expect(conditions['Ready']).toMatchObject({ status: 'False' });
      }, LONG);
      // Its neighbour works on.
      await create(direct, databases, 'neighbour');
      expect(conditionsOf(await binding(system(), 'databases'))['Ready']?.status).toBe('True');
      const held = await system().consumer.client.get(resourceOf(buckets), { namespace: NAMESPACE, name: 'doomed' });
      expect(held.metadata.deletionTimestamp).toBeDefined();
      // Truthful, and no reason to restart the process.
      const checks = async (): Promise<readonly string[]> => {
        const { status, text } = await probe(konnector, '/healthz');
        expect(status).toBe(200);
        return Object.values(JSON.parse(text) as Record<string, string>).toSorted();
      };
      await eventually(async () => {
        expect(await checks()).toEqual(['degraded', 'ok', 'ok']);
      }, LONG);
      await eventually(async () => {
        expect((await probe(konnector, '/readyz?verbose')).text).toMatch(
          /^\[-\]connection\/\w+ degraded: running, 1 binding, .*watch of \w+: /mu,
        );
      }, LONG);

      await proxy.accept();
      for (const name of ['away-1', 'away-2'])
        await eventually(() => synced(system(), proxied, buckets, { namespace: NAMESPACE, name }), RECOVERED);
      await eventually(async () => {
        expect(await names(buckets)).toEqual(['away-1', 'away-2', 'before']);
      }, RECOVERED);
      await eventually(async () => {
        expect(
          (
            await system().provider.client.get<ServiceObject>(
              resourceOf(buckets),
              copyKey(proxied, { namespace: NAMESPACE, name: 'before' }),
            )
          ).spec,
        ).toEqual({ size: 'large' });
      }, RECOVERED);
      await ready(system(), 'buckets', 120_000);
      await eventually(async () => {
        expect(await checks()).toEqual(['ok', 'ok', 'ok']);
      }, RECOVERED);
    }, 300_000);

    it.ownClusters(
      'a kubeconfig that the provider renews is mirrored and used; there is never a second writer',
      async () => {
        const first = await revocableKubeconfig(system(), direct, 'token-1');
        await writeKubeconfig(system().provider, providerSecret(direct), first);
        await eventually(async () => {
          expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(first);
        }, LONG);
        const second = await revocableKubeconfig(system(), direct, 'token-2');
        await writeKubeconfig(system().provider, providerSecret(direct), second);
        await eventually(async () => {
          expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(second);
        }, LONG);
        await create(direct, databases, 'while-rotating');
        await revoke(system(), direct, 'token-1');
        await ready(system(), 'databases');
        await settledWrites(system(), await mark(system()), 2_000);

        const since = await mark(system());
        await create(direct, databases, 'rotated');
        const at = copyKey(direct, { namespace: NAMESPACE, name: 'rotated' });
        await report(system(), direct, databases, { namespace: NAMESPACE, name: 'rotated' }, { phase: 'Ready' });
        await eventually(async () => {
          expect(
            (
              await system().consumer.client.get<ServiceObject>(resourceOf(databases), {
                namespace: NAMESPACE,
                name: 'rotated',
              })
            ).status,
          ).toEqual({ phase: 'Ready' });
        }, LONG);
        const writes = await settledWrites(system(), since);
        expect(writes.filter((write) => write.startsWith('provider:'))).toEqual([
          `provider: create databases ${at.namespace ?? ''}/rotated 201`,
        ]);
        // Finalizer, place of the copy, status: one each.
        expect(writes.filter((write) => write.startsWith('consumer:'))).toHaveLength(3);
        expect(writes.filter((write) => !/ 20[01]$/u.test(write))).toEqual([]);
      },
      240_000,
    );

    it.ownClusters(
      'a revoked credential is told, and a new one ends it; nothing is lost',
      async () => {
        await revoke(system(), direct, 'token-2');
        await eventually(async () => {
          const { Heartbeating, Ready } = conditionsOf(await binding(system(), 'databases'));
          expect(Ready).toMatchObject({ status: 'False' });
          expect(Heartbeating).toMatchObject({ status: 'False' });
          expect(Heartbeating?.message).toMatch(/401|Unauthorized/u);
        }, RECOVERED);
        await system().consumer.client.create(
          resourceOf(databases),
          objectOf(databases, { namespace: NAMESPACE, name: 'locked-out' }),
        );
        const third = await revocableKubeconfig(system(), direct, 'token-3');
        await writeKubeconfig(system().provider, providerSecret(direct), third);
        // Whether the konnector could still read it there is open: its watches were authorised before.
        await writeKubeconfig(system().consumer, consumerSecret(direct), third);
        await eventually(
          () => synced(system(), direct, databases, { namespace: NAMESPACE, name: 'locked-out' }),
          RECOVERED,
        );
        await ready(system(), 'databases', 120_000);
        expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(third);
      },
      300_000,
    );

    it('what somebody breaks in the consumer Secret is put right again, and syncing goes on', async () => {
      const good = await readKubeconfig(system().consumer, consumerSecret(direct));
      for (const broken of [
        '{ not yaml',
        'apiVersion: v1\nkind: Config\n',
        good.replace(/server: .*/u, 'server: http://127.0.0.1:1'),
      ]) {
        await writeKubeconfig(system().consumer, consumerSecret(direct), broken);
        await eventually(async () => {
          expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(good);
        }, LONG);
      }
      await system().consumer.client.delete(resources.secrets, consumerSecret(direct));
      await eventually(async () => {
        expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(good);
      }, LONG);
      await create(direct, databases, 'after-breaking');
      await ready(system(), 'databases');
    });

    it('a kubeconfig that the provider breaks is not taken over: the condition tells, and the old connection goes on', async () => {
      const good = await readKubeconfig(system().provider, providerSecret(direct));
      await writeKubeconfig(system().provider, providerSecret(direct), 'apiVersion: v1\nkind: Config\nclusters: []\n');
      await eventually(async () => {
        const clusterBinding = await system().provider.client.get(resources.clusterBindings, {
          namespace: direct.clusterNamespace,
          name: 'cluster',
        });
        expect(conditionsOf(clusterBinding)['SecretValid']).toMatchObject({ status: 'False' });
        expect(conditionsOf(clusterBinding)['SecretValid']?.message).toContain('current-context');
      }, LONG);
      expect(await readKubeconfig(system().consumer, consumerSecret(direct))).toBe(good);
      await create(direct, databases, 'while-broken');
      await writeKubeconfig(system().provider, providerSecret(direct), good);
      await eventually(async () => {
        const clusterBinding = await system().provider.client.get(resources.clusterBindings, {
          namespace: direct.clusterNamespace,
          name: 'cluster',
        });
        expect(conditionsOf(clusterBinding)['SecretValid']).toMatchObject({ status: 'True' });
      }, LONG);
    });

    for (const side of ['provider', 'consumer'] as const) {
      it.ownClusters(
        `a restart of the ${side}'s API server needs no restart of the konnector`,
        async () => {
          await create(direct, databases, `before-${side}`);
          await system()[side].controlPlane!.restartApiServer({ signal: 'SIGKILL' });
          await eventually(
            () =>
              create(direct, databases, `after-${side}`).catch((error: unknown) => {
                if (error instanceof Error && error.message.includes('already exists'))
                  return synced(system(), direct, databases, { namespace: NAMESPACE, name: `after-${side}` }).then(
                    () => undefined,
                  );
                throw error;
              }),
            RECOVERED,
          );
          await report(system(), direct, databases, { namespace: NAMESPACE, name: `after-${side}` }, { phase: side });
          await eventually(async () => {
            expect(
              (
                await system().consumer.client.get<ServiceObject>(resourceOf(databases), {
                  namespace: NAMESPACE,
                  name: `after-${side}`,
                })
              ).status,
            ).toEqual({ phase: side });
          }, RECOVERED);
          await ready(system(), 'databases', 120_000);
          expect(konnector.running).toBe(true);
        },
        300_000,
      );
    }
  },
);
