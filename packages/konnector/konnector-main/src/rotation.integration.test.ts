import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { createSharedInformers } from '@hawser/informer';
import { type ProviderConnection, createSchemaOutcomes, fillInformers } from '@hawser/konnector-connection';
import { type BoundSchema, readSchemaApplied, resources, kubeBindDialect } from '@hawser/kube-bind';
import { connectionHash, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createAPIServiceExport } from '../../apiserviceexport/src/index.js';
import {
  type KonnectorPair,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding, requiredInformers } from '../../servicebinding/src/index.js';
import { type ControllerSet, type KonnectorMain, createKonnectorMain, createProviderCredentials } from './index.js';

// konnector-main reports on every binding of its cluster, so it gets one of its own.
describeWithControlPlane('a token that is renewed', () => {
  let plane: ControlPlane;
  let pair: KonnectorPair;
  let main: KonnectorMain;
  let name: string;
  let sets: number;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'rotation' });
  });
  afterAll(async () => {
    await plane.stop();
  });
  beforeEach(async () => {
    pair = await openKonnectorPair({ consumer: plane });
    name = `rotated-${pair.clusterNamespace}`;
    sets = 0;
    fields.length = 0;
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    main = createKonnectorMain({ startSet, backoff: { initialMs: 100, capMs: 500 } });
    await main.start(pair.context());
  });
  afterEach(async () => {
    await main.stop();
    await pair.close();
  });

  /** The controllers of a connection, over a client whose credentials may change. */
  function startSet(connection: ProviderConnection): ControllerSet {
    sets++;
    const context = pair.context();
    const credentials = createProviderCredentials({
      first: connection.config,
      clusterNamespace: connection.clusterNamespace,
      connect: (config) => createClient({ name: 'provider', connection: config }),
    });
    const client = createClient({ name: 'provider', connection: credentials.connection });
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      backoff: { initialMs: 50, capMs: 200 },
    });
    const outcomes = createSchemaOutcomes();
    const controllers = [
      createServiceBinding({ connection, outcomes }),
      createAPIServiceExport({ dialect: kubeBindDialect, connection, outcomes, reportDelayMs: 50 }),
    ];
    return {
      state: [],
      prepare: (signal) =>
        fillInformers(
          requiredInformers(connection).map((spec) => informers.acquire(spec)),
          signal,
        ),
      identity: (signal) => credentials.identity(client, signal),
      rotate: (next, signal) => credentials.rotate(next, signal),
      async run(signal) {
        const provider = { name: 'provider', client, informers, events: context.clusters.consumer.events };
        await Promise.all(
          controllers.map((controller) =>
            controller.start({ ...context, clusters: { consumer: context.clusters.consumer, provider }, signal }),
          ),
        );
      },
      async stop() {
        await Promise.all(controllers.map((controller) => controller.stop()));
        await informers.close();
        await client.close();
      },
      released: () => Promise.resolve(),
    };
  }

  /** A kubeconfig with a token that lives as long as the Secret `id` on the provider. */
  async function kubeconfig(id: string, account = 'kube-binder'): Promise<string> {
    const namespace = pair.clusterNamespace;
    const anchor = await pair.provider.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: id },
    });
    const spec = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: id, uid: anchor.metadata.uid } };
    const answer = (await pair.provider.raw(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    )) as { readonly status: { readonly token: string } };
    const { credentials } = pair.access.connection;
    return pair.access.kubeconfig.replace(credentials.kind === 'token' ? credentials.token : '', answer.status.token);
  }
  const setSecret = (value: string, secret = 'kubeconfig'): Promise<unknown> => {
    const metadata = { namespace: pair.secretNamespace, name: secret };
    return pair.consumer.patch(
      resources.secrets,
      metadata,
      {
        type: 'apply',
        object: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata,
          data: { kubeconfig: Buffer.from(value).toString('base64') },
        },
        force: true,
      },
      { fieldManager: 'test' },
    );
  };
  const revoke = (id: string): Promise<unknown> =>
    pair.provider.delete(resources.secrets, { namespace: pair.clusterNamespace, name: id });
  const at = (): { namespace: string; name: string } => ({
    namespace: pair.clusterNamespace,
    name: `databases.${pair.group}`,
  });
  /** A change on the provider that arrives by a watch, and an answer that is written back. */
  async function works(field: string): Promise<void> {
    fields.push(field);
    const properties = Object.fromEntries(['size', ...fields].map((property) => [property, { type: 'string' }]));
    await pair.provider.patch(resources.boundSchemas, at(), {
      type: 'merge',
      patch: { spec: { versions: [version({ spec: { type: 'object', properties } })] } },
    });
    await eventually(
      async () => {
        expect(JSON.stringify((await pair.crd('databases'))?.spec)).toContain(field);
        const { status, spec } = await pair.provider.get<BoundSchema>(resources.boundSchemas, at());
        expect(JSON.stringify(spec)).toContain(field);
        const answer = readSchemaApplied(status?.conditions);
        expect([answer?.kind, seen.has(answer?.hash ?? '')]).toEqual(['applied', false]);
        seen.add(answer?.hash ?? '');
      },
      { timeoutMs: 30_000 },
    );
  }
  const seen = new Set<string>();
  const fields: string[] = [];
  const rotatedTo = async (config: string): Promise<void> => {
    await eventually(
      () => {
        expect(main.connections).toMatchObject([{ id: connectionHash(config).slice(0, 12), phase: 'running' }]);
      },
      { timeoutMs: 20_000 },
    );
  };
  const reads = async (
    since: Awaited<ReturnType<ReturnType<KonnectorPair['providerPlane']['auditLog']>['mark']>>,
  ): Promise<readonly string[]> =>
    (await pair.providerPlane.auditLog().entries({ since }))
      .filter(
        ({ verb, requestUri }) => (verb === 'list' || verb === 'watch') && requestUri.includes(pair.clusterNamespace),
      )
      .map(({ verb, requestUri }) => `${verb} ${requestUri}`);

  it('is used in place: no list and no watch anew, and work goes on when the one before is revoked', async () => {
    const first = await kubeconfig('token-1');
    await setSecret(first);
    await setSecret(first, 'another');
    await pair.createBinding(name);
    await pair.createBinding(`${name}-2`, { namespace: pair.secretNamespace, name: 'another', key: 'kubeconfig' });
    await pair.becomes(name, 'Ready', { status: 'True' });
    await works('one');
    const since = await pair.providerPlane.auditLog().mark();
    const second = await kubeconfig('token-2');
    await setSecret(second);
    await rotatedTo(second);
    // The other Secret still has the token before, and its binding is served all the same.
    await pair.becomes(`${name}-2`, 'InformersSynced', { status: 'True' });
    await setSecret(second, 'another');
    await revoke('token-1');
    await works('two');
    const third = await kubeconfig('token-3');
    await setSecret(third);
    await setSecret(third, 'another');
    await rotatedTo(third);
    await revoke('token-2');
    await works('three');
    expect(await reads(since)).toEqual([]);
    expect([sets, main.connections.map(({ bindings }) => bindings)]).toEqual([1, [[name, `${name}-2`]]]);
    await pair.becomes(name, 'Ready', { status: 'True' });
  });

  it("is not used if the provider does not know it, or if it is another account's; the one before goes on", async () => {
    const first = await kubeconfig('token-1');
    await setSecret(first);
    await pair.createBinding(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    // The same account by its own words, and a signature that is not the provider's.
    const forged = (await kubeconfig('token-2')).replace(/(?<=\.[\w-]{20,}\.)[\w-]{20}/u, 'AAAAAAAAAAAAAAAAAAAA');
    expect(parseSecretKubeconfig(forged).ok).toBe(true);
    await setSecret(forged);
    await pair.becomes(name, 'InformersSynced', { status: 'False', message: '401' });
    await works('one');
    await pair.provider.create(
      { group: '', version: 'v1', resource: 'serviceaccounts' },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: pair.clusterNamespace, name: 'stranger' } },
    );
    await setSecret(await kubeconfig('token-3', 'stranger'));
    await pair.becomes(name, 'InformersSynced', { status: 'False', message: '403' });
    await works('two');
    const good = await kubeconfig('token-4');
    await setSecret(good);
    await pair.becomes(name, 'InformersSynced', { status: 'True' });
    await revoke('token-1');
    await works('three');
  });

  it('is not used if it leads to another cluster namespace of that name', async () => {
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: pair.clusterNamespace },
    });
    const { signal } = new AbortController();
    const connect = (config: typeof pair.access.connection): Client =>
      createClient({ name: 'provider', connection: config });
    const credentials = createProviderCredentials({
      first: pair.access.connection,
      clusterNamespace: pair.clusterNamespace,
      connect,
    });
    // As long as nobody knows where it leads, nothing takes its place.
    await expect(credentials.rotate(pair.access.connection, signal)).rejects.toMatchObject({ code: 'OtherProvider' });
    const client = connect(credentials.connection());
    expect(await credentials.identity(client, signal)).toBeDefined();
    await client.close();
    await expect(credentials.rotate(plane.connection, signal)).rejects.toMatchObject({ code: 'OtherProvider' });
    expect(credentials.connection()).toBe(pair.access.connection);
    const next = { ...pair.access.connection };
    await credentials.rotate(next, signal);
    expect(credentials.connection()).toBe(next);
  });
});
