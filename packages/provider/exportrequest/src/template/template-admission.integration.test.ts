import type { KubeObject, UnstructuredObject } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  type APIServiceExportTemplate,
  type APIServiceExportTemplateSpec,
  type Collection,
  resources,
} from '@hawser/kube-bind';
import { describeWithControlPlane, eventually, uniqueGroup, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type ProviderCluster,
  type Running,
  openProviderCluster,
} from '../../../servicenamespace/src/testing/provider-cluster.js';
import { createExportRequestController } from '../export-request-controller.js';
import { admissionRights, rights, templateRights } from '../testing/rights.js';
import { createCollectionController } from './collection-controller.js';
import { createTemplateController } from './template-controller.js';

describeWithControlPlane('requests and the templates that allow them', () => {
  let cluster: ProviderCluster;
  let running: Running;
  let group: string;
  let template: string;
  let consumers: readonly [string, string];

  const settings = { informerScope: 'Cluster', isolation: 'Prefixed' } as const;
  beforeAll(async () => {
    cluster = await openProviderCluster([...rights, ...admissionRights, ...templateRights]);
    running = await cluster.run(
      createExportRequestController({ ...settings, admission: 'Template' }),
      createTemplateController(settings),
      createCollectionController(),
    );
  });
  afterAll(() => cluster.close());

  const make = (object: object): Promise<KubeObject> => {
    const { kind, apiVersion } = object as { readonly kind: string; readonly apiVersion: string };
    const known = [
      ['APIServiceExportRequest', resources.apiServiceExportRequests],
      ['APIServiceExportTemplate', resources.apiServiceExportTemplates],
      ['Collection', resources.collections],
      ['ClusterBinding', resources.clusterBindings],
      ['ClusterRole', resources.clusterRoles],
      ['ClusterRoleBinding', resources.clusterRoleBindings],
      ['RoleBinding', resources.roleBindings],
      ['Namespace', resources.namespaces],
      ['CustomResourceDefinition', resources.customResourceDefinitions],
    ] as const;
    const resource = known.find(([one]) => one === kind)?.[1];
    if (resource === undefined) throw new Error(`${kind} ${apiVersion}`);
    return cluster.client.create(resource, object as UnstructuredObject);
  };
  const own = 'kube-bind.io/v1alpha2';
  const rbac = 'rbac.authorization.k8s.io/v1';
  const provide = (plural: string, scope = 'Namespaced'): Promise<KubeObject> =>
    make({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope,
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
  const databases = (): APIServiceExportTemplateSpec['resources'] => [
    { group, resource: 'databases', versions: ['v1'] },
  ];
  const offer = (name: string, spec: Partial<APIServiceExportTemplateSpec> = {}): Promise<KubeObject> =>
    make({
      apiVersion: own,
      kind: 'APIServiceExportTemplate',
      metadata: { name, annotations: { 'hawser.dev/schema-update': 'Safe' } },
      spec: { scope: 'Namespaced', resources: databases(), ...spec },
    });
  const ask = (namespace: string, name: string, spec: Partial<APIServiceExportRequestSpec> = {}): Promise<KubeObject> =>
    make({
      apiVersion: own,
      kind: 'APIServiceExportRequest',
      metadata: { name, namespace },
      spec: { resources: databases(), ...spec },
    });
  const mayBind = async (subject: object, resource: string, name: string): Promise<void> => {
    const role = uniqueNamespace('bind');
    await make({
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [{ apiGroups: ['kube-bind.io'], resources: [resource], resourceNames: [name], verbs: ['bind'] }],
    });
    await make({
      apiVersion: rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      subjects: [subject],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    });
  };
  const binder = (namespace: string): object => ({ kind: 'ServiceAccount', name: 'kube-binder', namespace });
  const request = (namespace: string, name: string): Promise<APIServiceExportRequest | undefined> =>
    cluster.read(resources.apiServiceExportRequests, { namespace, name });
  const reasonOf = (namespace: string, name: string): Promise<string> =>
    eventually(async () => {
      const found = await request(namespace, name);
      const condition = found?.status?.conditions?.find(({ type }) => type === 'ExportsReady');
      expect(condition).toBeDefined();
      return `${found?.status?.phase ?? ''} ${condition?.reason ?? ''}: ${condition?.message ?? ''}`;
    });
  const isAnswered = (namespace: string, name: string): Promise<void> =>
    eventually(async () => {
      expect((await request(namespace, name))?.status?.phase).toBe('Succeeded');
    });
  const exportsIn = async (namespace: string): Promise<readonly string[]> =>
    (await cluster.client.list<APIServiceExport>(resources.apiServiceExports, { namespace })).items.map(
      ({ metadata }) => metadata.name,
    );

  beforeEach(async () => {
    group = uniqueGroup('offers');
    template = uniqueNamespace('template');
    consumers = [uniqueNamespace('consumer'), uniqueNamespace('consumer')];
    for (const name of consumers) {
      await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await make({
        apiVersion: own,
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace: name },
        spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'P' },
      });
    }
    await provide('databases');
  });

  it('keeps the consumer waiting for an approval, says how that is given, and answers when it is', async () => {
    const [first, second] = consumers;
    await make({
      apiVersion: own,
      kind: 'APIServiceExportTemplate',
      metadata: { name: template, annotations: { 'hawser.dev/approval': 'required' } },
      spec: { scope: 'Namespaced', resources: databases() },
    });
    for (const each of consumers) await mayBind(binder(each), 'apiserviceexporttemplates', template);
    await Promise.all([ask(first, 'databases'), ask(second, 'databases')]);
    const reason = await reasonOf(first, 'databases');
    expect(reason).toBe(
      `Pending ApprovalRequired: Template ${template} is given to a consumer only once the provider approves that. The provider approves it by: kubectl annotate clusterbinding.kube-bind.io -n ${first} cluster --overwrite hawser.dev/approved-templates=${template}`,
    );
    await reasonOf(second, 'databases');
    const approve = (namespace: string, subresource?: string): Promise<KubeObject> =>
      cluster.client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/approved-templates': template } } } },
        { subresource },
      );
    // The status is all that a consumer may write, and gives it nothing.
    expect((await approve(second, 'status')).metadata.annotations).toBeUndefined();
    await approve(first);
    await isAnswered(first, 'databases');
    expect([await exportsIn(second), await reasonOf(second, 'databases')]).toEqual([
      [],
      expect.stringContaining('ApprovalRequired'),
    ]);
  });

  it('lets the consumer in that may bind the template, and keeps the other one waiting, who learns why', async () => {
    const [first, second] = consumers;
    await offer(template);
    await mayBind(binder(first), 'apiserviceexporttemplates', template);
    await Promise.all([ask(first, 'databases'), ask(second, 'databases')]);
    await isAnswered(first, 'databases');
    const reason = await reasonOf(second, 'databases');
    expect(reason).toMatch(
      new RegExp(
        `^Pending BindForbidden: system:serviceaccount:${second}:kube-binder may not bind ${template}\\.`,
        'u',
      ),
    );
    expect(await exportsIn(second)).toEqual([]);
    const made = await cluster.read<APIServiceExport>(resources.apiServiceExports, {
      namespace: first,
      name: 'databases',
    });
    expect(made?.metadata.annotations).toMatchObject({
      'hawser.dev/template': template,
      'hawser.dev/schema-update': 'Safe',
      'hawser.dev/request': (await request(first, 'databases'))?.metadata.uid,
    });
    await eventually(() => {
      expect(running.events.find(({ regarding }) => regarding.namespace === second)?.event).toMatchObject({
        type: 'Warning',
        reason: 'BindForbidden',
      });
    });
    // The template going changes nothing for whom it let in.
    await cluster.client.delete(resources.apiServiceExportTemplates, { name: template });
    expect(
      await eventually(async () => {
        const text = await reasonOf(second, 'databases');
        expect(text).toContain('NotOffered');
        return text;
      }),
    ).toContain(`databases.${group}`);
    expect((await request(first, 'databases'))?.status?.phase).toBe('Succeeded');
    expect(await exportsIn(first)).toEqual(['databases']);
  });

  it('lets all consumers bind what a collection offers to their group', async () => {
    const collection = uniqueNamespace('collection');
    await make({
      apiVersion: own,
      kind: 'Collection',
      metadata: { name: collection },
      spec: { templates: [{ name: template }] },
    });
    await mayBind(
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' },
      'collections',
      collection,
    );
    await Promise.all(consumers.map((namespace) => ask(namespace, 'databases')));
    for (const namespace of consumers) expect(await reasonOf(namespace, 'databases')).toContain('NotOffered');
    const reported = await eventually(async () => {
      const found = await cluster.read<Collection>(resources.collections, { name: collection });
      expect(found?.status?.conditions).toBeDefined();
      return found!;
    });
    expect(reported.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
      { type: 'TemplatesFound', reason: 'TemplateNotFound' },
    ]);
    // In any order: the template comes last.
    await offer(template);
    await Promise.all(consumers.map((namespace) => isAnswered(namespace, 'databases')));
  });

  it('does not answer a request for more than the template offers', async () => {
    const [consumer] = consumers;
    const labelled = { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } };
    await offer(template, { permissionClaims: [labelled] });
    await mayBind(binder(consumer), 'apiserviceexporttemplates', template);
    await ask(consumer, 'wider', { permissionClaims: [{ ...labelled, selector: { labelSelector: {} } }] });
    await ask(consumer, 'narrower', {
      permissionClaims: [{ ...labelled, selector: { labelSelector: { matchLabels: { app: 'db', tier: 'gold' } } } }],
    });
    await isAnswered(consumer, 'narrower');
    expect(await reasonOf(consumer, 'wider')).toContain(
      `Pending ExceedsTemplate: No template covers the whole request: ${template} does not offer so many objects of the claim on secrets.`,
    );
    expect(await exportsIn(consumer)).toEqual(['narrower']);
  });

  it('does not answer a request where no consumer is, and one that is forged there is judged by whose namespace it is', async () => {
    const [first, second] = consumers;
    const withoutGrant = uniqueNamespace('nobody');
    await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: withoutGrant } });
    await offer(template);
    await mayBind(binder(first), 'apiserviceexporttemplates', template);
    // What the contract lets a consumer do, in its own namespace.
    await make({
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: `${template}-binder` },
      rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests'], verbs: ['*'] }],
    });
    await make({
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name: 'kube-binder', namespace: first },
      subjects: [binder(first)],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${template}-binder` },
    });
    const consumer = await cluster.plane.userAccess(`system:serviceaccount:${first}:kube-binder`);
    const forged = (namespace: string): object => ({
      apiVersion: own,
      kind: 'APIServiceExportRequest',
      metadata: { name: 'forged', namespace },
      spec: { resources: databases() },
    });
    const { createClient } = await import('@hawser/client');
    const asConsumer = createClient({ name: 'provider', connection: consumer.connection });
    try {
      await expect(
        asConsumer.create(resources.apiServiceExportRequests, forged(second) as UnstructuredObject),
      ).rejects.toMatchObject({ code: 'Forbidden' });
      await asConsumer.create(resources.apiServiceExportRequests, forged(first) as UnstructuredObject);
    } finally {
      await asConsumer.close();
    }
    // By somebody with rights everywhere.
    await make(forged(second));
    await make(forged(withoutGrant));
    await isAnswered(first, 'forged');
    expect(await reasonOf(second, 'forged')).toContain(`BindForbidden: system:serviceaccount:${second}:kube-binder`);
    expect(await reasonOf(withoutGrant, 'forged')).toContain('Pending NoConsumer');
    expect([...(await exportsIn(second)), ...(await exportsIn(withoutGrant))]).toEqual([]);
  });

  it('tells on a template what is wrong with it, and answers what is right in another', async () => {
    const [consumer] = consumers;
    const unknown = `${template}-unknown`;
    await offer(template);
    await offer(unknown, { resources: [...databases(), { group, resource: 'zones', versions: ['v1'] }] });
    await mayBind(binder(consumer), 'apiserviceexporttemplates', template);
    await ask(consumer, 'databases');
    await isAnswered(consumer, 'databases');
    const conditionsOf = async (name: string): Promise<Record<string, string>> => {
      const found = await cluster.read<APIServiceExportTemplate>(resources.apiServiceExportTemplates, { name });
      return Object.fromEntries(
        (found?.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason ?? ''}`]),
      );
    };
    await eventually(async () => {
      expect(await conditionsOf(unknown)).toMatchObject({
        Ready: 'False SchemaNotFound',
        Offerable: 'False SchemaNotFound',
        Unique: 'False OfferedTwice',
      });
      expect(await conditionsOf(template)).toMatchObject({ Ready: 'True ', Unique: 'False OfferedTwice' });
    });
    await provide('zones');
    await eventually(async () => {
      expect(await conditionsOf(unknown)).toMatchObject({ Offerable: 'True ' });
    });
    await cluster.client.patch(
      resources.apiServiceExportTemplates,
      { name: unknown },
      { type: 'merge', patch: { spec: { resources: [{ group, resource: 'zones', versions: ['v1'] }] } } },
    );
    await eventually(async () => {
      expect(await conditionsOf(template)).toMatchObject({ Unique: 'True ' });
    });
  });
});
