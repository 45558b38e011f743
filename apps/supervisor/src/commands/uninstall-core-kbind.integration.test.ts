import { type Client, getIfExists, type KubeObject } from '@hawser/client';
import { readBind, type Task } from '@hawser/commands';
import { labels, resources } from '@hawser/core-kbind';
import { crdOf } from '@hawser/installation';
import { createBindingController } from '@hawser/kbind-binding';
import { createConnectionController } from '@hawser/kbind-connection';
import { resources as kubeResources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, type RunningController, runController } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';

import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../../../packages/konnector/kbind-connection/src/testing/kbind-clusters.js';
import { type Ran, runRead } from '../../../../packages/cli/commands/src/testing/run-read.js';
import { readUninstall } from './uninstall.js';

const widgets = { group: 'example.org', version: 'v1', resource: 'widgets' };
const one = { namespace: 'team', name: 'one' };

describeWithControlPlane('hawser uninstall of core.kbind.io', () => {
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
    await provider.create(kubeResources.customResourceDefinitions, {
      ...crd,
      metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
    });
    const connections = createConnectionController({ open: openProvider });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  });
  afterAll(async () => {
    for (const controller of running) await controller.stop();
    await clusters.close();
  });

  const run = (read: (args: readonly string[]) => Task | string, ...args: readonly string[]): Promise<Ran> =>
    runRead(read, clusters.planes.consumer.kubeconfigFile, ...args);
  const uninstall = (...args: readonly string[]): Promise<Ran> => run(readUninstall, '--dialect=core-kbind', ...args);

  beforeEach(async () => {
    const provided = clusters.planes.provider.kubeconfigFile;
    const what = ['--resource=widgets.example.org', '--namespace=team'];
    expect(await run(readBind, '--dialect=core-kbind', '--provider-kubeconfig', provided, ...what)).toMatchObject({
      code: 0,
    });
    if ((await getIfExists(consumer, widgets, one)) === undefined)
      await eventually(() =>
        consumer.create(widgets, {
          apiVersion: 'example.org/v1',
          kind: 'Widget',
          metadata: one,
          spec: { size: 'small' },
        } as KubeObject),
      );
    await eventually(async () => {
      expect(await getIfExists(provider, widgets, one)).toBeDefined();
    });
  });

  async function isGone(): Promise<void> {
    for (const resource of Object.values(resources)) expect((await consumer.list(resource)).items).toEqual([]);
    expect((await consumer.get(widgets, one)).metadata).not.toHaveProperty('finalizers');
  }
  const secret = (): Promise<unknown> =>
    getIfExists(consumer, kubeResources.secrets, { namespace: 'kbind', name: 'kubeconfig-widgets' });

  it('takes bindings, Connections and Secrets away, and keeps what it did not install', async () => {
    const preview = await uninstall('--dry-run');
    expect(preview).toMatchObject({ code: 0, err: '' });
    expect(preview.out.split('\n')).toEqual([
      'This would be done:',
      expect.stringContaining('delete Binding team/widgets under policy Delete'),
      '  delete Connection widgets',
      '  delete Secret kbind/kubeconfig-widgets',
      '',
    ]);
    expect(await uninstall()).toMatchObject({ code: 1, err: expect.stringContaining('give --yes') });
    // That of kube-bind leaves it alone, and says so.
    expect(await run(readUninstall, '--dialect=kube-bind', '--dry-run')).toMatchObject({
      err: expect.stringContaining('Of core.kbind.io stays: Binding team/widgets, Connection widgets.'),
    });
    const done = await uninstall('--yes');
    expect(done).toMatchObject({ code: 0, err: '', out: expect.stringContaining('of core.kbind.io: none') });
    // A Binding leaves its objects, and the CRD with them.
    expect(done.out).toContain('CRDs that stay, with their objects: widgets.example.org');
    expect(await getIfExists(provider, widgets, one)).toBeUndefined();
    await isGone();
    expect(await secret()).toBeUndefined();
    expect(await uninstall('--yes')).toMatchObject({ code: 0, err: '' });
  }, 120_000);

  it('lets go of copies where a person says so, and keeps the Secrets', async () => {
    expect(await uninstall('--yes', '--keep-secrets', '--release=the provider is gone')).toMatchObject({ code: 0 });
    await isGone();
    expect(await getIfExists(provider, widgets, one)).toBeDefined();
    expect(await secret()).toMatchObject({ metadata: expect.not.objectContaining({ finalizers: expect.anything() }) });
  }, 120_000);
});
