import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { databases, onboardConsumer } from '@hawser/installation';
import { eventually, freePort } from '@hawser/testenv';
import { locatePrometheus } from '../../tools/programs/prometheus.ts';
import { databaseRights, databasesOf } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { startBackendAlone } from './backend.js';
import { LONG, createNamespace, objectOf, report, resourceOf, synced } from './copies.js';
import { type Prometheus, emptyPanels, startPrometheus } from './prometheus.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { ready } from './system.js';

const found = await locatePrometheus({ quick: true });

if ('missing' in found)
  describe('dashboards', () => {
    jestIt.skip(`show something (${found.missing})`, () => undefined);
  });
else {
  describeSystem(
    'the dashboard of the konnector',
    () => ({ name: 'dashboard-konnector' }),
    (system, it) => {
      let prometheus: Prometheus;
      beforeAll(async () => {
        const konnector = await system().startKonnector();
        prometheus = await startPrometheus(found.prometheus, konnector.health);
        await createNamespace(system(), 'team-a');
        const bound = await system().bind({ name: 'databases', apis: [databases] });
        await ready(system(), 'databases');
        for (const name of ['one', 'two']) {
          const key = { namespace: 'team-a', name };
          await system().consumer.client.create(resourceOf(databases), objectOf(databases, key));
          await synced(system(), bound, databases, key);
          await report(system(), bound, databases, key, { phase: 'Ready' });
        }
        // What stays at home costs a look, and no write.
        const finalizers = ['kubebind.io/syncer', 'example.com/own'];
        await system().consumer.client.patch(
          resourceOf(databases),
          { namespace: 'team-a', name: 'one' },
          { type: 'merge', patch: { metadata: { finalizers } } },
        );
      }, 240_000);
      afterAll(async () => {
        await prometheus.stop();
      });

      it('shows a series in each of its panels, but for those of troubles', async () => {
        const troubles = [
          'Steps that failed',
          'Requests that failed',
          'Watches that began again',
          'Retries',
          'Ends of leadership',
        ];
        await eventually(async () => {
          expect(await emptyPanels(prometheus, 'konnector', troubles)).toEqual([]);
        }, LONG);
      });
    },
  );

  describeSystem(
    'the dashboard of the provider',
    () => ({ name: 'dashboard-provider' }),
    (system, it) => {
      let backend: Program;
      let prometheus: Prometheus;
      beforeAll(async () => {
        const { provider } = system();
        await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hawser' } });
        backend = await startBackendAlone(system());
        await onboardConsumer({
          provider: provider.client,
          connection: provider.podsConnection,
          clusterNamespace: 'kube-bind-acme',
          prettyName: 'Acme',
          apis: [],
        });
        prometheus = await startPrometheus(found.prometheus, backend.health);
      }, 240_000);
      afterAll(async () => {
        await prometheus.stop();
        await backend.stop();
      });

      it('shows a series in each of its panels, but for those of troubles', async () => {
        const troubles = ['Changed schemas', 'Copies of ended exports', 'Writes of another backend'];
        await eventually(async () => {
          expect(await emptyPanels(prometheus, 'provider', troubles)).toEqual([]);
        }, LONG);
      });
    },
  );

  describeAgentSystem(
    'the dashboard of the syncagent',
    { name: 'dashboard-syncagent', rights: { publishedResources: databaseRights } },
    (system, it) => {
      const { install, publish, served, create, placed } = databasesOf(system);
      let prometheus: Prometheus;
      beforeAll(async () => {
        await install();
        const metrics = `127.0.0.1:${await freePort()}`;
        await system().startAgent({ args: [`--metrics-address=${metrics}`] });
        prometheus = await startPrometheus(found.prometheus, `http://${metrics}`);
        await publish();
        const workspace = await system().consumer('a');
        await served(workspace);
        for (const name of ['one', 'two']) {
          await create(workspace, name);
          await placed(workspace, name);
        }
      }, 240_000);
      afterAll(async () => {
        await prometheus.stop();
      });

      it('shows a series in each of its panels', async () => {
        await eventually(async () => {
          expect(await emptyPanels(prometheus, 'syncagent', [])).toEqual([]);
        }, LONG);
      });
    },
  );
}
