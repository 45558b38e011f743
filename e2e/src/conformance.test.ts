import { beforeAll, afterAll, expect } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Resource } from '@hawser/client';
import { type SampleApi, onboardConsumer, sampleCrd } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { startBackendAlone } from './backend.js';
import { renderChart } from './chart.js';
import { type Ended, runCommand } from './command.js';
import { expectConformance } from './conformance-report.js';
import { LONG } from './copies.js';
import type { Plane } from './plane.js';
import type { Program } from './program.js';
import { root } from './root.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

const group = 'conformance.example.com';
const bound = [
  { group, plural: 'probes' },
  { group, plural: 'guests' },
];

describeSystem(
  'hawser conformance',
  () => ({ name: 'conformance', resources: bound, chartValues: { claimedResources: ['secrets'] } }),
  (system, it) => {
    let backend: Program;

    beforeAll(async () => {
      const { provider } = system();
      await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hawser' } });
      const values = { exportedResources: bound.map(({ plural }) => ({ group, resource: plural })) };
      await provider.apply(
        ...renderChart(join(root, 'charts/provider'), ['consumer-roles.yaml'], {
          name: 'provider',
          namespace: 'hawser',
          values,
        }),
      );
      backend = await startBackendAlone(system(), { args: ['--schema-sync-interval=10s'] });
      // With its own defaults, not those of the Go konnector.
      await system().startKonnector({ config: {} });
    }, 240_000);
    afterAll(async () => {
      await backend.stop();
    }, 60_000);

    const conformance = (...args: readonly string[]): Promise<Ended> => {
      const { consumer, provider } = system();
      return runCommand(
        executables.hawser,
        [
          'conformance',
          '--consumer',
          consumer.kubeconfigFile,
          '--provider',
          provider.kubeconfigFile,
          '--timeout',
          '30s',
          ...args,
        ],
        400_000,
      );
    };
    it('finds our konnector with our backend in order', async () => {
      const { must, should } = expectConformance(await conformance('--strict', '-o', 'json'));
      expect(must.passed + should.passed).toBeGreaterThan(35);
    });

    it('finds our konnector alone in order', async () => {
      const { results } = expectConformance(await conformance('--strict', '--role', 'konnector', '-o', 'json'));
      const skipped = results.filter(({ outcome }) => outcome.kind === 'skipped');
      expect(skipped.filter(({ outcome }) => outcome.why !== 'no backend is looked at')).toEqual([]);
    });

    it('finds our backend alone in order, and says so in XML', async () => {
      const { code, out } = await conformance('--strict', '--role', 'provider', '-o', 'junit');
      expect(out).toContain('failures="0"');
      expect(code).toBe(0);
    });

    it('leaves nothing behind, its requests and their answers included', async () => {
      const { consumer, provider } = system();
      expectConformance(await conformance('--only', 'object-copied,neighbours-are-apart', '-o', 'json'));
      const namesIn = async (plane: Plane, resource: Resource): Promise<readonly string[]> =>
        (await plane.client.list(resource)).items.map(({ metadata }) => metadata.name);
      for (const plane of [consumer, provider])
        await eventually(async () => {
          for (const resource of [
            resources.namespaces,
            resources.secrets,
            resources.customResourceDefinitions,
            resources.clusterRoles,
            resources.clusterRoleBindings,
          ])
            expect((await namesIn(plane, resource)).filter((name) => name.includes('conformance-'))).toEqual([]);
        }, LONG);
      expect(await namesIn(provider, resources.bindableResourcesRequests)).toEqual([]);
      expect(await namesIn(provider, resources.clusterBindings)).toEqual([]);
    });

    it('does not begin where one of its CRDs is already, and leaves that as it is', async () => {
      const { provider } = system();
      const guests: SampleApi = { group, plural: 'guests', kind: 'Guest', scope: 'Namespaced' };
      await provider.apply(sampleCrd(guests));
      const key = { name: `guests.${group}` };
      const before = await provider.client.get(resources.customResourceDefinitions, key);
      const { code, err } = await conformance('--only', 'onboarding');
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining(`CRD guests.${group} is on the provider already`) as unknown,
      });
      const after = await provider.client.get(resources.customResourceDefinitions, key);
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after.metadata.deletionTimestamp).toBeUndefined();
      await provider.client.delete(resources.customResourceDefinitions, key);
    });

    it('leaves a consumer alone that was there before, whose kubeconfig it is given', async () => {
      const { provider, folder } = system();
      const clusterNamespace = 'kube-bind-before';
      const { kubeconfig } = await onboardConsumer({
        provider: provider.client,
        connection: provider.podsConnection,
        clusterNamespace,
        prettyName: 'Before',
        apis: [],
      });
      const file = join(folder, 'before.kubeconfig');
      writeFileSync(file, kubeconfig, { mode: 0o600 });
      const theirs = `${clusterNamespace}-team-a`;
      await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: theirs } });
      const given = ['--role', 'provider', '--binding-kubeconfig', file, '--only', 'service-namespace', '-o', 'json'];
      const { results } = expectConformance(await conformance(...given));
      expect(results.at(-1)).toMatchObject({ id: 'service-namespace', outcome: { kind: 'passed' } });
      for (const name of [clusterNamespace, theirs])
        expect((await provider.client.get(resources.namespaces, { name })).metadata.deletionTimestamp).toBeUndefined();
      for (const kind of [
        resources.apiServiceExports,
        resources.apiServiceExportRequests,
        resources.apiServiceNamespaces,
      ])
        expect((await provider.client.list(kind, { namespace: clusterNamespace })).items).toEqual([]);
      expect(
        await provider.find(resources.clusterBindings, { namespace: clusterNamespace, name: 'cluster' }),
      ).toBeDefined();
    });

    it('fails where no backend answers', async () => {
      await backend.stop();
      const { code, err } = await conformance('--timeout', '2s', '--only', 'onboarding');
      expect(err).toMatch(/BindableResourcesRequest .* is answered: not after 2 s/u);
      expect(code).toBe(1);
    });
  },
);
