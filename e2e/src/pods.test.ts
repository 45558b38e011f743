import { beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, bind, databases, onboardConsumer, requestExport, sampleCrd } from '@hawser/installation';
import { fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { LONG, createNamespace, gone, objectOf, resourceOf, synced } from './copies.js';
import { type Plane, givenPlane } from './plane.js';
import { inPods, installChart } from './pods.js';
import { type Program, probe, working } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, prefixed, ready } from './system.js';

const buckets: SampleApi = { ...databases, plural: 'buckets', kind: 'Bucket' };
const NAMESPACE = 'team-a';
const HOME = fixedNames.konnectorNamespace;
/** The life of a Lease, and the start of another konnector's work on a busy machine. */
const FOLLOWED = { timeoutMs: 45_000, intervalMs: 200 };

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity?: string };
}

if (inPods()) suite();
else
  describe.skip('as pods', () => {
    jestIt('needs HAWSER_E2E_IMAGE: nx run e2e --configuration kind', () => undefined);
  });

function suite(): void {
  describeSystem(
    'as pods',
    () => ({ name: 'pods', resources: [databases, buckets] }),
    (system, it) => {
      let konnector: Program;
      let bound: BoundApi;
      let made = 0;

      beforeAll(async () => {
        konnector = await system().startKonnector();
        await createNamespace(system(), NAMESPACE);
        bound = await system().bind({ name: 'databases', apis: [databases] });
        await ready(system(), 'databases');
      }, 240_000);

      const kubectl = (...args: readonly string[]): Promise<string> => system().consumer.kubectl(['-n', HOME, ...args]);
      const podNames = async (): Promise<readonly string[]> =>
        (await kubectl('get', 'pods', '-l', 'app=konnector', '-o', 'jsonpath={.items[*].metadata.name}'))
          .split(' ')
          .filter((name) => name !== '');
      const rolledOut = (): Promise<string> => kubectl('rollout', 'status', 'deployment/konnector', '--timeout=120s');
      const holder = async (): Promise<string> =>
        (await system().consumer.client.get<Lease>(resources.leases, { namespace: HOME, name: 'kube-bind' })).spec
          .holderIdentity ?? '';
      const create = async (): Promise<void> => {
        const key = { namespace: NAMESPACE, name: `db-${++made}` };
        await system().consumer.client.create(resourceOf(databases), objectOf(databases, key));
        await synced(system(), bound, databases, key);
      };
      // Not by our client, which would wait for as long as it is told and try again.
      const evict = (name: string): Promise<string> =>
        system().consumer.kubectl(
          ['create', '--raw', `/api/v1/namespaces/${HOME}/pods/${name}/eviction`, '-f', '-'],
          JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: HOME } }),
        );

      it('the konnector keeps objects in step, and says how it is', async () => {
        await create();
        expect(await probe(konnector, '/readyz')).toMatchObject({ status: 200 });
        expect((await probe(konnector, '/metrics')).text).toContain(
          'leader_election_master_status{name="kube-bind"} 1\n',
        );
        expect(await holder()).toBe((await podNames())[0]);
        const addresses = await kubectl(
          'get',
          'endpointslices',
          '-l',
          'kubernetes.io/service-name=konnector-metrics',
          '-o',
          'jsonpath={.items[*].endpoints[*].addresses[0]}',
        );
        expect(addresses.split(' ')).toHaveLength(1);
      });

      it('its pod runs as nobody in particular and can write nothing', async () => {
        const [pod = ''] = await podNames();
        const inside = (script: string): Promise<string> => kubectl('exec', pod, '--', 'sh', '-c', script);
        expect(await inside('echo $(id -u) $(id -g)')).toBe('65532 65532\n');
        for (const folder of ['/', '/tmp', '/hawser', '/etc/hawser'])
          expect(await inside(`touch ${folder}/new 2>&1 || echo refused`)).toMatch(
            /Read-only file system\nrefused\n$/u,
          );
        // No capability, none to be had, and a seccomp filter.
        expect(await inside('grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/1/status')).toMatch(
          /CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\nSeccomp:\s2\n/u,
        );
        // Its PID 1 is Node itself, which hears the signals that it is sent.
        expect(await inside('tr "\\0" " " < /proc/1/cmdline')).toMatch(/node .*hawser\.js run /u);
      });

      it('a provider in a third cluster is served beside the first', async () => {
        const second = await givenPlane(
          'second',
          process.env['HAWSER_E2E_SECOND_KUBECONFIG'] ?? '',
          process.env['HAWSER_E2E_SECOND_POD_SERVER'],
        );
        try {
          await bindFrom(second);
        } finally {
          await second.stop();
        }
      }, 300_000);

      const bindFrom = async (second: Plane): Promise<void> => {
        const role = await installChart({
          plane: second,
          chart: 'provider',
          name: 'provider',
          deployment: 'hawser-provider',
          namespace: 'hawser',
          folder: system().folder,
          watchdog: system().watchdog,
        });
        await working(
          await role.start('second-provider', { ...prefixed, requestAdmission: 'Exported' }),
          'provider works',
        );
        await second.apply(sampleCrd(buckets));
        await second.kubectl(['wait', '--for=condition=Established', 'crd/buckets.example.com', '--timeout=60s']);
        const clusterNamespace = 'kube-bind-second';
        const { kubeconfig } = await onboardConsumer({
          provider: second.client,
          connection: second.podsConnection,
          clusterNamespace,
          prettyName: 'Second provider',
          apis: [buckets],
        });
        await requestExport(second.client, clusterNamespace, 'buckets', [buckets]);
        await eventually(
          () => second.client.get(resources.apiServiceExports, { namespace: clusterNamespace, name: 'buckets' }),
          LONG,
        );
        await bind({ consumer: system().consumer.client, name: 'buckets', kubeconfig });
        await ready(system(), 'buckets');
        const key = { namespace: NAMESPACE, name: 'bucket' };
        await eventually(() => system().consumer.client.create(resourceOf(buckets), objectOf(buckets, key)), LONG);
        const atSecond: BoundApi = { ...prefixed, name: 'buckets', clusterNamespace, kubeconfig };
        await synced({ ...system(), provider: second }, atSecond, buckets, key);
        await create();
        expect((await probe(konnector, '/readyz?verbose')).text.match(/^\[\+\]connection\//gmu)).toHaveLength(2);
        // Unbound, its copy stays and nothing of ours is left on the consumer.
        await system().consumer.kubectl(['delete', 'apiservicebinding', 'buckets', '--timeout=60s']);
        await gone(() => system().consumer.find(resources.customResourceDefinitions, { name: 'buckets.example.com' }));
        expect((await second.client.list(resourceOf(buckets))).items.map(({ metadata }) => metadata.name)).toEqual([
          'bucket',
        ]);
      };

      it('of two one works; one that is killed is followed', async () => {
        await system().roles.grant({ replicas: 2 });
        await rolledOut();
        const leader = await holder();
        const standby = (await podNames()).find((name) => name !== leader) ?? '';
        await kubectl('delete', 'pod', leader, '--grace-period=0', '--force');
        const from = systemClock.monotonic();
        await eventually(async () => {
          expect([standby, ...(await podNames())]).toContain(await holder());
          expect(await holder()).not.toBe(leader);
        }, FOLLOWED);
        expect(systemClock.monotonic() - from).toBeLessThan(FOLLOWED.timeoutMs);
        await create();
        await rolledOut();
      });

      it('nodes can be drained one after the other, never so that none is left', async () => {
        const [one = '', other = ''] = await eventually(async () => {
          const status = JSON.parse(await kubectl('get', 'poddisruptionbudget', 'konnector', '-o', 'json')) as {
            readonly status: { readonly disruptionsAllowed: number };
          };
          if (status.status.disruptionsAllowed !== 1) throw new Error('not both are ready');
          return podNames();
        }, LONG);
        await evict(one);
        await expect(evict(other)).rejects.toMatchObject({ message: expect.stringContaining('disruption budget') });
        await create();
        await rolledOut();
      });

      it('an upgrade replaces both, and objects stay in step', async () => {
        const before = await podNames();
        await system().roles.grant({ log: { level: 'debug', format: 'text' } });
        await create();
        await rolledOut();
        await eventually(async () => {
          expect((await podNames()).filter((name) => before.includes(name))).toEqual([]);
        }, LONG);
        await eventually(async () => {
          expect(await podNames()).toContain(await holder());
        }, FOLLOWED);
        await create();
        // Whoever had to make way has done so in order.
        expect(await kubectl('get', 'events', '--field-selector=reason=BackOff', '-o', 'name')).toBe('');
      });
    },
  );
}
