import { type Client, type Resource, getIfExists } from '@hawser/client';
import { labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { createBindingController } from '@hawser/kbind-binding';
import { createConnectionController } from '@hawser/kbind-connection';
import { resources as kubeResources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, type RunningController, runController } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../../konnector/kbind-connection/src/testing/kbind-clusters.js';
import { readBind, readBindings, readKonnectorPlan, readKonnectorWhy, readUnbind, type Task } from './index.js';
import { type Ran, runRead } from './testing/run-read.js';

describeWithControlPlane('the commands, of core.kbind.io', () => {
  let clusters: KbindClusters;
  let consumer: Client;
  let provider: Client;
  let running: RunningController[];

  beforeAll(async () => {
    clusters = await openKbindClusters(['team']);
    ({ consumer, provider } = clusters);
    const crd = crdOf(
      { group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
      { properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } }, statusSubresource: true },
    );
    await provider.create(customResourceDefinitions, crd);
    const connections = createConnectionController({ open: openProvider });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  });
  afterAll(async () => {
    for (const one of running) await one.stop();
    await clusters.close();
  });

  const widgets: Resource = { group: 'example.org', version: 'v1', resource: 'widgets' };

  const run = (read: (args: readonly string[]) => Task | string, ...args: readonly string[]): Promise<Ran> =>
    runRead(read, clusters.planes.consumer.kubeconfigFile, ...args);
  const bind = (...args: readonly string[]): ReturnType<typeof run> =>
    run(
      readBind,
      '--dialect=core-kbind',
      '--provider-kubeconfig',
      clusters.planes.provider.kubeconfigFile,
      '--resource=widgets.example.org',
      ...args,
    );

  it('bind, tell how it stands, and unbind', async () => {
    expect(await bind()).toMatchObject({ code: 1, err: expect.stringContaining('NotExported') });
    const metadata = { labels: { [labels.exported]: 'true' } };
    await provider.patch(
      customResourceDefinitions,
      { name: 'widgets.example.org' },
      { type: 'merge', patch: { metadata } },
    );

    const preview = await bind('--dry-run', '-o', 'yaml');
    expect(preview.out.match(/^kind: .*/gmu)).toEqual(['kind: Secret', 'kind: Connection', 'kind: ClusterBinding']);
    expect(preview.out).not.toContain('client-key-data');
    expect(await getIfExists(consumer, resources.connections, { name: 'widgets' })).toBeUndefined();

    expect(await bind()).toMatchObject({ code: 0, out: expect.stringContaining('widgets is bound and ready') });
    expect(await bind()).toMatchObject({ code: 0, out: expect.stringContaining('Everything is there already') });
    expect(await bind('--namespace=team', '--dry-run')).toMatchObject({
      out: 'This would be done:\n  create Binding team/widgets on the consumer, by Connection widgets\n',
    });

    const object = {
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: { name: 'one', namespace: 'team' },
      spec: { size: 'small' },
    };
    await consumer.create(widgets, object);
    await eventually(async () => {
      const { code, out } = await run(readBindings);
      expect(out).toMatch(
        /ClusterBinding +widgets +inStep +https:\S+ Connection widgets +\S+ +widgets\.example\.org +1\/1/u,
      );
      expect(code).toBe(0);
    });
    expect(await run(readKonnectorPlan)).toMatchObject({ code: 0, out: 'Nothing to write.\n' });
    expect((await run(readKonnectorWhy, 'connection', 'widgets')).out).toContain('Connection widgets is in step');
    expect((await run(readKonnectorWhy, 'widget', 'one', '-n', 'team')).out).toContain(
      'bound by widgets, copy team/one',
    );

    expect(await run(readUnbind, 'widgets')).toMatchObject({ code: 1, err: expect.stringContaining('give --yes') });
    const unbound = await run(readUnbind, 'widgets', '--delete-secret', '--yes');
    expect(unbound).toMatchObject({ code: 0, out: expect.stringContaining('widgets is unbound') });
    expect(await getIfExists(provider, widgets, { namespace: 'team', name: 'one' })).toBeUndefined();
    expect(await getIfExists(consumer, resources.connections, { name: 'widgets' })).toBeUndefined();
    const secret = { namespace: 'kbind', name: 'kubeconfig-widgets' };
    expect(await getIfExists(consumer, kubeResources.secrets, secret)).toBeUndefined();
  }, 120_000);
});
