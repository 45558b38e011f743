import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  apiVersion,
  getCondition,
  resources,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  type Rule,
  binderRules,
  openKonnectorPair,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { crdOf } from '@hawser/installation';
import {
  type ServiceBindingBundleController,
  type ServiceBindingBundleOptions,
  createServiceBindingBundle,
} from './index.js';

const SOON = { timeoutMs: 20_000 };

describeWithControlPlane('servicebindingbundle', () => {
  let pair: KonnectorPair;
  let running: ServiceBindingBundleController[];
  let bundle: string;
  /** Exports get names of this test alone: bindings are cluster-scoped. */
  const named = (name: string): string => `${name}-${pair.clusterNamespace}`;
  const ref = () => ({ namespace: pair.secretNamespace, name: 'kubeconfig', key: 'kubeconfig' });

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    bundle = named('all');
    await pair.consumer.create(resources.apiServiceBindingBundles, {
      apiVersion,
      kind: 'APIServiceBindingBundle',
      metadata: { name: bundle },
      spec: { kubeconfigSecretRef: ref() },
    } as APIServiceBindingBundle);
    pair.bundles.join(bundle);
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.stop()));
    await pair.consumer.delete(resources.apiServiceBindingBundles, { name: bundle }).catch(() => undefined);
    for (const { metadata } of await bindings())
      await pair.consumer.delete(resources.apiServiceBindings, { name: metadata.name }).catch(() => undefined);
    await pair.close();
  });

  async function start(more: Partial<ServiceBindingBundleOptions> = {}): Promise<ServiceBindingBundleController> {
    const controller = createServiceBindingBundle({
      connection: pair.connection,
      pollMs: 200,
      removalDelayMs: 200,
      ...more,
    });
    running.push(controller);
    await controller.start(pair.context());
    return controller;
  }
  const exportNamed = (name: string): Promise<void> => pair.createExport(named(name), ['databases']);
  const withdraw = (name: string): Promise<unknown> =>
    pair.provider.delete(resources.apiServiceExports, { namespace: pair.clusterNamespace, name: named(name) });
  const bindings = async (): Promise<readonly APIServiceBinding[]> =>
    (await pair.consumer.list<APIServiceBinding>(resources.apiServiceBindings)).items.filter(({ metadata }) =>
      metadata.name.endsWith(pair.clusterNamespace),
    );
  const bound = async (...names: string[]): Promise<void> => {
    await eventually(async () => {
      expect((await bindings()).map(({ metadata }) => metadata.name).toSorted()).toEqual(names.map(named).toSorted());
    }, SOON);
  };
  const condition = async () =>
    getCondition(
      (await pair.consumer.get<APIServiceBindingBundle>(resources.apiServiceBindingBundles, { name: bundle })).status
        ?.conditions,
      'Synced',
    );
  const isReported = async (status: string, reason?: string, words = ''): Promise<void> => {
    await eventually(async () => {
      const found = await condition();
      expect(found).toMatchObject({ status, ...(reason === undefined ? {} : { reason }) });
      expect(found?.message ?? '').toContain(words);
    }, SOON);
  };
  const without = (verb: string): readonly Rule[] =>
    binderRules.map((rule) =>
      rule.resources.includes('apiserviceexports')
        ? { ...rule, verbs: rule.verbs.filter((one) => one !== verb) }
        : rule,
    );
  /** A change that the controller answers only when it has dealt with everything before it. */
  const handled = async (name: string): Promise<void> => {
    await exportNamed(name);
    await eventually(async () => {
      expect((await bindings()).map(({ metadata }) => metadata.name)).toContain(named(name));
    }, SOON);
  };

  it('binds what is exported, as it comes and goes, and writes nothing when it is started again', async () => {
    await exportNamed('a');
    const controller = await start();
    await bound('a');
    await isReported('True');
    const [first] = await bindings();
    const { metadata } = await pair.consumer.get(resources.apiServiceBindingBundles, { name: bundle });
    expect(first).toMatchObject({
      spec: { kubeconfigSecretRef: ref() },
      metadata: {
        ownerReferences: [
          { apiVersion, kind: 'APIServiceBindingBundle', name: bundle, uid: metadata.uid, controller: true },
        ],
      },
    });
    await exportNamed('b');
    await bound('a', 'b');
    await withdraw('b');
    await bound('a');
    // Told once the API server has answered, which the binding does not wait for.
    await eventually(() => {
      expect(pair.events).toEqual(
        expect.arrayContaining([
          expect.stringContaining(
            `APIServiceBindingBundle ${bundle} Normal BindingCreated: The provider exports ${named('b')}`,
          ),
          expect.stringContaining(
            `APIServiceBindingBundle ${bundle} Normal BindingDeleted: The provider has withdrawn export ${named('b')}`,
          ),
        ]),
      );
    }, SOON);
    await controller.stop();

    const since = await pair.consumerPlane.auditLog().mark();
    const again = await start();
    await again.released(bundle);
    const writes = await pair.consumerPlane.auditLog().writes({ since });
    expect(
      writes
        .filter(({ name = '' }) => name.endsWith(pair.clusterNamespace))
        .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`),
    ).toEqual([]);
  });

  it('gives back a binding that somebody deletes', async () => {
    await exportNamed('a');
    await start();
    await bound('a');
    const uid = (await bindings())[0]?.metadata.uid;
    await pair.consumer.delete(resources.apiServiceBindings, { name: named('a') });
    await eventually(async () => {
      const [again] = await bindings();
      expect(again?.metadata.uid).toBeDefined();
      expect(again?.metadata.uid).not.toBe(uid);
    }, SOON);
  });

  it('keeps all bindings when the last export goes (R33)', async () => {
    await exportNamed('a');
    await start();
    await bound('a');
    await withdraw('a');
    await isReported('False', 'BindingsKept', 'exports nothing at all');
    await bound('a');
    // Then there is something again that tells of a provider in order.
    await exportNamed('b');
    await bound('b');
    await isReported('True');
  });

  /** The binding has a CRD, and an object of it. */
  async function hasObject(name: string, plural: string): Promise<void> {
    const { group } = pair;
    await pair.consumer.create(
      resources.customResourceDefinitions,
      crdOf({ group, plural, kind: plural, scope: 'Cluster' }, { properties: {} }),
    );
    await eventually(async () => {
      await pair.consumer.create(
        { group, version: 'v1', resource: plural },
        { apiVersion: `${group}/v1`, kind: plural, metadata: { name: 'one' } },
      );
    }, SOON);
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name: named(name) },
      { type: 'merge', patch: { status: { boundSchemas: [{ group, resource: plural }] } } },
      { subresource: 'status' },
    );
  }
  const approve = (token: string): Promise<unknown> =>
    pair.consumer.patch(
      resources.apiServiceBindingBundles,
      { name: bundle },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approve-deletions': token } } } },
    );
  const tokenInMessage = async (): Promise<string> =>
    /approve-deletions=(?<token>\S+)/u.exec((await condition())?.message ?? '')?.groups?.['token'] ?? '';

  it('keeps a binding with objects whose export is missing without having been seen to go, as after a restore, until that is approved', async () => {
    for (const name of ['a', 'b', 'c']) await exportNamed(name);
    const before = await start();
    await bound('a', 'b', 'c');
    await hasObject('b', 'things');
    await before.stop();
    await withdraw('b');
    await withdraw('c');
    await start();
    await isReported('False', 'DeletionsHeld', `APIServiceBinding ${named('b')} is kept with its CRD and objects`);
    // What has no objects loses none.
    await bound('a', 'b');
    await approve('1-00000000');
    await handled('d');
    await bound('a', 'b', 'd');
    await approve(await tokenInMessage());
    await bound('a', 'd');
    await isReported('True');
  });

  it('deletes the binding of an export that was seen to go, but not too many with objects at once', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await exportNamed(name);
    await start({ withdrawalsPerMinute: 1 });
    await bound('a', 'b', 'c', 'd');
    await hasObject('b', 'things');
    await withdraw('b');
    await bound('a', 'c', 'd');
    await hasObject('c', 'gadgets');
    await hasObject('d', 'widgets');
    await withdraw('c');
    await withdraw('d');
    await isReported('False', 'DeletionsHeld', 'more exports are withdrawn at once than may be');
    await bound('a', 'c', 'd');
    await approve(await tokenInMessage());
    await bound('a');
  });

  it('keeps all bindings while the cluster namespace is being deleted (R33)', async () => {
    await exportNamed('a');
    await exportNamed('b');
    await start();
    await bound('a', 'b');
    await pair.provider.delete(resources.namespaces, { name: pair.clusterNamespace });
    await withdraw('a');
    await isReported('False', 'BindingsKept', `namespace ${pair.clusterNamespace} is being deleted on the provider`);
    await bound('a', 'b');
  });

  it('keeps all bindings while the provider refuses to be read, and says so', async () => {
    await exportNamed('a');
    const controller = await start();
    await bound('a');
    await pair.grant([]);
    await withdraw('a');
    // The watch that is open goes on: it is a new start that is refused, and that of the watch.
    await controller.stop();
    await expect(start()).rejects.toMatchObject({ code: 'Forbidden' });
    await bound('a');
  });

  it('lists exports, again and again, where it may not watch them', async () => {
    await pair.grant(without('watch'));
    await exportNamed('a');
    await start();
    await bound('a');
    await handled('b');
    await isReported('True');
    await withdraw('b');
    await bound('a');
    await pair.grant(without('watch').filter((rule) => !rule.resources.includes('apiserviceexports')));
    await isReported('False', 'ListExportsFailed', 'forbidden');
    await bound('a');
    await pair.grant(binderRules);
    await handled('c');
    await isReported('True');
  });

  it('reports a binding that is not its own, never touches it, and goes on when it is gone', async () => {
    const own = await pair.createBinding(named('a'), {
      namespace: pair.secretNamespace,
      name: 'another',
      key: 'kubeconfig',
    });
    await exportNamed('a');
    await exportNamed('b');
    await start();
    await isReported('False', 'ForeignAPIServiceBinding', `Export ${named('a')} is not bound by this bundle`);
    await bound('a', 'b');
    await eventually(() => {
      expect(pair.events).toContainEqual(
        expect.stringContaining(
          `APIServiceBindingBundle ${bundle} Warning ForeignAPIServiceBinding: Export ${named('a')}`,
        ),
      );
    });
    // Nor if its export goes.
    await withdraw('a');
    await isReported('True');
    await handled('c');
    expect((await pair.binding(named('a'))).metadata).toMatchObject({
      uid: own.metadata.uid,
      resourceVersion: own.metadata.resourceVersion,
    });
    await exportNamed('a');
    await isReported('False', 'ForeignAPIServiceBinding');
    await pair.consumer.delete(resources.apiServiceBindings, { name: named('a') });
    await isReported('True');
    await bound('a', 'b', 'c');
  });

  it('leaves bundles of other connections alone', async () => {
    pair.bundles.leave(bundle);
    await exportNamed('a');
    await (await start()).released(bundle);
    expect(await bindings()).toEqual([]);
    pair.bundles.join(bundle);
    await bound('a');
  });
});
