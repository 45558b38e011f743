import { FakeClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, roughEdge } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  binderRules,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from './index.js';

const crds = resources.customResourceDefinitions;

describeWithControlPlane('servicebinding', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let number = 0;
  /** A binding name that no other test uses: bindings are cluster-scoped and the cluster is shared. */
  const fresh = (): string => `sb-${pair.clusterNamespace}-${++number}`;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((controller) => controller.stop()));
    await pair.close();
  });

  async function start(as?: Parameters<KonnectorPair['context']>[0]): Promise<Controller<'consumer' | 'provider'>> {
    const controller = createServiceBinding({ connection: pair.connection, schemaPolicy: 'Always' });
    running.push(controller);
    await controller.start(pair.context(as));
    return controller;
  }
  const foreignCRD = (plural: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${pair.group}` },
    spec: {
      group: pair.group,
      scope: 'Cluster',
      names: { plural, kind: 'Foreign', singular: 'foreign', listKind: 'ForeignList' },
      versions: [version({})],
    },
  });
  const writes = async (since: Awaited<ReturnType<typeof mark>>): Promise<string[]> =>
    (await pair.consumerPlane.auditLog().writes({ since }))
      .filter(
        ({ name, group }) =>
          name?.includes(pair.clusterNamespace) === true || name?.endsWith(pair.group) === true || group === pair.group,
      )
      .map(
        ({ verb, resource, subresource, name }) =>
          `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${name ?? ''}`,
      );
  const mark = () => pair.consumerPlane.auditLog().mark();

  it('installs the CRD of an export, owned by the binding, and reports it', async () => {
    const name = fresh();
    const claims = [{ group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } }];
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases'], claims);
    await pair.provider.create(resources.clusterBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'ClusterBinding',
      metadata: { name: 'cluster', namespace: pair.clusterNamespace },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Databases Inc.' },
    } as never);
    await start();
    const binding = await pair.bind(name);

    await pair.becomes(name, 'Ready', { status: 'True' });
    expect(await pair.crd('databases')).toMatchObject({
      metadata: {
        ownerReferences: [
          {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceBinding',
            name,
            uid: binding.metadata.uid,
            controller: true,
          },
        ],
      },
      spec: { scope: 'Namespaced', names: { plural: 'databases', kind: 'Database' } },
    });
    expect((await pair.crd('databases'))?.metadata.ownerReferences?.[0]).not.toHaveProperty('blockOwnerDeletion');
    const { status } = await pair.binding(name);
    expect(status).toMatchObject({
      boundSchemas: [{ group: pair.group, resource: 'databases' }],
      permissionClaims: claims,
      providerPrettyName: 'Databases Inc.',
    });
    expect(status?.conditions?.map(({ type, status: value }) => [type, value])).toEqual([
      ['Ready', 'True'],
      ['Connected', 'True'],
      ['SchemaInSync', 'True'],
    ]);
  });

  it('writes nothing when everything is in step, not even after a restart', async () => {
    const name = fresh();
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    const first = await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await first.stop();
    const since = await mark();
    await start();
    // Something that the controller answers, so that it is known to have looked: another binding, served after the first.
    const other = fresh();
    await pair.createSchema('zones');
    await pair.createExport(other, ['zones']);
    await pair.bind(other);
    await pair.becomes(other, 'Ready', { status: 'True' });
    expect((await writes(since)).filter((write) => write.includes(name) || write.includes('databases'))).toEqual([]);
  });

  it('leaves a foreign CRD alone, says whose it is, and takes over when it goes', async () => {
    const name = fresh();
    await pair.consumer.create(crds, foreignCRD('databases'));
    await pair.createSchema('databases');
    await pair.createSchema('zones');
    await pair.createExport(name, ['databases', 'zones']);
    await start();
    await pair.bind(name);

    const condition = await pair.becomes(name, 'Connected', {
      status: 'False',
      severity: 'Error',
      reason: 'ForeignCustomResourceDefinition',
      message: `databases.${pair.group}`,
    });
    expect((await pair.binding(name)).status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Connected']);
    expect(await pair.crd('databases')).toMatchObject({ spec: { names: { kind: 'Foreign' } } });
    expect((await pair.crd('databases'))?.metadata.ownerReferences).toBeUndefined();
    // The other resource of the export is bound all the same.
    expect((await pair.crd('zones'))?.metadata.ownerReferences?.[0]?.name).toBe(name);
    await eventually(() => {
      expect(pair.events).toEqual([
        `APIServiceBinding ${name} Warning ForeignCustomResourceDefinition: ${condition.message}`,
      ]);
    });

    await pair.consumer.delete(crds, { name: `databases.${pair.group}` });
    await pair.becomes(name, 'Ready', { status: 'True' });
    expect(await pair.crd('databases')).toMatchObject({
      metadata: { ownerReferences: [{ name }] },
      spec: { names: { kind: 'Database' } },
    });
  });

  it('does not take a CRD of an earlier binding of the same name', async () => {
    const name = fresh();
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    const first = await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await pair.consumer.delete(resources.apiServiceBindings, { name });
    pair.bindings.leave(name);
    await pair.bind(name);
    // No garbage collector runs here, so the old CRD stays.
    await pair.becomes(name, 'Connected', {
      reason: 'ForeignCustomResourceDefinition',
      message: first.metadata.uid ?? '',
    });
    await pair.consumer.delete(crds, { name: `databases.${pair.group}` });
    await pair.becomes(name, 'Ready', { status: 'True' });
  });

  it('gives a resource to the older of two bindings, and to the younger when the older is gone', async () => {
    const [elder, younger] = [`a-${fresh()}`, `b-${fresh()}`];
    await pair.createSchema('databases');
    for (const name of [elder, younger]) await pair.createExport(name, ['databases']);
    // Both exist before anybody looks; created in the same second, the name decides.
    await pair.bind(elder);
    await pair.bind(younger);
    await start();
    await pair.becomes(elder, 'Ready', { status: 'True' });
    await pair.becomes(younger, 'Connected', {
      status: 'False',
      reason: 'ForeignCustomResourceDefinition',
      message: elder,
    });
    expect((await pair.crd('databases'))?.metadata.ownerReferences).toMatchObject([{ name: elder }]);

    await pair.consumer.delete(resources.apiServiceBindings, { name: elder });
    pair.bindings.leave(elder);
    await pair.consumer.delete(crds, { name: `databases.${pair.group}` });
    await pair.becomes(younger, 'Ready', { status: 'True' });
    expect((await pair.crd('databases'))?.metadata.ownerReferences).toMatchObject([{ name: younger }]);
  });

  it('follows a changed schema, keeps the metadata of others, and says when it is refused', async () => {
    const name = fresh();
    const at = { namespace: pair.clusterNamespace, name: `databases.${pair.group}` };
    const setVersions = (versions: unknown) =>
      pair.provider.patch(resources.boundSchemas, at, { type: 'merge', patch: { spec: { versions } } });
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await pair.consumer.patch(
      crds,
      { name: at.name },
      { type: 'merge', patch: { metadata: { labels: { team: 'x' }, annotations: { note: 'y' } } } },
    );

    await setVersions([
      version({
        spec: {
          type: 'object',
          properties: { size: { type: 'string' }, tier: { type: 'integer', default: 9007199254740993n } },
        },
      }),
    ]);
    await eventually(async () => {
      expect(
        JSON.stringify(await pair.crd('databases'), (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      ).toContain('9007199254740993');
    });
    expect(await pair.crd('databases')).toMatchObject({
      metadata: { labels: { team: 'x' }, annotations: { note: 'y' }, ownerReferences: [{ name }] },
    });

    await setVersions([version({ spec: { type: 'object', properties: { size: { type: 'nonsense' } } } })]);
    await pair.becomes(name, 'SchemaInSync', {
      status: 'False',
      severity: 'Error',
      reason: 'CustomResourceDefinitionUpdateFailed',
      message: `databases.${pair.group}`,
    });
    const connected = await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'CustomResourceDefinitionUpdateFailed',
      message: 'nonsense',
    });
    // Time stands still while nothing changes.
    await pair.createSchema('zones');
    expect(await pair.condition(name, 'Connected')).toEqual(connected);

    await setVersions([version({})]);
    await pair.becomes(name, 'Ready', { status: 'True' });
  });

  it('binds the other resources of an export when one has no schema, or one that is refused', async () => {
    const name = fresh();
    await pair.createSchema('zones');
    await pair.createSchema('crooks', { versions: [version({ spec: { type: 'nonsense' } })] });
    await pair.createExport(name, ['databases', 'crooks', 'zones']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'BoundSchemaFetchFailed',
      message: `crooks.${pair.group}`,
    });
    await eventually(async () => {
      expect(await pair.crd('zones')).toBeDefined();
    });
    expect(await pair.crd('crooks')).toBeUndefined();
    const refused = (
      await pair.consumerPlane
        .auditLog()
        .entries({ verbs: ['create'], resource: 'customresourcedefinitions', succeeded: false })
    ).filter((entry) => entry.code === 422);
    expect(refused.length).toBeGreaterThan(0);

    await pair.createSchema('databases');
    await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'CustomResourceDefinitionCreateFailed',
      message: 'nonsense',
    });
    expect(await pair.crd('databases')).toBeDefined();
    expect((await pair.binding(name)).status?.boundSchemas?.map(({ resource }) => resource).toSorted()).toEqual([
      'crooks',
      'databases',
      'zones',
    ]);
  });

  it('creates a CRD again that was deleted by hand, but not for a binding that is being deleted', async () => {
    const name = fresh();
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    const before = (await pair.crd('databases'))?.metadata.uid;
    await pair.consumer.delete(crds, { name: `databases.${pair.group}` });
    await eventually(async () => {
      const uid = (await pair.crd('databases'))?.metadata.uid;
      expect(uid).toBeDefined();
      expect(uid).not.toBe(before);
    });

    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { finalizers: ['example.com/hold'] } } },
    );
    await pair.consumer.delete(resources.apiServiceBindings, { name });
    // Another binding shows what the controller has seen since.
    const catchUp = async (plural: string): Promise<void> => {
      const other = fresh();
      await pair.createSchema(plural);
      await pair.createExport(other, [plural]);
      await pair.bind(other);
      await pair.becomes(other, 'Ready', { status: 'True' });
    };
    await catchUp('areas');
    const since = await mark();
    await pair.consumer.delete(crds, { name: `databases.${pair.group}` });
    await catchUp('zones');
    expect((await writes(since)).filter((write) => write.startsWith('create customresourcedefinitions'))).toEqual([
      `create customresourcedefinitions zones.${pair.group}`,
    ]);
    await pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { finalizers: null } } },
    );
  });

  it('says that the export is missing, or why its request was refused, and recovers', async () => {
    const name = fresh();
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      severity: 'Error',
      reason: 'APIServiceExportNotFound',
      message: name,
    });
    const request = { namespace: pair.clusterNamespace, name };
    await pair.provider.create(resources.apiServiceExportRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportRequest',
      metadata: request,
      spec: { resources: [{ group: pair.group, resource: 'databases', versions: ['v1'] }] },
    } as never);
    await pair.provider.patch(
      resources.apiServiceExportRequests,
      request,
      { type: 'merge', patch: { status: { phase: 'Failed', terminalMessage: 'no such API, 100%d' } } },
      { subresource: 'status' },
    );
    await pair.becomes(name, 'Connected', {
      status: 'False',
      severity: 'Error',
      reason: 'APIServiceExportFailed',
      message: 'no such API, 100%d',
    });
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await pair.provider.delete(resources.apiServiceExports, request);
    await pair.becomes(name, 'Connected', { status: 'False', reason: 'APIServiceExportFailed' });
    // Nothing is deleted because something is missing.
    expect(await pair.crd('databases')).toBeDefined();
  });

  it('reads schemas one by one where it may not watch them', async () => {
    const name = fresh();
    await pair.grant(
      binderRules.map((rule) => (rule.resources.includes('boundschemas') ? { ...rule, verbs: ['get'] } : rule)),
    );
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    expect(await pair.crd('databases')).toBeDefined();
  });

  it('names verb, resource and side when it may not read a schema, and recovers by itself', async () => {
    const name = fresh();
    await pair.grant(binderRules.filter((rule) => !rule.resources.includes('boundschemas')));
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'BoundSchemaFetchFailed',
      message: 'provider: get boundschemas.kube-bind.io',
    });
    await pair.grant(binderRules);
    await pair.becomes(name, 'Ready', { status: 'True' });
  });

  it('names verb, resource and side when it may not create CRDs, and recovers by itself', async () => {
    const name = fresh();
    const user = `konnector-${pair.clusterNamespace}`;
    const limited = await pair.consumerPlane.userAccess(user);
    const rules = [
      { apiGroups: ['kube-bind.io'], resources: ['*'], verbs: ['*'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'list', 'watch'],
      },
    ];
    const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
    await pair.consumer.create(clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: user },
      rules,
    } as never);
    await pair.consumer.create({ ...clusterRoles, resource: 'clusterrolebindings' }, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    } as never);
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start({ consumer: limited.connection });
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'CustomResourceDefinitionCreateFailed',
      message: 'consumer: create customresourcedefinitions.apiextensions.k8s.io',
    });
    await pair.consumer.patch(
      clusterRoles,
      { name: user },
      { type: 'merge', patch: { rules: rules.map((rule) => ({ ...rule, verbs: ['*'] })) } },
    );
    await pair.becomes(name, 'Ready', { status: 'True' });
  });

  it('installs nothing in a group of Kubernetes', async () => {
    const name = fresh();
    const group = 'rbac.authorization.k8s.io';
    await pair.provider.create(resources.boundSchemas, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'BoundSchema',
      metadata: { namespace: pair.clusterNamespace, name: `gates.${group}` },
      spec: {
        informerScope: 'Cluster',
        group,
        scope: 'Cluster',
        names: { plural: 'gates', kind: 'Gate' },
        versions: [version({})],
      },
    } as never);
    await pair.provider.create(resources.apiServiceExports, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExport',
      metadata: { namespace: pair.clusterNamespace, name },
      spec: {
        resources: [{ group, resource: 'gates', versions: ['v1'] }],
        informerScope: 'Cluster',
        isolation: 'Prefixed',
      },
    } as never);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      severity: 'Error',
      reason: 'ProtectedAPIGroup',
      message: group,
    });
    expect(await pair.find(pair.consumer, crds, { name: `gates.${group}` })).toBeUndefined();
  });

  const refused = ['SchemaInSync', 'False', 'CustomResourceDefinitionUpdateFailed'] as const;
  const held = ['SchemaUpdateHeld', 'True', 'IncompatibleSchemaChange'] as const;
  it.each<[string, Readonly<Record<string, unknown>>, typeof refused | typeof held]>([
    ['another scope', { scope: 'Cluster' }, held],
    ['another kind', { names: { plural: 'databases', kind: 'Pod' } }, held],
    ['other versions than those in which objects are stored', { versions: [{ ...version({}), name: 'v9' }] }, refused],
  ])('leaves the CRD as it is when its schema comes to have %s', async (_, change, [type, status, reason]) => {
    const name = fresh();
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await eventually(async () => {
      expect(await pair.crd('databases')).toMatchObject({
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
        },
      });
    });
    const before = await pair.crd('databases');
    const at = { namespace: pair.clusterNamespace, name: `databases.${pair.group}` };
    await pair.provider.delete(resources.boundSchemas, at);
    await pair.createSchema('databases', change);
    await pair.becomes(name, type, { status, reason, message: at.name });
    expect((await pair.crd('databases'))?.spec).toEqual(before?.spec);
  });

  it('installs no conversion webhook, and stops at one that comes later', async () => {
    const name = fresh();
    const conversion = {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://collect.example.com/', caBundle: 'QQ==' },
        conversionReviewVersions: ['v1'],
      },
    };
    await pair.createSchema('databases');
    await pair.createSchema('zones', { conversion });
    await pair.createExport(name, ['databases', 'zones']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Connected', {
      status: 'False',
      severity: 'Error',
      reason: 'ConversionWebhookRefused',
      message: `zones.${pair.group}`,
    });
    expect(await pair.crd('zones')).toBeUndefined();
    await pair.provider.patch(
      resources.boundSchemas,
      { namespace: pair.clusterNamespace, name: `databases.${pair.group}` },
      { type: 'merge', patch: { spec: { conversion } } },
    );
    await pair.becomes(name, 'Connected', {
      status: 'False',
      reason: 'ConversionWebhookRefused',
      message: `databases.${pair.group}`,
    });
    expect(await pair.crd('databases')).toMatchObject({ spec: { conversion: { strategy: 'None' } } });
  });

  it('installs a CRD without the short names and categories of Kubernetes, and says so', async () => {
    const name = fresh();
    await pair.createSchema('databases', {
      names: { plural: 'databases', kind: 'Database', shortNames: ['po', 'dbx'], categories: ['all'] },
    });
    await pair.createExport(name, ['databases']);
    await start();
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await pair.becomes(name, 'NamesAccepted', {
      status: 'False',
      severity: undefined,
      reason: 'ReservedNamesDropped',
      message: 'short name po, category all',
    });
    expect((await pair.crd('databases'))?.spec['names']).toEqual({
      plural: 'databases',
      singular: 'database',
      kind: 'Database',
      listKind: 'DatabaseList',
      shortNames: ['dbx'],
    });
  });

  it('follows a schema that changes all the time no faster than the budget of writes allows, and ends with the last', async () => {
    const name = fresh();
    const at = { namespace: pair.clusterNamespace, name: `databases.${pair.group}` };
    const clock = new FakeClock();
    await pair.createSchema('databases');
    await pair.createExport(name, ['databases']);
    await start({ clock });
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    const timers = clock.pendingTimers;
    const change = (field: string): Promise<unknown> =>
      pair.provider.patch(resources.boundSchemas, at, {
        type: 'merge',
        patch: {
          spec: { versions: [version({ spec: { type: 'object', properties: { [field]: { type: 'string' } } } })] },
        },
      });
    const has = async (field: string): Promise<boolean> =>
      JSON.stringify(await pair.crd('databases')).includes(`"${field}"`);
    /** A reconcile that is held waits for a timer. */
    const followed = async (field: string): Promise<boolean> => {
      await change(field);
      const outcome = await eventually(async () =>
        (await has(field)) ? 'followed' : clock.pendingTimers > timers && 'held',
      );
      return outcome === 'followed';
    };
    // The clock stands still: nothing comes back.
    let count = 0;
    while (count < 12 && (await followed(`field${count}`))) count++;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(10);
    await change('last');
    expect(await has(`field${count}`)).toBe(false);
    await eventually(async () => {
      await clock.advance(2_000);
      expect(await has('last')).toBe(true);
    });
  });

  roughEdge('R10', 'leaves bindings alone that another connection serves', async () => {
    const [ours, others] = [fresh(), fresh()];
    await pair.createSchema('databases');
    for (const name of [ours, others]) await pair.createExport(name, [name === ours ? 'databases' : 'zones']);
    await start();
    await pair.createBinding(others);
    await pair.bind(ours);
    await pair.becomes(ours, 'Ready', { status: 'True' });
    expect((await pair.binding(others)).status).toBeUndefined();
  });
});
