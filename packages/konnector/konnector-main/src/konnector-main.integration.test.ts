import type { KubeObject } from '@hawser/client';
import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createFaultProxy } from '@hawser/faultproxy';
import { type InformerHandle, createSharedInformers } from '@hawser/informer';
import type { ProviderConnection } from '@hawser/konnector-connection';
import { apiVersion, resources } from '@hawser/kube-bind';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createClusterBinding, requiredInformers as clusterBindingInformers } from '../../clusterbinding/src/index.js';
import {
  type ContextOptions,
  type KonnectorPair,
  openKonnectorPair,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding, requiredInformers as serviceBindingInformers } from '../../servicebinding/src/index.js';
import { fillInformers } from '@hawser/konnector-connection';
import { type ControllerSet, type KonnectorMain, createKonnectorMain } from './index.js';

const kubeconfigWith = (parts: {
  server?: string;
  cluster?: string;
  user?: string;
  context?: string;
  current?: string;
}): string => `
${parts.current ?? 'current-context: default'}
contexts: [{name: default, context: {cluster: default, user: default${parts.context ?? ', namespace: x'}}}]
clusters: [{name: default, cluster: {server: '${parts.server ?? 'https://127.0.0.1:1'}'${parts.cluster ?? ''}}}]
users: [{name: default, user: {${parts.user ?? 'token: abc'}}}]
`;

// konnector-main reports on every binding of its cluster, so it gets one of its own.
describeWithControlPlane('konnector-main', () => {
  let plane: ControlPlane;
  let pair: KonnectorPair;
  let main: KonnectorMain | undefined;
  /** What the controller sets did, as `<hash> <what>`. */
  let log: string[];
  /** How often a set with this hash shall fail to run. */
  let crashes: PromiseWithResolvers<unknown>[];
  /** Which provider a kubeconfig leads to; undefined: not to be known. */
  let identity: string | undefined;
  let number = 0;
  const fresh = (): string => `km-${++number}`;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'konnector-main' });
  });
  afterAll(async () => {
    await plane.stop();
  });
  beforeEach(async () => {
    pair = await openKonnectorPair({ consumer: plane });
    log = [];
    crashes = [];
    identity = undefined;
  });
  afterEach(async () => {
    await main?.stop();
    main = undefined;
    await pair.close();
    for (const { metadata } of (await pair.consumer.list(resources.apiServiceBindings).catch(() => ({ items: [] })))
      .items)
      await pair.consumer.delete(resources.apiServiceBindings, { name: metadata.name });
  });

  /** A set that reads the provider as the real one does, and notes what is asked of it. */
  function recordingSet(connection: ProviderConnection): ControllerSet {
    const note = (what: string): void => {
      log.push(`${connection.hash.slice(0, 4)} ${what}`);
    };
    const client = createClient({ name: 'provider', connection: connection.config });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      backoff: { initialMs: 50, capMs: 200 },
    });
    const failure = Promise.withResolvers<unknown>();
    crashes.push(failure);
    return {
      state: [],
      failed: failure.promise,
      async prepare(signal) {
        note('prepare');
        const handles = [...clusterBindingInformers(connection), ...serviceBindingInformers(connection)].map(
          (spec): InformerHandle<KubeObject> => informers.acquire(spec),
        );
        await fillInformers(handles, signal);
        note('prepared');
      },
      identity: () => Promise.resolve(identity),
      run() {
        note(`run ${connection.bindings.names().toSorted().join()}`);
        return Promise.resolve();
      },
      async stop() {
        note('stop');
        await informers.close();
        await client.close();
        note('stopped');
      },
    };
  }
  async function start(
    startSet: (connection: ProviderConnection) => ControllerSet = recordingSet,
    as: ContextOptions = {},
  ): Promise<KonnectorMain> {
    main = createKonnectorMain({ startSet, backoff: { initialMs: 100, capMs: 500 } });
    await main.start(pair.context(as));
    return main;
  }
  const setSecret = async (
    value: string | undefined,
    options: { name?: string; key?: string; labels?: Record<string, string> } = {},
  ): Promise<void> => {
    const { name = 'kubeconfig', key = 'kubeconfig', labels } = options;
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: pair.secretNamespace, name, ...(labels === undefined ? {} : { labels }) },
      data: value === undefined ? {} : { [key]: Buffer.from(value).toString('base64') },
    };
    await pair.consumer.patch(
      resources.secrets,
      { namespace: pair.secretNamespace, name },
      { type: 'apply', object, force: true },
      { fieldManager: 'test' },
    );
  };
  const deleteSecret = (name = 'kubeconfig') =>
    pair.consumer.delete(resources.secrets, { namespace: pair.secretNamespace, name });
  const good = (comment = ''): string => `${pair.access.kubeconfig}\n# ${comment}`;
  const secretIn = (name: string, key = 'kubeconfig') => ({ namespace: pair.secretNamespace, name, key });
  const runs = async (...bindings: string[]): Promise<void> => {
    await eventually(
      () => {
        expect(main?.connections).toMatchObject([{ phase: 'running', bindings: bindings.toSorted() }]);
      },
      { timeoutMs: 20_000 },
    );
  };
  const phases = () => main?.connections.map(({ phase }) => phase);

  it('runs one connection for bindings with the same kubeconfig, and ends it with the last of them', async () => {
    const [a, b, c] = [fresh(), fresh(), fresh()];
    await setSecret(good());
    await setSecret(good(), { name: 'copy', key: 'config' });
    await pair.createBinding(a);
    await pair.createBinding(b);
    await start();
    await runs(a, b);
    await pair.createBinding(c, secretIn('copy', 'config'));
    await runs(a, b, c);
    for (const name of [a, b, c]) {
      await pair.becomes(name, 'SecretValid', { status: 'True' });
      await pair.becomes(name, 'InformersSynced', { status: 'True' });
      // Nothing has looked at an export here.
      await pair.becomes(name, 'Ready', { status: 'False', reason: 'Pending' });
    }
    for (const name of [a, b]) await pair.consumer.delete(resources.apiServiceBindings, { name });
    await runs(c);
    await pair.consumer.delete(resources.apiServiceBindings, { name: c });
    await eventually(() => {
      expect(main?.connections).toEqual([]);
    });
    expect(log.map((line) => line.slice(5))).toEqual(['prepare', 'prepared', `run ${a},${b}`, 'stop', 'stopped']);
  });

  it('watches no Secrets but those that are named or labelled', async () => {
    const since = await plane.auditLog().mark();
    const name = fresh();
    await setSecret(good());
    await pair.createBinding(name);
    await start();
    await runs(name);
    const uris = (await plane.auditLog().entries({ since, resource: 'secrets' }))
      .filter(({ verb }) => verb === 'list' || verb === 'watch')
      .map(({ requestUri }) => decodeURIComponent(requestUri));
    expect(uris.length).toBeGreaterThan(0);
    for (const uri of uris)
      expect(uri).toMatch(
        /fieldSelector=metadata\.name=kubeconfig|labelSelector=kube-bind\.io\/provider-kubeconfig=true/u,
      );
  });

  it.each<[string, string | undefined, string]>([
    ['no such key', undefined, 'no such key'],
    ['not YAML', '{', ''],
    ['no current context', kubeconfigWith({ current: '' }), 'current-context'],
    ['no namespace', kubeconfigWith({ context: '' }), 'namespace'],
    ['an exec user', kubeconfigWith({ user: 'exec: {command: /bin/true}' }), 'exec'],
    [
      'a certificate file',
      kubeconfigWith({ user: 'client-certificate: /etc/x, client-key: /etc/y' }),
      'client-certificate',
    ],
    ['a CA file', kubeconfigWith({ cluster: ', certificate-authority: /etc/x' }), 'certificate-authority'],
    ['an http server', kubeconfigWith({ server: 'http://127.0.0.1:1' }), 'https'],
  ])('refuses a Secret with %s, in words, and recovers when it is corrected', async (_, value, words) => {
    const name = fresh();
    await setSecret(value);
    await pair.createBinding(name);
    await start();
    const condition = await pair.becomes(name, 'SecretValid', {
      status: 'False',
      severity: 'Error',
      reason: 'KubeconfigSecretInvalid',
      message: words,
    });
    expect(condition.message).toContain(`Key kubeconfig of Secret ${pair.secretNamespace}/kubeconfig is refused.`);
    await pair.becomes(name, 'Ready', { status: 'False' });
    expect(main?.connections).toEqual([]);
    await eventually(() => {
      expect(pair.events).toEqual([`APIServiceBinding ${name} Warning KubeconfigSecretInvalid: ${condition.message}`]);
    });
    await setSecret(good());
    await pair.becomes(name, 'InformersSynced', { status: 'True' });
  });

  it('goes on with the last good kubeconfig when the Secret is broken or deleted', async () => {
    const [a, b] = [fresh(), fresh()];
    await setSecret(good());
    await pair.createBinding(a);
    await pair.createBinding(b);
    await start();
    await runs(a, b);
    await setSecret('{');
    await pair.becomes(a, 'SecretValid', {
      status: 'False',
      reason: 'KubeconfigSecretInvalid',
      message: 'goes on with the last kubeconfig that worked',
    });
    await deleteSecret();
    await pair.becomes(a, 'SecretValid', {
      status: 'False',
      reason: 'KubeconfigSecretNotFound',
      message: 'goes on with the last kubeconfig that worked',
    });
    // One of two bindings that share a connection leaves it meanwhile.
    await pair.consumer.delete(resources.apiServiceBindings, { name: a });
    await runs(b);
    expect(log.filter((line) => line.includes('stop'))).toEqual([]);
    await setSecret(good());
    await pair.becomes(b, 'SecretValid', { status: 'True' });
    expect(log.filter((line) => line.endsWith('prepare'))).toHaveLength(1);
  });

  it('fills the caches of a rotated kubeconfig, then ends the old connection, then runs the new one', async () => {
    const [a, b] = [fresh(), fresh()];
    await setSecret(good('one'));
    await pair.createBinding(a);
    await pair.createBinding(b);
    await start();
    await runs(a, b);
    log.length = 0;
    await setSecret(good('two'));
    await eventually(() => {
      expect(log).toHaveLength(5);
    });
    await runs(a, b);
    const [next, old] = [log[0]?.slice(0, 4), log[2]?.slice(0, 4)];
    expect(old).not.toBe(next);
    expect(log).toEqual([
      `${next} prepare`,
      `${next} prepared`,
      `${old} stop`,
      `${old} stopped`,
      `${next} run ${a},${b}`,
    ]);
    await pair.becomes(a, 'InformersSynced', { status: 'True' });
  });

  it('does not leave a working kubeconfig for one that does not work', async () => {
    const name = fresh();
    await setSecret(good());
    await pair.createBinding(name);
    await start();
    await runs(name);
    const condition = async (): Promise<void> => {
      await pair.becomes(name, 'InformersSynced', {
        status: 'False',
        severity: 'Error',
        reason: 'InformerSyncFailed',
        message: 'goes on with the last kubeconfig that worked',
      });
    };

    await setSecret(pair.access.kubeconfig.replace(/token: .*/u, 'token: expired'));
    await condition();
    expect(await pair.condition(name, 'InformersSynced')).toMatchObject({
      message: expect.stringMatching(/provider: list .*kube-bind\.io.*401/u),
    });
    expect(await pair.condition(name, 'SecretValid')).toMatchObject({ status: 'True' });
    await setSecret(pair.access.kubeconfig.replace(/server: .*/u, "server: 'https://127.0.0.1:1'"));
    await condition();
    expect(phases()?.toSorted()).toEqual(['preparing', 'running']);
    expect(main?.connections.find(({ phase }) => phase === 'running')?.bindings).toEqual([name]);

    await setSecret(good('three'));
    await pair.becomes(name, 'InformersSynced', { status: 'True' });
    await runs(name);
  });

  it('makes a connection anew that fails, and disturbs no other', async () => {
    const [a, b] = [fresh(), fresh()];
    await setSecret(good('a'), { name: 'a' });
    await setSecret(good('b'), { name: 'b' });
    await pair.createBinding(a, secretIn('a'));
    await start();
    await runs(a);
    await pair.createBinding(b, secretIn('b'));
    await eventually(() => {
      expect(phases()).toEqual(['running', 'running']);
    });
    const before = main?.connections.find(({ bindings }) => bindings.includes(a));
    log.length = 0;
    crashes.at(-1)?.resolve(new Error('servicebinding ended'));
    await pair.becomes(b, 'InformersSynced', { status: 'True' });
    await eventually(() => {
      expect(log.map((line) => line.slice(5))).toEqual(['stop', 'stopped', 'prepare', 'prepared', `run ${b}`]);
    });
    expect(main?.connections.find(({ bindings }) => bindings.includes(a))).toEqual(before);
    expect(pair.events.filter((line) => line.includes(`APIServiceBinding ${a} `))).toEqual([]);
  });

  it('connects for a labelled Secret that nothing is bound with, and ends that when the label goes', async () => {
    await start();
    await setSecret(good(), { labels: { 'kube-bind.io/provider-kubeconfig': 'true' } });
    await runs();
    const connection = main?.connections;
    const name = fresh();
    await pair.createBinding(name);
    await runs(name);
    expect(main?.connections[0]?.id).toBe(connection?.[0]?.id);
    await pair.consumer.delete(resources.apiServiceBindings, { name });
    await runs();
    await setSecret(good());
    await eventually(() => {
      expect(main?.connections).toEqual([]);
    });
  });

  it('does not follow a kubeconfig to another provider, also after a restart, until that is accepted', async () => {
    const name = fresh();
    identity = 'provider-one';
    await setSecret(good('one'));
    await pair.createBinding(name);
    const first = await start();
    await runs(name);
    const { metadata } = await pair.consumer.get(resources.namespaces, { name: 'kube-system' });
    await eventually(async () => {
      expect((await pair.binding(name)).metadata.annotations).toMatchObject({
        'hawser.dev/provider-identity': 'provider-one',
        'hawser.dev/consumer-identity': metadata.uid,
      });
    });
    await first.stop();
    log.length = 0;
    identity = 'provider-two';
    await setSecret(good('two'));
    await start();
    const condition = await pair.becomes(name, 'SecretValid', {
      status: 'False',
      severity: 'Error',
      reason: 'ProviderIdentityChanged',
      message: 'has uid provider-two there',
    });
    expect(condition.message).toContain('is bound to uid provider-one');
    await pair.becomes(name, 'Ready', { status: 'False' });
    expect(main?.connections).toMatchObject([{ phase: 'prepared', bindings: [] }]);
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/provider-identity': 'provider-two' } } } },
    );
    await runs(name);
    await pair.becomes(name, 'SecretValid', { status: 'True' });
    expect(log.map((line) => line.slice(5))).toEqual(['prepare', 'prepared', `run ${name}`]);
  });

  it('binds to the provider that the Secret names, not to the one that a cache still has', async () => {
    const [former, late] = [fresh(), fresh()];
    await using proxy = await createFaultProxy({ upstream: plane.connection });
    proxy.inject({
      match: { watch: true, path: /fieldSelector=metadata\.name(%3D|=)kubeconfig/u },
      fault: { kind: 'silence' },
    });
    identity = 'provider-one';
    await setSecret(good('one'));
    await pair.createBinding(former);
    await start(recordingSet, { consumer: proxy.connection });
    await runs(former);
    await eventually(async () => {
      expect((await pair.binding(former)).metadata.annotations).toMatchObject({
        'hawser.dev/provider-identity': 'provider-one',
      });
    });
    identity = 'provider-two';
    await setSecret(good('two'));
    await pair.createBinding(late);
    await pair.becomes(late, 'SecretValid', { status: 'True' });
    await eventually(async () => {
      expect((await pair.binding(late)).metadata.annotations).toMatchObject({
        'hawser.dev/provider-identity': 'provider-two',
      });
    });
    expect(main?.connections.map(({ bindings }) => bindings)).toEqual([[former], [late]]);
    await pair.becomes(former, 'SecretValid', { status: 'False', reason: 'ProviderIdentityChanged' });
    await main?.stop();
  });

  it('serves a bundle that is made anew under its name for another provider, and a labelled Secret likewise', async () => {
    const labels = { 'kube-bind.io/provider-kubeconfig': 'true' };
    const name = fresh();
    const createBundle = (): Promise<KubeObject> =>
      pair.consumer.create(resources.apiServiceBindingBundles, {
        apiVersion,
        kind: 'APIServiceBindingBundle',
        metadata: { name },
        spec: { kubeconfigSecretRef: secretIn('of-bundle') },
      } as KubeObject);
    const running = (count: number): Promise<void> =>
      eventually(
        () => {
          expect(main?.connections).toHaveLength(count);
          expect(phases()).toEqual(Array(count).fill('running'));
        },
        { timeoutMs: 20_000 },
      );
    identity = 'provider-one';
    await setSecret(good('one'), { name: 'of-bundle' });
    await setSecret(good('labelled one'), { name: 'labelled', labels });
    await createBundle();
    await start();
    await running(2);
    await pair.consumer.delete(resources.apiServiceBindingBundles, { name });
    await deleteSecret('labelled');
    await eventually(() => {
      expect(main?.connections).toEqual([]);
    });
    identity = 'provider-two';
    await setSecret(good('two'), { name: 'of-bundle' });
    await setSecret(good('labelled two'), { name: 'labelled', labels });
    await createBundle();
    await running(2);
    // The Secret alone binds nothing: it may go on to the next provider.
    identity = 'provider-three';
    await setSecret(good('labelled three'), { name: 'labelled', labels });
    await running(2);
    // The bundle itself does not go on, unless it is another one, however quickly that comes.
    await setSecret(good('three'), { name: 'of-bundle' });
    await eventually(
      () => {
        expect(phases()?.toSorted()).toEqual(['prepared', 'running', 'running']);
      },
      { timeoutMs: 20_000 },
    );
    await pair.consumer.delete(resources.apiServiceBindingBundles, { name });
    await createBundle();
    await running(2);
    await eventually(async () => {
      expect(
        (await pair.consumer.get(resources.apiServiceBindingBundles, { name })).metadata.annotations,
      ).toMatchObject({ 'hawser.dev/provider-identity': 'provider-three' });
    });
    await pair.consumer.delete(resources.apiServiceBindingBundles, { name });
    await deleteSecret('labelled');
  });

  it('does not serve a binding that was copied from another consumer cluster', async () => {
    const name = fresh();
    identity = 'provider-one';
    await setSecret(good());
    await pair.createBinding(name);
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/consumer-identity': 'another' } } } },
    );
    await start();
    await pair.becomes(name, 'SecretValid', {
      status: 'False',
      severity: 'Error',
      reason: 'ConsumerIdentityChanged',
      message: 'with uid another',
    });
    expect(main?.connections).toEqual([]);
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/consumer-identity': null } } } },
    );
    await runs(name);
    await pair.becomes(name, 'SecretValid', { status: 'True' });
  });

  it('writes nothing after a restart', async () => {
    const name = fresh();
    await setSecret(good());
    await pair.createBinding(name);
    const first = await start();
    await pair.becomes(name, 'InformersSynced', { status: 'True' });
    await first.stop();
    const since = await plane.auditLog().mark();
    await start();
    await runs(name);
    const later = fresh();
    await pair.createBinding(later);
    await pair.becomes(later, 'InformersSynced', { status: 'True' });
    expect(await plane.auditLog().writes({ since, name })).toEqual([]);
  });

  it('binds an API together with the controllers of the connection', async () => {
    const context = pair.context();
    const { consumer } = context.clusters;
    const name = fresh();
    const data = { kubeconfig: Buffer.from(good()).toString('base64') };
    const clusterBinding = { namespace: pair.clusterNamespace, name: 'cluster' };
    await pair.provider.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: clusterBinding,
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'P' },
    } as never);
    await pair.provider.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: pair.clusterNamespace, name: 'kubeconfig' },
      data,
    } as never);
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await setSecret(good());
    await pair.createBinding(name);
    main = createKonnectorMain({
      startSet(connection) {
        const client = createClient({ name: 'provider', connection: connection.config });
        const informers = createSharedInformers({
          client,
          clock: systemClock,
          random: Math.random,
          logger: silentLogger,
          metrics: noMetrics,
        });
        const controllers = [
          createClusterBinding({ connection, version: 'v0.8.1' }),
          createServiceBinding({ connection }),
        ];
        return {
          state: [],
          prepare: (signal) =>
            fillInformers(
              [...clusterBindingInformers(connection), ...serviceBindingInformers(connection)].map((spec) =>
                informers.acquire(spec),
              ),
              signal,
            ),
          async run(signal) {
            const provider = { name: 'provider', client, informers, events: consumer.events };
            await Promise.all(
              controllers.map((controller) =>
                controller.start({ ...context, clusters: { consumer, provider }, signal }),
              ),
            );
          },
          async stop() {
            await Promise.all(controllers.map((controller) => controller.stop()));
            await informers.close();
            await client.close();
          },
        };
      },
    });
    await main.start(context);
    for (const type of ['SecretValid', 'InformersSynced', 'Heartbeating', 'Connected', 'SchemaInSync', 'Ready'])
      await pair.becomes(name, type, { status: 'True' });
    expect(await pair.crd('databases')).toMatchObject({ metadata: { ownerReferences: [{ name }] } });

    // The provider rotates its own copy: it arrives on the consumer, and a new connection takes over.
    const [before] = main.connections;
    const rotated = Buffer.from(good('rotated')).toString('base64');
    await pair.provider.patch(
      resources.secrets,
      { namespace: pair.clusterNamespace, name: 'kubeconfig' },
      { type: 'merge', patch: { data: { kubeconfig: rotated } } },
    );
    await eventually(
      () => {
        expect(main?.connections).toMatchObject([{ phase: 'running', bindings: [name] }]);
        expect(main?.connections[0]?.id).not.toBe(before?.id);
      },
      { timeoutMs: 20_000 },
    );
    await pair.becomes(name, 'Ready', { status: 'True' });
    await main.stop();
    expect(consumer.informers.active).toEqual([]);
  });
});
