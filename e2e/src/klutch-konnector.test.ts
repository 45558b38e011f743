import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from '@jest/globals';
import type { ObjectKey } from '@hawser/client';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type ClusterBinding,
  crdFromExport,
  klutchDialect,
} from '@hawser/klutch';
import { type CustomResourceDefinition, type Secret, resources as kubernetes } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { renderChart } from './chart.js';
import { conditionsOf } from './conditions.js';
import { LONG, type ServiceObject, createNamespace, gone, objectOf, resourceOf } from './copies.js';
import {
  type KlutchConsumer,
  allowEverywhere,
  assignNamespace,
  bindKlutch,
  exportInline,
  installKlutch,
  onboardKlutchConsumer,
} from './klutch-fixtures.js';
import { type Ended, runCommand } from './command.js';
import { type Program, startProgram, working } from './program.js';
import { refusedRequests } from './refused-requests.js';
import { executables } from './roles.js';
import { root } from './root.js';
import { describeSystem } from './suite.js';
import type { System } from './system.js';
import { mark, settledWrites } from './writes.js';

const { resources, apiVersion, names } = klutchDialect;
const konnectorUser = `system:serviceaccount:${names.konnectorNamespace}:konnector`;
const templates = ['serviceaccount.yaml', 'clusterrole.yaml', 'role.yaml', 'admissionpolicy.yaml'];
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const CLUSTER_NAMESPACE = 'cluster-x7k2p';
const FINALIZER = 'klutch.anynines.com/syncer';
const BOUND = { 'klutch.anynines.com/bound': 'true' };

const copyOf = (namespace: string, name: string): ObjectKey => ({
  namespace: `${CLUSTER_NAMESPACE}-${namespace}`,
  name,
});

/** `hawser run` as the ServiceAccount of the chart, with the rights that it gives in this dialect. */
async function startKonnector({ consumer, folder, watchdog }: System, name: string): Promise<Program> {
  const namespace = names.konnectorNamespace;
  const values = {
    dialect: 'klutch',
    boundResources: [{ group: databases.group, resources: [databases.plural, zones.plural] }],
    claimedResources: ['secrets'],
  };
  await consumer.apply(
    ...renderChart(join(root, 'charts/konnector'), templates, { name: 'konnector', namespace, values }),
  );
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  const access = await consumer.controlPlane?.serviceAccountAccess(namespace, 'konnector');
  writeFileSync(kubeconfig, access?.kubeconfig ?? '', { mode: 0o600 });
  const config = join(folder, `${name}.json`);
  writeFileSync(
    config,
    JSON.stringify({ roles: ['konnector'], konnector: { dialect: 'klutch', labelledSecrets: false } }),
  );
  const program = await startProgram({
    name,
    folder,
    watchdog,
    command: executables.hawser,
    env: { POD_NAME: name, POD_NAMESPACE: namespace },
    args: ['run', `--config=${config}`, `--kubeconfig=${kubeconfig}`],
  });
  await working(program, 'konnector works');
  return program;
}

/** What a Klutch konnector leaves when it is stopped (`spec/klutch.md §6.5, §6.7–6.9`): a CRD of the binding, and objects in step. */
async function leftByKlutch({ consumer, provider }: System, of: KlutchConsumer): Promise<void> {
  const exported = await provider.client.get<APIServiceExport>(resources.apiServiceExports, {
    namespace: CLUSTER_NAMESPACE,
    name: 'databases.example.com',
  });
  const {
    metadata: { name, uid },
  } = await consumer.client.get(resources.apiServiceBindings, { name: 'databases.example.com' });
  const crd = crdFromExport(exported);
  await consumer.client.create(kubernetes.customResourceDefinitions, {
    ...crd,
    metadata: {
      name,
      ownerReferences: [{ apiVersion, kind: 'APIServiceBinding', name, uid: uid ?? '', controller: true }],
    },
  });
  await consumer.kubectl(['wait', '--for=condition=Established', 'crd/databases.example.com', '--timeout=60s']);
  await createNamespace({ consumer }, 'team-go');
  await provider.client.create(resources.apiServiceNamespaces, {
    apiVersion,
    kind: 'APIServiceNamespace',
    metadata: { namespace: CLUSTER_NAMESPACE, name: 'team-go' },
  });
  await assignNamespace(provider, of, 'team-go');
  for (const one of ['one', 'two']) {
    const object = objectOf(databases, { namespace: 'team-go', name: one });
    const annotations = { note: 'hello', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    await consumer.client.create(resourceOf(databases), {
      ...object,
      metadata: { ...object.metadata, annotations, labels: { tier: 'gold' }, finalizers: [FINALIZER] },
    });
    await provider.client.create(
      resourceOf(databases),
      {
        ...objectOf(databases, copyOf('team-go', one)),
        metadata: { ...copyOf('team-go', one), annotations: { ...annotations, ...BOUND }, labels: { tier: 'gold' } },
      },
      { fieldManager: 'konnector' },
    );
    const status = { type: 'merge', patch: { status: { phase: 'Ready' } } } as const;
    await provider.client.patch(resourceOf(databases), copyOf('team-go', one), status, { subresource: 'status' });
    await consumer.client.patch(resourceOf(databases), { namespace: 'team-go', name: one }, status, {
      subresource: 'status',
    });
  }
}

describeSystem(
  'a konnector that speaks Klutch',
  () => ({ name: 'klutch-konnector' }),
  (system, it) => {
    let consumer: KlutchConsumer;
    let konnector: Program;
    const onConsumer = (name: string, namespace = 'team-a'): Promise<ServiceObject> =>
      system().consumer.client.get<ServiceObject>(resourceOf(databases), { namespace, name });
    const onProvider = (name: string, namespace = 'team-a'): Promise<ServiceObject> =>
      system().provider.client.get<ServiceObject>(resourceOf(databases), copyOf(namespace, name));
    const create = (name: string): Promise<unknown> =>
      system().consumer.client.create(resourceOf(databases), objectOf(databases, { namespace: 'team-a', name }));
    const bindingOf = ({ group, plural }: SampleApi): Promise<APIServiceBinding> =>
      system().consumer.client.get<APIServiceBinding>(resources.apiServiceBindings, { name: `${plural}.${group}` });

    beforeAll(async () => {
      await installKlutch(system());
      consumer = await onboardKlutchConsumer(system().provider, CLUSTER_NAMESPACE);
      await allowEverywhere(system().provider, consumer, [databases, zones]);
      for (const api of [databases, zones]) await exportInline(system().provider, consumer, api);
      await bindKlutch(
        system().consumer,
        consumer,
        [databases],
        [
          {
            group: '',
            resource: 'secrets',
            version: 'v1',
            selector: { names: ['creds', 'settings'], namespaces: ['*'] },
            state: 'Accepted',
          },
        ],
      );
      await bindKlutch(system().consumer, consumer, [zones]);
      await leftByKlutch(system(), consumer);
      await createNamespace(system(), 'team-a');
    }, 240_000);

    it.ownClusters('takes over what a Klutch konnector has left, and writes none of its objects', async () => {
      const since = await mark(system());
      const before = await onProvider('one', 'team-go');
      konnector = await startKonnector(system(), 'konnector');
      for (const api of [databases, zones]) {
        await eventually(async () => {
          expect(conditionsOf(await bindingOf(api))).toMatchObject({
            Ready: { status: 'True' },
            SchemaInSync: { status: 'True' },
          });
        }, LONG);
      }
      const writes = await settledWrites(system(), since);
      // Which clusters it is bound to, and how it stands, is said of bindings and exports; the other resource had no CRD yet.
      expect(
        writes.filter(
          (write) => !/ (?:apiservicebindings|apiserviceexports|clusterbindings)(?:\/status)? /u.test(write),
        ),
      ).toEqual(['consumer: create customresourcedefinitions zones.example.com 201']);
      expect((await onProvider('one', 'team-go')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    it('holds the Lease of Klutch, beats, and reports on export and binding', async () => {
      const { consumer: app, provider } = system();
      await eventually(async () => {
        expect(
          await app.client.get(kubernetes.leases, { namespace: 'klutch-bind', name: 'klutch-bind' }),
        ).toMatchObject({ spec: { holderIdentity: 'konnector' } });
        const { status } = await provider.client.get<ClusterBinding>(resources.clusterBindings, {
          namespace: CLUSTER_NAMESPACE,
          name: 'cluster',
        });
        expect(status).toMatchObject({
          heartbeatInterval: '5m0s',
          lastHeartbeatTime: expect.any(String),
          konnectorVersion: expect.any(String),
        });
        const exported = await provider.client.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: CLUSTER_NAMESPACE,
          name: 'databases.example.com',
        });
        expect(conditionsOf(exported)).toMatchObject({
          Connected: { status: 'True' },
          ConsumerInSync: { status: 'True' },
          Established: { status: 'True' },
        });
        expect(exported.status).toMatchObject({ storedVersions: ['v1'], acceptedNames: { plural: 'databases' } });
        expect(await bindingOf(databases)).toMatchObject({
          apiVersion,
          status: { providerPrettyName: 'A Klutch provider' },
        });
      }, LONG);
      const crd = await app.client.get<CustomResourceDefinition>(kubernetes.customResourceDefinitions, {
        name: 'zones.example.com',
      });
      expect(crd.metadata.ownerReferences).toEqual([
        expect.objectContaining({ apiVersion, kind: 'APIServiceBinding', name: 'zones.example.com', controller: true }),
      ]);
    });

    it('asks for a namespace, and carries spec up and status down with the marks of Klutch', async () => {
      const { provider, consumer: app } = system();
      await create('one');
      expect(await assignNamespace(provider, consumer, 'team-a')).toBe(`${CLUSTER_NAMESPACE}-team-a`);
      const copy = await eventually(() => onProvider('one'), LONG);
      expect(copy.metadata.annotations).toMatchObject(BOUND);
      const { metadata } = await onConsumer('one');
      expect(metadata).toMatchObject({ finalizers: [FINALIZER], annotations: BOUND });
      expect(
        Object.keys({ ...copy.metadata.annotations, ...metadata.annotations }).filter((key) =>
          key.includes('kube-bind.io'),
        ),
      ).toEqual([]);
      await app.client.patch(
        resourceOf(databases),
        { namespace: 'team-a', name: 'one' },
        { type: 'merge', patch: { spec: { size: 'large' } } },
      );
      await eventually(async () => {
        expect((await onProvider('one')).spec).toMatchObject({ size: 'large' });
      }, LONG);
      await provider.client.patch(resourceOf(databases), copyOf('team-a', 'one'), {
        type: 'merge',
        patch: { spec: { size: 'small' } },
      });
      await eventually(async () => {
        expect((await onProvider('one')).spec).toMatchObject({ size: 'large' });
      }, LONG);
      await provider.client.patch(
        resourceOf(databases),
        copyOf('team-a', 'one'),
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect((await onConsumer('one')).status).toEqual({ phase: 'Ready' });
      }, LONG);
    });

    it('works on with what a Klutch konnector has left', async () => {
      const { consumer: app } = system();
      await app.client.patch(
        resourceOf(databases),
        { namespace: 'team-go', name: 'one' },
        { type: 'merge', patch: { spec: { size: 'medium' } } },
      );
      await eventually(async () => {
        expect((await onProvider('one', 'team-go')).spec).toMatchObject({ size: 'medium' });
      }, LONG);
      expect((await onProvider('one', 'team-go')).metadata.annotations).toMatchObject({
        ...BOUND,
        note: 'hello',
        'hawser.dev/consumer-uid': (await onConsumer('one', 'team-go')).metadata.uid,
      });
      await app.client.delete(resourceOf(databases), { namespace: 'team-go', name: 'two' });
      await gone(() => app.find(resourceOf(databases), { namespace: 'team-go', name: 'two' }));
      await gone(() => system().provider.find(resourceOf(databases), copyOf('team-go', 'two')));
    });

    it('an object goes after its copy, however long that takes', async () => {
      const { consumer: app, provider } = system();
      await create('held');
      await eventually(() => onProvider('held'), LONG);
      await provider.client.patch(resourceOf(databases), copyOf('team-a', 'held'), {
        type: 'merge',
        patch: { metadata: { finalizers: ['example.com/backup'] } },
      });
      await app.client.delete(resourceOf(databases), { namespace: 'team-a', name: 'held' });
      await eventually(async () => {
        expect((await onProvider('held')).metadata.deletionTimestamp).toBeDefined();
      }, LONG);
      expect((await onConsumer('held')).metadata.finalizers).toEqual([FINALIZER]);
      await provider.client.patch(resourceOf(databases), copyOf('team-a', 'held'), {
        type: 'merge',
        patch: { metadata: { finalizers: null } },
      });
      await gone(() => app.find(resourceOf(databases), { namespace: 'team-a', name: 'held' }));
    });

    it('cluster-scoped objects have the cluster namespace before their names, and belong to it', async () => {
      const { consumer: app, provider } = system();
      await app.client.create(resourceOf(zones), objectOf(zones, { name: 'north' }));
      const key = { name: `${CLUSTER_NAMESPACE}-north` };
      const copy = await eventually(() => provider.client.get<ServiceObject>(resourceOf(zones), key), LONG);
      expect(copy.metadata.annotations).toMatchObject({
        ...BOUND,
        'klutch.anynines.com/cluster-namespace': CLUSTER_NAMESPACE,
      });
      expect(copy.metadata.ownerReferences).toEqual([
        expect.objectContaining({ kind: 'Namespace', name: CLUSTER_NAMESPACE }),
      ]);
      await app.client.delete(resourceOf(zones), { name: 'north' });
      await gone(() => provider.find(resourceOf(zones), key));
    });

    it('an object that was made on the provider comes to the consumer, whose it is from then on', async () => {
      const { consumer: app, provider } = system();
      await provider.client.create(resourceOf(databases), {
        ...objectOf(databases, copyOf('team-a', 'ready-made'), { size: 'large' }),
        metadata: { ...copyOf('team-a', 'ready-made'), labels: { tier: 'gold' } },
      });
      await provider.client.patch(
        resourceOf(databases),
        copyOf('team-a', 'ready-made'),
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await onConsumer('ready-made')).toMatchObject({
          metadata: { labels: { tier: 'gold' }, annotations: BOUND, finalizers: [FINALIZER] },
          spec: { size: 'large' },
          status: { phase: 'Ready' },
        });
        expect((await onProvider('ready-made')).metadata.annotations).toMatchObject(BOUND);
      }, LONG);
      await app.client.patch(
        resourceOf(databases),
        { namespace: 'team-a', name: 'ready-made' },
        { type: 'merge', patch: { spec: { size: 'small' } } },
      );
      await eventually(async () => {
        expect((await onProvider('ready-made')).spec).toMatchObject({ size: 'small' });
      }, LONG);
      await app.client.delete(resourceOf(databases), { namespace: 'team-a', name: 'ready-made' });
      await gone(() => provider.find(resourceOf(databases), copyOf('team-a', 'ready-made')));
      await gone(() => app.find(resourceOf(databases), { namespace: 'team-a', name: 'ready-made' }));
    });

    it('a claimed Secret belongs to the side that made it, and says so on both', async () => {
      const { consumer: app, provider } = system();
      const secret = (key: ObjectKey, value: string): Secret => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: key.name, namespace: key.namespace },
        data: { value: Buffer.from(value).toString('base64') },
      });
      const ways = [
        {
          name: 'creds',
          owner: 'Provider',
          from: provider,
          of: copyOf('team-a', 'creds'),
          to: app,
          copy: { namespace: 'team-a', name: 'creds' },
        },
        {
          name: 'settings',
          owner: 'Consumer',
          from: app,
          of: { namespace: 'team-a', name: 'settings' },
          to: provider,
          copy: copyOf('team-a', 'settings'),
        },
      ];
      for (const { owner, from, of, to, copy } of ways) {
        const marked = { metadata: { annotations: { 'klutch.anynines.com/resource-owner': owner } } };
        await from.client.create(kubernetes.secrets, secret(of, 'first'));
        await eventually(async () => {
          expect(await to.client.get<Secret>(kubernetes.secrets, copy)).toMatchObject({
            ...marked,
            data: secret(of, 'first').data,
          });
          expect(await from.client.get<Secret>(kubernetes.secrets, of)).toMatchObject(marked);
        }, LONG);
        await to.client.patch(kubernetes.secrets, copy, {
          type: 'merge',
          patch: { data: secret(copy, 'changed').data },
        });
        await eventually(async () => {
          expect((await to.client.get<Secret>(kubernetes.secrets, copy)).data).toEqual(secret(of, 'first').data);
        }, LONG);
        await from.client.delete(kubernetes.secrets, of);
        await gone(() => to.find(kubernetes.secrets, copy));
      }
    });

    it('a changed schema in the export reaches the consumer', async () => {
      const { provider, consumer: app } = system();
      const version = sampleCrd(databases).spec.versions[0]!;
      const properties = (version.schema as { openAPIV3Schema: { properties: Record<string, object> } }).openAPIV3Schema
        .properties;
      await exportInline(provider, consumer, databases, (crd) => ({
        ...crd,
        spec: {
          ...crd.spec,
          versions: [
            {
              ...version,
              schema: { openAPIV3Schema: { type: 'object', properties: { ...properties, extra: { type: 'string' } } } },
            },
          ],
        },
      }));
      await eventually(async () => {
        const { spec } = await app.client.get<CustomResourceDefinition>(kubernetes.customResourceDefinitions, {
          name: 'databases.example.com',
        });
        expect(spec.versions[0]?.schema).toMatchObject({
          openAPIV3Schema: { properties: { extra: { type: 'string' } } },
        });
      }, LONG);
      expect(conditionsOf(await bindingOf(databases))['Ready']?.status).toBe('True');
    });

    /** With nothing but the consumer's kubeconfig, and no word of Klutch. */
    const hawser = (...args: readonly string[]): Promise<Ended> =>
      runCommand(executables.hawser, [...args, `--kubeconfig=${system().consumer.kubeconfigFile}`]);
    /** Conditions may be under way for a moment after the objects. */
    const nothingIsPlanned = (): Promise<void> =>
      eventually(async () => {
        expect(await hawser('plan')).toMatchObject({
          code: 0,
          out: 'Nothing to write.\n',
          err: expect.stringContaining('Dialect: klutch'),
        });
      }, LONG);

    it('commands find that it is Klutch, and say that everything is in step', async () => {
      await nothingIsPlanned();
      expect(await hawser('why', 'database', 'one', '-n', 'team-a')).toMatchObject({
        code: 0,
        out: expect.stringContaining('Database team-a/one is in step.'),
      });
      const tree = await hawser('tree', '--dialect=klutch');
      expect(tree).toMatchObject({ code: 0, err: '' });
      expect(tree.out).toMatch(
        new RegExp(
          `cluster namespace ${CLUSTER_NAMESPACE} {2}\\[ok\\][^]*binding databases\\.example\\.com {2}\\[ok\\][^]*binding zones\\.example\\.com {2}\\[ok\\]`,
          'u',
        ),
      );
      const bindings = await hawser('bindings');
      expect(bindings.out).toMatch(/databases\.example\.com +inStep[^]*zones\.example\.com +inStep/u);
      expect(await hawser('why', '--all', '--dialect=kube-bind')).toMatchObject({
        out: expect.stringContaining('0 of 0'),
      });
      const rbac = await hawser('rbac', `--service-account=${names.konnectorNamespace}/konnector`);
      expect(rbac).toMatchObject({
        code: 0,
        out: expect.stringContaining(`# ServiceAccount ${names.konnectorNamespace}/konnector has all of it.`),
      });
      expect(rbac.out.split('kind: ValidatingAdmissionPolicy')[0]).not.toContain('kube-bind.io');
      expect(rbac.out).toContain(`name: hawser-konnector-${names.konnectorNamespace}`);
      const doctor = await hawser('doctor', `--service-account=${names.konnectorNamespace}/konnector`);
      expect(doctor).toMatchObject({ code: 0 });
    });

    it.ownClusters('a plan is what the next konnector does, and no command writes', async () => {
      const { consumer: app, provider } = system();
      const since = await mark(system());
      await konnector.stop();
      await app.client.patch(
        resourceOf(databases),
        { namespace: 'team-a', name: 'one' },
        { type: 'merge', patch: { spec: { size: 'small' } } },
      );
      await provider.client.create(resourceOf(databases), objectOf(databases, copyOf('team-a', 'planned')));
      const plan = await hawser('plan', '--dry-run=server');
      expect(plan.code).toBe(1);
      expect(plan.out.split('\n').slice(0, 3).toSorted()).toEqual([
        'create databases.example.com team-a/planned on the consumer',
        `patch databases.example.com ${CLUSTER_NAMESPACE}-team-a/one on the provider`,
        `patch databases.example.com ${CLUSTER_NAMESPACE}-team-a/planned on the provider`,
      ]);
      expect(plan.out).toMatch(/\n1 to write on the consumer, 2 on the provider\.\n$/u);
      const logs = await Promise.all(
        (['consumer', 'provider'] as const).map(
          async (side) =>
            (await system()
              [side].controlPlane?.auditLog()
              .entries({ since: since[side], userAgent: 'hawser-explain' })) ?? [],
        ),
      );
      expect(logs.flat().length).toBeGreaterThan(10);
      expect(logs.flat().filter(({ write }) => write)).toEqual([]);

      const started = await mark(system());
      konnector = await startKonnector(system(), 'konnector-2');
      await eventually(async () => {
        expect((await onProvider('one')).spec).toMatchObject({ size: 'small' });
        expect((await onProvider('planned')).metadata.annotations).toMatchObject(BOUND);
      }, LONG);
      const writes = await settledWrites(system(), started);
      expect(writes.filter((write) => / databases /u.test(write)).toSorted()).toEqual([
        'consumer: create databases team-a/planned 201',
        `provider: patch databases ${CLUSTER_NAMESPACE}-team-a/one 200`,
        `provider: patch databases ${CLUSTER_NAMESPACE}-team-a/planned 200`,
      ]);
      await nothingIsPlanned();
    });

    it('unbinding lets go of the objects and leaves their copies', async () => {
      const { provider, consumer: app } = system();
      await app.client.delete(resources.apiServiceBindings, { name: 'databases.example.com' });
      await gone(() => app.find(kubernetes.customResourceDefinitions, { name: 'databases.example.com' }));
      expect((await onProvider('one')).metadata.deletionTimestamp).toBeUndefined();
      await eventually(async () => {
        const exported = await provider.client.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: CLUSTER_NAMESPACE,
          name: 'databases.example.com',
        });
        expect(conditionsOf(exported)).toMatchObject({
          Connected: { status: 'False', reason: 'APIServiceBindingNotFound' },
          Unbound: { status: 'True' },
        });
      }, LONG);
    });

    it('needed no right that the chart does not give', async () => {
      expect(await refusedRequests(system().consumer, konnectorUser)).toEqual([]);
    });

    it('nothing of this is in the words of kube-bind', async () => {
      const crds = await system().consumer.client.list<CustomResourceDefinition>(kubernetes.customResourceDefinitions);
      expect(crds.items.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('kube-bind.io'))).toEqual(
        [],
      );
      expect(system().logs()).not.toMatch(/"level":"error"/u);
    });
  },
);
