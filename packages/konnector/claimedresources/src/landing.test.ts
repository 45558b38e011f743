import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { expect, it } from '@jest/globals';

import { createLandingNamespaces } from './landing.js';

it('are not opened by objects that the konnector brought from the provider, which chose where they stand', async () => {
  const server = createApiServer({ controllerManager: false });
  const clock = new FakeClock();
  const client = createClient({ name: 'consumer', connection: { server: 'http://api.test', credentials: { kind: 'none' } }, clock, random: () => 0.5, dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }) });
  const informers = createSharedInformers({ client, clock, random: () => 0.5, logger: silentLogger, metrics: noMetrics });
  const turns = async (): Promise<void> => { for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => { setImmediate(resolve); }); };
  const create = (namespace: string, name: string, annotations: Record<string, string> = {}): Promise<unknown> => client.create(resources.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, annotations } });
  const brought = { 'hawser.dev/adopted-from': 'uid-on-the-provider' };
  for (const name of ['argocd', 'team']) await client.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await create('argocd', 'brought', brought);
  await create('team', 'brought', brought);
  await create('team', 'own');
  const opened: (string | undefined)[] = [];
  const landings = createLandingNamespaces(informers, 'identity', (namespace) => { opened.push(namespace); });
  landings.set([resources.configMaps]);
  await turns();
  expect([landings.of('argocd'), landings.of('team')]).toEqual(['closed', 'open']);
  expect(opened).not.toContain('argocd');

  // The consumer takes it on by taking the mark off.
  await client.patch(resources.configMaps, { namespace: 'argocd', name: 'brought' }, { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/adopted-from': null } } } });
  await client.delete(resources.configMaps, { namespace: 'team', name: 'own' });
  await turns();
  expect([landings.of('argocd'), landings.of('team')]).toEqual(['open', 'closed']);
  expect(opened).toContain('argocd');
  await client.delete(resources.configMaps, { namespace: 'argocd', name: 'brought' });
  await turns();
  expect(landings.of('argocd')).toBe('closed');

  landings.close();
  await informers.close();
  await client.close();
  server.stop();
});
