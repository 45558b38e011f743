import { type Client, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { crdOf } from '@hawser/installation';
import { acceptedClaims, createKlutchClient, klutchDialect } from '@hawser/klutch';
import { formatTime, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueNamespace } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { createAPIServiceExport } from '../../../konnector/apiserviceexport/src/index.js';
import {
  type ClaimedResourcesOptions,
  createClaimedResources,
  klutchMarks,
  readKlutchClaim,
} from '../../../konnector/claimedresources/src/index.js';
import {
  type KonnectorPair,
  openKonnectorPair,
} from '../../../konnector/konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../../konnector/servicebinding/src/index.js';
import {
  type BindingReport,
  type ExplainContext,
  type ExplainOptions,
  examine,
  explain,
  explainRights,
  planText,
  rbacText,
  stepsOf,
  treeText,
  whyAllText,
} from './index.js';

const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const LONG = { timeoutMs: 30_000 };
const OWNER = 'klutch.anynines.com/resource-owner';
const claims: Pick<ClaimedResourcesOptions, 'claimable' | 'claimsOf'> & { readonly marks: typeof klutchMarks } = {
  claimable: 'Any',
  marks: klutchMarks,
  claimsOf: (binding) => acceptedClaims(binding).map(readKlutchClaim),
};

describeWithControlPlane('explain, of bindings of Klutch', () => {
  let pair: KonnectorPair;
  let name: string;
  let namespace: string;
  let providerNamespace: string;
  let clients: Client[];
  let running: Controller<'consumer' | 'provider'>[];
  const databases = (): Resource => ({ group: pair.group, version: 'v1', resource: 'databases' });

  beforeEach(async () => {
    pair = await openKonnectorPair({ dialect: klutchDialect });
    clients = [];
    running = [];
    name = pair.nameFor('databases');
    namespace = uniqueNamespace('team');
    providerNamespace = `${pair.clusterNamespace}-${namespace}`;
    await pair.consumer.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await pair.provider.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: providerNamespace },
    });
    await offer();
    await bind();
  });
  afterEach(async () => {
    await stop();
    await pair.close();
    await Promise.all(clients.map((client) => client.close()));
  });

  const context = (): ExplainContext => ({
    consumer: pair.consumer,
    policy: {},
    dialect: klutchDialect,
    adoptsFromProvider: true,
    claims,
    now: () => Date.now(),
    signal: new AbortController().signal,
    connect(connection) {
      const client = createClient({ name: 'provider', connection });
      clients.push(client);
      return createKlutchClient(client);
    },
  });
  const look = async (options: Partial<ExplainOptions> = {}): Promise<BindingReport> => {
    const [report] = await explain(context(), { dryRun: false, binding: name, objects: 'all', ...options });
    if (report === undefined) throw new Error('there is no binding');
    return report;
  };
  const planned = (report: BindingReport): readonly string[] =>
    stepsOf([report]).map(
      ({ side, verb, resource, key, subresource, withheld }) =>
        `${side}: ${verb} ${resource.resource}.${resource.group}${subresource === undefined ? '' : `/${subresource}`} ${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name}${withheld === true ? ' held back' : ''}`,
    );

  async function offer(): Promise<void> {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await pair.provider.create(
      resources.customResourceDefinitions,
      crdOf(
        { group: pair.group, plural: 'databases', kind: 'Database', scope: 'Namespaced' },
        { properties: { spec: { type: 'object', properties: { size: { type: 'string' } } }, status: open } },
      ),
    );
    await eventually(() => pair.provider.list(databases()));
    await pair.createSchema('databases');
    const role = `objects-${pair.clusterNamespace}`;
    const rules = [
      { apiGroups: [pair.group], resources: ['databases'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['*'] },
    ];
    const subjects = [{ kind: 'ServiceAccount', namespace: pair.clusterNamespace, name: klutchDialect.names.binder }];
    await pair.provider.create(rbac('clusterroles'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role },
      rules,
    } as never);
    await pair.provider.create(rbac('clusterrolebindings'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects,
    } as never);
    const { clusterBindings } = klutchDialect.resources;
    const at = { namespace: pair.clusterNamespace, name: klutchDialect.names.clusterBinding };
    await pair.provider.create(clusterBindings, {
      apiVersion: klutchDialect.apiVersion,
      kind: 'ClusterBinding',
      metadata: at,
      spec: { providerPrettyName: 'A Klutch provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
    } as never);
    await pair.provider.patch(
      clusterBindings,
      at,
      { type: 'merge', patch: { status: { lastHeartbeatTime: formatTime(Date.now()), heartbeatInterval: '5m0s' } } },
      { subresource: 'status' },
    );
  }
  async function bind(): Promise<void> {
    await pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace: pair.secretNamespace },
      data: { kubeconfig: Buffer.from(pair.access.kubeconfig).toString('base64') },
    } as never);
    await pair.bind(name);
    const permissionClaims = [
      {
        group: '',
        resource: 'secrets',
        version: 'v1',
        selector: { names: ['creds', 'settings'], namespaces: [namespace] },
        state: 'Accepted',
      },
    ];
    await pair.consumer.patch(
      klutchDialect.resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { spec: { permissionClaims } } },
    );
  }
  async function start(): Promise<void> {
    const { connection } = pair;
    running = [
      createServiceBinding({ connection }),
      createAPIServiceExport({ connection, dialect: klutchDialect, adoptsFromProvider: true, reportDelayMs: 50 }),
      createClaimedResources({ connection, reportDelayMs: 50, ...claims }),
    ];
    const ctx = pair.context();
    await Promise.all(running.map((controller) => controller.start(ctx)));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((controller) => controller.stop()));
  };
  const assign = async (): Promise<void> => {
    const { apiServiceNamespaces } = klutchDialect.resources;
    await pair.provider.patch(
      apiServiceNamespaces,
      { namespace: pair.clusterNamespace, name: namespace },
      { type: 'merge', patch: { status: { namespace: providerNamespace } } },
      { subresource: 'status' },
    );
  };
  const database = (at: string, object: string, size = 'small'): UnstructuredObject => ({
    apiVersion: `${pair.group}/v1`,
    kind: 'Database',
    metadata: { namespace: at, name: object },
    spec: { size },
  });
  const secret = (object: string, at: string): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: at, name: object },
    data: { password: 'c2VjcmV0LXdvcmRz' },
  });
  /** Serves the API, and stops. */
  async function served(): Promise<void> {
    await start();
    await pair.becomes(name, 'SchemaInSync', { status: 'True' });
    await eventually(async () => {
      expect(
        await pair.find(pair.provider, klutchDialect.resources.apiServiceNamespaces, {
          namespace: pair.clusterNamespace,
          name: namespace,
        }),
      ).toBeDefined();
    }, LONG);
    await eventually(() => pair.consumer.list(databases()), LONG);
    await stop();
    // It is the claimed Secret's, too: had it another group, the provider would take the owner for gone, and the namespace with it.
    const asked = await pair.find(pair.provider, klutchDialect.resources.apiServiceNamespaces, {
      namespace: pair.clusterNamespace,
      name: namespace,
    });
    expect((asked?.metadata.ownerReferences ?? []).map(({ apiVersion }) => apiVersion)).toEqual([
      klutchDialect.apiVersion,
    ]);
  }

  /** What a konnector has written of objects and claimed Secrets of these namespaces, on both sides. */
  async function writesDuring(work: () => Promise<void>): Promise<readonly string[]> {
    const sides = await Promise.all(
      (['consumer', 'provider'] as const).map(async (side) => {
        const log = pair[`${side}Plane`].auditLog();
        return { side, log, since: await log.mark() };
      }),
    );
    await work();
    const written = await Promise.all(
      sides.map(async ({ side, log, since }) =>
        (await log.writes({ since }))
          .filter(
            ({ namespace: of = '', resource, subresource }) =>
              [namespace, providerNamespace].includes(of) &&
              ['databases', 'secrets'].includes(resource) &&
              subresource === undefined,
          )
          .map(
            ({ verb, group, resource, namespace: of = '', name: object = '' }) =>
              `${side}: ${verb} ${resource}.${group} ${of}/${object}`,
          ),
      ),
    );
    return written.flat();
  }

  it('plans what the konnector then does: objects of both sides, and claimed Secrets', async () => {
    await pair.consumer.create(resources.secrets, secret('settings', namespace));
    const first = await look();
    expect(planned(first)).toEqual([
      `consumer: create customresourcedefinitions.apiextensions.k8s.io ${name}`,
      `consumer: patch apiservicebindings.klutch.anynines.com/status ${name}`,
      `provider: create apiservicenamespaces.klutch.anynines.com ${pair.clusterNamespace}/${namespace}`,
    ]);
    expect(first).toMatchObject({
      connection: { alive: true },
      export: { name, isolation: 'Prefixed' },
      claims: [{ resource: 'secrets', standing: 'inStep' }],
    });
    await served();
    await assign();

    await pair.consumer.create(databases(), database(namespace, 'mine'));
    await pair.provider.create(databases(), database(providerNamespace, 'theirs', 'large'));
    await pair.provider.create(resources.secrets, secret('creds', providerNamespace));
    await pair.consumer.create(resources.secrets, secret('private', namespace));
    const report = await look();
    const objects = planned(report).filter((line) => !line.includes('apiservice'));
    expect(objects.toSorted()).toEqual([
      `consumer: create databases.${pair.group} ${namespace}/theirs`,
      `consumer: create secrets. ${namespace}/creds`,
      `consumer: patch databases.${pair.group} ${namespace}/mine`,
      `consumer: patch secrets. ${namespace}/settings`,
      `provider: create databases.${pair.group} ${providerNamespace}/mine`,
      `provider: create secrets. ${providerNamespace}/settings`,
      `provider: patch databases.${pair.group} ${providerNamespace}/theirs`,
      `provider: patch secrets. ${providerNamespace}/creds`,
    ]);
    // With the answers of the servers: the same, and nothing has come of it.
    expect(
      planned(await look({ dryRun: true }))
        .filter((line) => !line.includes('apiservice'))
        .toSorted(),
    ).toEqual(objects.toSorted());
    expect(await pair.find(pair.provider, databases(), { namespace: providerNamespace, name: 'mine' })).toBeUndefined();
    for (const text of [planText([report], { values: true }), whyAllText([report]), treeText([report], Date.now())])
      expect(text).not.toMatch(/c2VjcmV0LXdvcmRz|secret-words/u);
    expect(planText([report], { values: true })).toContain(
      '+ metadata.annotations."klutch.anynines.com/bound": "true"',
    );

    const done = await writesDuring(async () => {
      await start();
      await eventually(() => pair.provider.get(databases(), { namespace: providerNamespace, name: 'mine' }), LONG);
      await eventually(async () => {
        expect(
          (await pair.provider.get(databases(), { namespace: providerNamespace, name: 'theirs' })).metadata.annotations,
        ).toMatchObject({ 'klutch.anynines.com/bound': 'true' });
      }, LONG);
      for (const [client, at] of [
        [pair.consumer, namespace],
        [pair.provider, providerNamespace],
      ] as const) {
        for (const object of ['creds', 'settings'])
          await eventually(async () => {
            expect(
              (await client.get(resources.secrets, { namespace: at, name: object })).metadata.annotations,
            ).toHaveProperty([OWNER]);
          }, LONG);
      }
    });
    expect([...new Set(done)].toSorted()).toEqual(objects.toSorted());
    await stop();
    const after = await look();
    expect(planned(after).filter((line) => !line.includes('apiservice'))).toEqual([]);
    expect(after.resources[0]?.objects.map(({ object, standing, copy }) => [object, standing, copy])).toEqual([
      [`${namespace}/mine`, 'inStep', `${providerNamespace}/mine`],
      [`${namespace}/theirs`, 'inStep', `${providerNamespace}/theirs`],
    ]);
    expect(
      after.claimed.flatMap((resource) => resource.objects.map(({ object, standing }) => [object, standing])),
    ).toEqual([
      [`${namespace}/creds`, 'inStep'],
      [`${namespace}/settings`, 'inStep'],
    ]);
  });

  it('tells what holds an object, and which rights are needed', async () => {
    await pair.consumer.create(resources.secrets, secret('settings', namespace));
    await served();
    await assign();
    // Made for an object that is gone.
    await pair.provider.create(databases(), {
      ...database(providerNamespace, 'taken'),
      metadata: {
        namespace: providerNamespace,
        name: 'taken',
        annotations: { 'klutch.anynines.com/bound': 'true', 'hawser.dev/consumer-uid': 'another' },
      },
    });
    await pair.consumer.create(databases(), {
      ...database(namespace, 'paused'),
      metadata: { namespace, name: 'paused', annotations: { 'hawser.dev/paused': 'not now' } },
    });
    const report = await look();
    const objects = Object.fromEntries(
      report.resources.flatMap((resource) => resource.objects).map((object) => [object.object, object]),
    );
    expect(objects[`${namespace}/taken`]).toMatchObject({ standing: 'held', finding: { reason: 'Orphaned' } });
    expect(objects[`${namespace}/paused`]).toMatchObject({ standing: 'held', finding: { reason: 'Paused' } });

    const sides = await explainRights(context(), { binding: name, namespace: klutchDialect.names.konnectorNamespace });
    const text = rbacText(sides);
    expect(text).toContain('klutch.anynines.com');
    expect(text).not.toContain('kube-bind.io');
    expect(sides.map(({ side, refusal, roles }) => [side, refusal, roles.flatMap(({ missing }) => missing)])).toEqual([
      ['consumer', undefined, []],
      ['provider', undefined, []],
    ]);
    const found = await examine(context(), { binding: name, namespace: klutchDialect.names.konnectorNamespace });
    expect(
      found
        .filter(({ state, area }) => state === 'failed' && area !== 'objects')
        .map(({ area, message }) => `${area}: ${message}`),
    ).toEqual([]);
  });
});
