import { afterAll, beforeAll, expect } from '@jest/globals';
import type { ObjectKey } from '@hawser/client';
import { type SampleApi, crdOf, databases } from '@hawser/installation';
import {
  type APIServiceExport,
  type BoundSchema,
  type CustomResourceDefinition,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { type Ended, runCommand } from './command.js';
import { conditionsOf } from './conditions.js';
import { LONG, type ServiceObject, objectOf, resourceOf } from './copies.js';
import { describeSystem } from './suite.js';
import { executables, prefixed } from './system.js';
import { type Tenant, openTenant } from './tenant.js';

type Fields = Readonly<Record<string, object>>;

const named = (plural: string, kind: string): SampleApi => ({ ...databases, plural, kind });
const caches = named('caches', 'Cache');
const queues = named('queues', 'Queue');
const topics = named('topics', 'Topic');
const volumes = named('volumes', 'Volume');
const ledgers = named('ledgers', 'Ledger');
const archives = named('archives', 'Archive');
const apis = [databases, caches, queues, topics, volumes, ledgers, archives];
const size = { type: 'string' };
const replicas = { type: 'integer', maximum: 9 };
const tighter: Fields = { size, replicas: { ...replicas, maximum: 5 } };
const NAMESPACE = 'team-a';

/** A CRD of the provider that keeps no field but these. */
function crdWith(
  api: SampleApi,
  fields: Fields,
  labels: Readonly<Record<string, string>> = { 'kube-bind.io/exported': 'true' },
): CustomResourceDefinition {
  return crdOf(api, {
    labels,
    properties: {
      spec: { type: 'object', properties: fields },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  });
}

const nameOf = ({ plural, group }: SampleApi): string => `${plural}.${group}`;

describeSystem(
  'changed schemas of a provider with two consumers',
  () => ({ name: 'schema', resources: apis }),
  (system, it) => {
    let gold: Tenant;
    let bronze: Tenant;

    beforeAll(async () => {
      const { provider, consumer } = system();
      await system().provideIn(prefixed);
      await provider.apply(
        ...apis.filter((api) => api !== archives).map((api) => crdWith(api, { size, replicas })),
        archivesWith(['v1', 'v2'], 'v1'),
      );
      for (const api of apis)
        await provider.kubectl(['wait', '--for=condition=Established', `crd/${nameOf(api)}`, '--timeout=60s']);
      // What a konnector holds by itself is looked at apart.
      const common = {
        apis,
        config: { schemaUpdate: 'Always', migrateStoredVersions: true, labelledSecrets: false },
        chartValues: { storedVersionMigration: true },
      };
      gold = await openTenant(system(), { ...common, name: 'gold', plane: consumer, labels: { tier: 'gold' } });
      bronze = await openTenant(system(), { ...common, name: 'bronze', labels: { tier: 'bronze' } });
      await Promise.all([gold.start(), bronze.start()]);
      for (const tenant of [gold, bronze]) {
        await tenant.plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
        for (const api of apis) {
          const versions = api === archives ? ['v1', 'v2'] : ['v1'];
          await provider.apply({
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceExportRequest',
            metadata: { name: api.plural, namespace: tenant.clusterNamespace },
            spec: { resources: [{ group: api.group, resource: api.plural, versions }] },
          });
          await tenant.bind(api.plural);
        }
      }
      for (const tenant of [gold, bronze]) for (const api of apis) await serves(tenant, api, 'size');
    }, 300_000);
    afterAll(async () => {
      await Promise.all([gold.close(), bronze.close()]);
    }, 60_000);

    const hawser = (...args: readonly string[]): Promise<Ended> =>
      runCommand(executables.hawser, ['schema', ...args, `--kubeconfig=${system().provider.kubeconfigFile}`]);
    const exportOf = ({ clusterNamespace }: Tenant, { plural }: SampleApi): Promise<APIServiceExport> =>
      system().provider.client.get(resources.apiServiceExports, { namespace: clusterNamespace, name: plural });
    const offered = ({ clusterNamespace }: Tenant, api: SampleApi): Promise<BoundSchema> =>
      system().provider.client.get(resources.boundSchemas, { namespace: clusterNamespace, name: nameOf(api) });
    const installed = ({ plane }: Tenant, api: SampleApi): Promise<CustomResourceDefinition> =>
      plane.client.get(resources.customResourceDefinitions, { name: nameOf(api) });
    const change = (api: SampleApi, fields: Fields): Promise<void> => system().provider.apply(crdWith(api, fields));
    const annotate = (
      tenant: Tenant,
      { plural }: SampleApi,
      annotations: Readonly<Record<string, string | null>>,
    ): Promise<unknown> =>
      system().provider.client.patch(
        resources.apiServiceExports,
        { namespace: tenant.clusterNamespace, name: plural },
        { type: 'merge', patch: { metadata: { annotations } } },
      );
    const annotateBinding = (
      { plane }: Tenant,
      { plural }: SampleApi,
      annotations: Readonly<Record<string, string | null>>,
    ): Promise<unknown> =>
      plane.client.patch(
        resources.apiServiceBindings,
        { name: plural },
        { type: 'merge', patch: { metadata: { annotations } } },
      );

    const fieldsIn = (spec: CustomResourceDefinition['spec'] | BoundSchema['spec']): Fields => {
      const schema = spec?.versions[0]?.schema?.openAPIV3Schema as
        { readonly properties?: { readonly spec?: { readonly properties?: Fields } } } | undefined;
      return schema?.properties?.spec?.properties ?? {};
    };
    /** A field as the consumer's API server has it; absent or an object. */
    const servedField = async (tenant: Tenant, api: SampleApi, field: string): Promise<object | undefined> =>
      fieldsIn((await installed(tenant, api)).spec)[field];
    const offeredField = async (tenant: Tenant, api: SampleApi, field: string): Promise<object | undefined> =>
      fieldsIn((await offered(tenant, api)).spec)[field];
    const serves = async (tenant: Tenant, api: SampleApi, field: string, as: object = {}): Promise<void> => {
      await eventually(async () => {
        expect(await servedField(tenant, api, field)).toMatchObject(as);
      }, LONG);
    };
    const held = async (tenant: Tenant, api: SampleApi, reason: string): Promise<string> =>
      eventually(async () => {
        const condition = conditionsOf(await exportOf(tenant, api))['SchemaUpdateHeld'];
        expect(condition).toMatchObject({ status: 'True', reason });
        return condition?.message ?? '';
      }, LONG);
    const notHeld = (tenant: Tenant, api: SampleApi): Promise<void> =>
      eventually(async () => {
        expect(conditionsOf(await exportOf(tenant, api))['SchemaUpdateHeld']).toBeUndefined();
      }, LONG);
    const keyOf = (name: string): ObjectKey => ({ namespace: NAMESPACE, name });
    const copyOf = ({ clusterNamespace }: Tenant, name: string): ObjectKey => ({
      namespace: `${clusterNamespace}-${NAMESPACE}`,
      name,
    });
    const store = async (
      tenant: Tenant,
      api: SampleApi,
      name: string,
      spec: Readonly<Record<string, unknown>>,
    ): Promise<ServiceObject> => {
      // For a moment after a CRD has changed an API server cuts new fields from what is written, and later from the events of watches that were open before.
      const stored = await eventually(async () => {
        await tenant.plane.apply(objectOf(api, keyOf(name), spec));
        const object = await tenant.plane.client.get<ServiceObject>(resourceOf(api), keyOf(name));
        expect(object.spec).toEqual(spec);
        return object;
      }, LONG);
      await eventually(async () => {
        expect((await system().provider.client.get<ServiceObject>(resourceOf(api), copyOf(tenant, name))).spec).toEqual(
          spec,
        );
      }, LONG);
      return stored;
    };
    interface Row {
      readonly namespace: string;
      readonly state: string;
      readonly reason?: string;
      readonly message?: string;
      readonly hash: string;
      readonly candidate?: string;
      readonly changes: readonly { readonly severity: string; readonly path?: string; readonly remedy: string }[];
    }
    const statusOf = async (tenant: Tenant, api: SampleApi): Promise<{ readonly code: number; readonly row: Row }> => {
      const { code, out, err } = await hawser('status', `${tenant.clusterNamespace}/${api.plural}`, '-o', 'json');
      expect(err).toBe('');
      const [row] = (JSON.parse(out) as { readonly exports: readonly Row[] }).exports;
      if (row === undefined) throw new Error(out);
      return { code, row };
    };

    it('a safe change reaches both by itself, and a new field is kept', async () => {
      await change(databases, { size, replicas, backup: { type: 'boolean' } });
      for (const tenant of [gold, bronze]) {
        await serves(tenant, databases, 'backup', { type: 'boolean' });
        await store(tenant, databases, 'orders', { size: 'small', backup: true });
        expect(conditionsOf(await exportOf(tenant, databases))).not.toHaveProperty('SchemaUpdateHeld');
      }
      await eventually(async () => {
        expect(await statusOf(gold, databases)).toMatchObject({
          code: 0,
          row: { state: 'InStep', consumer: 'applied' },
        });
      }, LONG);
    });

    it('a breaking change is held for both, and says which fields, why and what to do', async () => {
      const before = await Promise.all([gold, bronze].map((tenant) => installed(tenant, databases)));
      await change(databases, { size, replicas: { ...replicas, maximum: 5 }, backup: { type: 'boolean' } });
      for (const tenant of [gold, bronze]) {
        const message = await held(tenant, databases, 'BreakingSchemaChange');
        expect(message).toContain('replicas');
        const conditions = conditionsOf(await exportOf(tenant, databases));
        const { row, code } = await statusOf(tenant, databases);
        expect(code).toBe(1);
        expect(row).toMatchObject({
          state: 'Held',
          reason: 'BreakingSchemaChange',
          changes: [{ severity: 'breaking', path: expect.stringContaining('replicas') }],
        });
        expect(message).toContain(`${hawserAnnotations.schemaApproved}=${row.candidate ?? '?'}`);
        expect(conditions['ProviderInSync']?.status).toBe('True');
        await eventually(async () => {
          const events = (
            await system().provider.client.list<ServiceObject & { readonly reason?: string }>(resources.events, {
              namespace: tenant.clusterNamespace,
            })
          ).items;
          expect(events.map(({ reason }) => reason)).toContain('BreakingSchemaChange');
        }, LONG);
      }
      const diff = await hawser('diff', `${gold.clusterNamespace}/databases`);
      expect(diff).toMatchObject({ code: 4, err: '' });
      expect(diff.out).toMatch(
        /breaking +v1 spec\.replicas: may be no more than 5, was 9\n +The API server refuses values beyond it\. /u,
      );
      expect((await hawser('status')).out).toMatch(
        /kube-bind-bronze +databases +databases\.example\.com +Held +breaking/u,
      );
      for (const [at, tenant] of [gold, bronze].entries()) {
        const now = await installed(tenant, databases);
        expect(now.metadata).toMatchObject({
          uid: before[at]?.metadata.uid,
          generation: before[at]?.metadata.generation,
        });
        expect(
          conditionsOf(await tenant.plane.client.get(resources.apiServiceBindings, { name: 'databases' }))['Ready']
            ?.status,
        ).toBe('True');
      }
    });

    it('an approval is for whom the selector names, for nothing newer, and writes nothing in a dry run', async () => {
      const {
        row: { candidate: outdated = '' },
      } = await statusOf(gold, databases);
      await change(databases, { size, replicas: { ...replicas, maximum: 4 }, backup: { type: 'boolean' } });
      await eventually(async () => {
        expect(await held(gold, databases, 'BreakingSchemaChange')).toContain('no more than 4');
      }, LONG);
      expect(await hawser('approve', `${gold.clusterNamespace}/databases`, `--hash=${outdated}`)).toMatchObject({
        code: 1,
        out: 'Nothing to approve.\n',
      });
      const versionBefore = (await exportOf(gold, databases)).metadata.resourceVersion;
      const dry = await hawser('approve', '--selector=tier=gold', '--dry-run', '-o', 'json');
      expect(dry).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(dry.out)).toEqual({
        approve: [
          {
            namespace: gold.clusterNamespace,
            export: 'databases',
            resource: 'databases.example.com',
            hash: (await statusOf(gold, databases)).row.candidate,
            result: 'would be written',
          },
        ],
      });
      expect((await exportOf(gold, databases)).metadata.resourceVersion).toBe(versionBefore);

      expect(await hawser('approve', '--selector=tier=gold')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/kube-bind-gold +databases .* written/u),
      });
      await serves(gold, databases, 'replicas', { maximum: 4 });
      await notHeld(gold, databases);
      expect(await held(bronze, databases, 'BreakingSchemaChange')).toContain('no more than 4');
      expect(await servedField(bronze, databases, 'replicas')).toMatchObject({ maximum: 9 });
      expect(await hawser('approve', '--selector=tier=gold')).toMatchObject({ code: 1, out: 'Nothing to approve.\n' });
      expect(await hawser('approve', 'nope')).toMatchObject({ code: 1 });
      expect(await hawser('approve')).toMatchObject({ code: 2 });
    });

    it('what is safe by its shape waits where stored objects do not fit it, for that consumer alone', async () => {
      await store(gold, caches, 'misfit', { size: 'small', replicas: 9 });
      await change(caches, tighter);
      for (const tenant of [gold, bronze]) await held(tenant, caches, 'BreakingSchemaChange');
      expect(await hawser('approve', 'caches')).toMatchObject({ code: 0 });
      for (const tenant of [gold, bronze]) await serves(tenant, caches, 'replicas', { maximum: 5 });
      // The object is still there: an API server does not look at what it has stored.
      await change(caches, { ...tighter, note: { type: 'string' } });
      await serves(bronze, caches, 'note');
      expect(await held(gold, caches, 'StoredObjectsInvalid')).toMatch(/misfit.*replicas/u);
      expect(await servedField(gold, caches, 'note')).toBeUndefined();
      await gold.plane.kubectl(['delete', nameOf(caches), 'misfit', '-n', NAMESPACE, '--timeout=60s']);
      expect(await hawser('approve', `${gold.clusterNamespace}/caches`)).toMatchObject({ code: 0 });
      await serves(gold, caches, 'note');
    });

    it('a roll-out by shares goes on when the konnectors of the step before serve the schema', async () => {
      await Promise.all([gold.stop(), bronze.stop()]);
      await system().provider.kubectl(['annotate', 'crd', nameOf(caches), 'hawser.dev/schema-rollout=50%,100%']);
      await change(caches, { ...tighter, note: { type: 'string' }, tier: { type: 'string' } });
      const [first, second] = await eventually<readonly [Tenant, Tenant]>(async () => {
        const got = await Promise.all(
          [gold, bronze].map(async (tenant) => (await offeredField(tenant, caches, 'tier')) !== undefined),
        );
        expect(got.filter(Boolean)).toHaveLength(1);
        return got[0] === true ? [gold, bronze] : [bronze, gold];
      }, LONG);
      expect(await held(second, caches, 'RolloutWaits')).toContain('2 steps, and this is step 2; 1 consumers');
      // What the other does is not a proof.
      await second.start();
      await eventually(async () => {
        expect(await statusOf(first, caches)).toMatchObject({ row: { state: 'InStep', consumer: 'unproven' } });
      }, LONG);
      expect(await offeredField(second, caches, 'tier')).toBeUndefined();
      expect(await statusOf(second, caches)).toMatchObject({ code: 1, row: { state: 'Held', reason: 'RolloutWaits' } });

      await first.start();
      await serves(first, caches, 'tier');
      await serves(second, caches, 'tier');
      await notHeld(second, caches);
      expect(conditionsOf(await offered(first, caches))['SchemaApplied']).toMatchObject({ status: 'True' });
    });

    it('a consumer that cannot apply a schema stops the roll-out and is named to the provider, which takes it back', async () => {
      for (const tenant of [gold, bronze])
        await annotate(tenant, queues, { [hawserAnnotations.schemaRollout]: 'tier=bronze; tier=gold' });
      await annotateBinding(bronze, queues, { [hawserAnnotations.schemaUpdate]: 'Never' });
      await change(queues, { size, replicas, priority: { type: 'integer' } });
      const message = await held(gold, queues, 'RolloutStopped');
      expect(message).not.toContain('bronze');
      const {
        row: { hash },
      } = await statusOf(bronze, queues);
      expect(await statusOf(bronze, queues)).toMatchObject({
        code: 1,
        row: { state: 'Refused', consumer: 'refused', reason: 'SchemaUpdatesOff' },
      });
      expect((await hawser('status')).out).toMatch(
        /kube-bind-bronze +queues +queues\.example\.com +Refused .* SchemaUpdatesOff/u,
      );
      expect(await servedField(gold, queues, 'priority')).toBeUndefined();
      expect(await servedField(bronze, queues, 'priority')).toBeUndefined();

      expect(await hawser('reject', 'queues', `--hash=${hash}`)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/kube-bind-bronze .*\n(?:.*\n)*kube-bind-gold /u),
      });
      await eventually(async () => {
        expect(await offeredField(bronze, queues, 'priority')).toBeUndefined();
      }, LONG);
      for (const tenant of [gold, bronze]) await held(tenant, queues, 'SchemaRolledBack');
      await eventually(async () => {
        expect(
          conditionsOf(await bronze.plane.client.get(resources.apiServiceBindings, { name: 'queues' })),
        ).not.toHaveProperty('SchemaUpdateHeld');
      }, LONG);
    });

    it('a schema that consumers have is taken back to the one before', async () => {
      for (const tenant of [gold, bronze])
        await annotate(tenant, queues, {
          [hawserAnnotations.schemaRollout]: null,
          [hawserAnnotations.schemaRejected]: null,
        });
      await annotateBinding(bronze, queues, { [hawserAnnotations.schemaUpdate]: null });
      for (const tenant of [gold, bronze]) await serves(tenant, queues, 'priority');
      const object = await store(gold, queues, 'jobs', { size: 'small', priority: 3 });
      await eventually(async () => {
        expect(await statusOf(gold, queues)).toMatchObject({ row: { state: 'InStep', consumer: 'applied' } });
      }, LONG);
      const {
        row: { hash },
      } = await statusOf(gold, queues);
      expect(await hawser('reject', '--selector=tier=gold', `--hash=${hash}`)).toMatchObject({ code: 0 });
      await eventually(async () => {
        expect(await servedField(gold, queues, 'priority')).toBeUndefined();
      }, LONG);
      expect(await held(gold, queues, 'SchemaRolledBack')).toContain('rejected by the provider');
      expect(await servedField(bronze, queues, 'priority')).toBeDefined();
      expect((await gold.plane.client.get<ServiceObject>(resourceOf(queues), keyOf('jobs'))).metadata.uid).toBe(
        object.metadata.uid,
      );
    });

    it('a label that is lost, and a CRD that is deleted, take nothing from anybody', async () => {
      const objects = await Promise.all(
        [gold, bronze].map((tenant) => store(tenant, topics, 'news', { size: 'small' })),
      );
      const before = await Promise.all([gold, bronze].map((tenant) => installed(tenant, topics)));
      const nothingIsGone = async (): Promise<void> => {
        for (const [at, tenant] of [gold, bronze].entries()) {
          expect(await held(tenant, topics, 'SchemaSourceGone')).toContain('Nothing is deleted.');
          const crd = await installed(tenant, topics);
          expect(crd.metadata).toMatchObject({
            uid: before[at]?.metadata.uid,
            generation: before[at]?.metadata.generation,
          });
          expect(crd.metadata.deletionTimestamp).toBeUndefined();
          const object = await tenant.plane.client.get<ServiceObject>(resourceOf(topics), keyOf('news'));
          expect(object).toMatchObject({ metadata: { uid: objects[at]?.metadata.uid }, spec: { size: 'small' } });
          expect(object.metadata.deletionTimestamp).toBeUndefined();
          expect(await statusOf(tenant, topics)).toMatchObject({
            code: 1,
            row: { state: 'Held', reason: 'SchemaSourceGone' },
          });
        }
      };
      await system().provider.apply(crdWith(topics, { size, replicas }, {}));
      await nothingIsGone();
      await system().provider.kubectl(['delete', 'crd', nameOf(topics), '--timeout=60s']);
      // Once something newer has come through, that was looked at, too.
      await change(volumes, { size, replicas, note: { type: 'string' } });
      for (const tenant of [gold, bronze]) await serves(tenant, volumes, 'note');
      await nothingIsGone();
      for (const tenant of [gold, bronze]) {
        expect((await exportOf(tenant, topics)).metadata.deletionTimestamp).toBeUndefined();
        expect((await offered(tenant, topics)).metadata.deletionTimestamp).toBeUndefined();
      }
      // It comes back, and the objects with it.
      await change(topics, { size, replicas });
      for (const tenant of [gold, bronze]) {
        await notHeld(tenant, topics);
        await eventually(async () => {
          expect(
            (await system().provider.client.get<ServiceObject>(resourceOf(topics), copyOf(tenant, 'news'))).spec,
          ).toEqual({ size: 'small' });
        }, LONG);
      }
    });

    it('another scope is refused, says what to do instead, and no approval helps', async () => {
      await system().provider.kubectl(['delete', 'crd', nameOf(volumes), '--timeout=60s']);
      await system().provider.apply(crdWith({ ...volumes, scope: 'Cluster' }, { size, replicas }));
      for (const tenant of [gold, bronze]) {
        expect(await held(tenant, volumes, 'IncompatibleSchemaChange')).toMatch(
          /No approval helps\. Offer it as another API/u,
        );
        expect((await installed(tenant, volumes)).spec.scope).toBe('Namespaced');
      }
      expect(await hawser('diff', `${gold.clusterNamespace}/volumes`)).toMatchObject({
        code: 5,
        out: expect.stringContaining('incompatible'),
      });
      expect(await hawser('approve', 'volumes')).toMatchObject({ code: 1, out: 'Nothing to approve.\n' });
      const {
        row: { candidate = '' },
      } = await statusOf(gold, volumes);
      await annotate(gold, volumes, { [hawserAnnotations.schemaApproved]: candidate });
      await held(gold, volumes, 'IncompatibleSchemaChange');
      expect((await offered(gold, volumes)).spec?.scope).toBe('Namespaced');
    });

    it('a konnector holds by itself what its provider lets through, until its own operator approves it', async () => {
      const onConsumer = (...args: readonly string[]): Promise<Ended> =>
        runCommand(executables.hawser, [
          'schema',
          ...args,
          '--side=consumer',
          `--kubeconfig=${gold.plane.kubeconfigFile}`,
        ]);
      const binding = async (): Promise<ReturnType<typeof conditionsOf>> =>
        conditionsOf(await gold.plane.client.get(resources.apiServiceBindings, { name: 'ledgers' }));
      for (const tenant of [gold, bronze])
        await annotate(tenant, ledgers, { [hawserAnnotations.schemaUpdate]: 'Always' });
      await annotateBinding(gold, ledgers, { [hawserAnnotations.schemaUpdate]: 'Safe' });
      await change(ledgers, { size: { ...size, enum: ['small', 'large'] }, replicas });
      await serves(bronze, ledgers, 'size', { enum: ['small', 'large'] });
      await eventually(async () => {
        const conditions = await binding();
        expect(conditions['SchemaUpdateHeld']).toMatchObject({
          status: 'True',
          reason: 'BreakingSchemaChange',
          message: expect.stringContaining('size'),
        });
        expect(conditions['Ready']?.status).toBe('True');
      }, LONG);
      expect(await servedField(gold, ledgers, 'size')).toEqual(size);
      await eventually(async () => {
        expect(await statusOf(gold, ledgers)).toMatchObject({
          code: 1,
          row: { state: 'Refused', reason: 'BreakingSchemaChange' },
        });
      }, LONG);

      expect(await gold.metrics()).toContain(
        'hawser_konnector_schema_updates_held{binding="ledgers",reason="BreakingSchemaChange"} 1\n',
      );

      const dry = await onConsumer('approve', 'ledgers', '--dry-run');
      expect(dry).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^Would be approved: [0-9a-f]+\n$/u) });
      expect(
        conditionsOf(await gold.plane.client.get(resources.apiServiceBindings, { name: 'ledgers' }))['SchemaUpdateHeld']
          ?.status,
      ).toBe('True');
      expect(
        (await gold.plane.client.get(resources.apiServiceBindings, { name: 'ledgers' })).metadata.annotations,
      ).not.toHaveProperty([hawserAnnotations.schemaApproved]);
      expect(await onConsumer('approve', 'ledgers')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Approved: /u),
      });
      await serves(gold, ledgers, 'size', { enum: ['small', 'large'] });
      await eventually(async () => {
        expect(await binding()).not.toHaveProperty('SchemaUpdateHeld');
      }, LONG);
      await eventually(async () => {
        expect(await statusOf(gold, ledgers)).toMatchObject({ code: 0, row: { state: 'InStep', consumer: 'applied' } });
      }, LONG);
      expect(await gold.metrics()).not.toContain('hawser_konnector_schema_updates_held{');
      expect(await onConsumer('approve', 'ledgers')).toMatchObject({
        code: 1,
        out: expect.stringContaining('Nothing is approved'),
      });
      expect(await onConsumer('status')).toMatchObject({ code: 2 });
    });

    it('when the storage version moves, objects of consumers are stored anew, and the old version may go', async () => {
      const stored = await Promise.all(
        [gold, bronze].map((tenant) => store(tenant, archives, 'one', { size: 'small' })),
      );
      await system().provider.apply(archivesWith(['v1', 'v2'], 'v2'));
      for (const tenant of [gold, bronze]) expect(await held(tenant, archives, 'BreakingSchemaChange')).toContain('v2');
      expect(await hawser('approve', 'archives')).toMatchObject({ code: 0 });
      for (const [at, tenant] of [gold, bronze].entries()) {
        await eventually(
          async () => {
            const { spec, status } = await installed(tenant, archives);
            expect(spec.versions.filter(({ storage }) => storage).map(({ name }) => name)).toEqual(['v2']);
            expect(status?.storedVersions).toEqual(['v2']);
          },
          { ...LONG, timeoutMs: 120_000 },
        );
        const object = await tenant.plane.client.get<ServiceObject>(
          { ...resourceOf(archives), version: 'v2' },
          keyOf('one'),
        );
        expect(object).toMatchObject({ metadata: { uid: stored[at]?.metadata.uid }, spec: { size: 'small' } });
        expect(object.metadata.resourceVersion).not.toBe(stored[at]?.metadata.resourceVersion);
      }
      // The provider has seen to its own objects.
      for (const tenant of [gold, bronze])
        await system().provider.kubectl([
          'annotate',
          nameOf(archives),
          'one',
          '-n',
          `${tenant.clusterNamespace}-${NAMESPACE}`,
          'example.com/touched=true',
        ]);
      await system().provider.client.patch(
        resources.customResourceDefinitions,
        { name: nameOf(archives) },
        { type: 'merge', patch: { status: { storedVersions: ['v2'] } } },
        { subresource: 'status' },
      );
      await system().provider.apply(archivesWith(['v2'], 'v2'));
      for (const tenant of [gold, bronze]) await held(tenant, archives, 'BreakingSchemaChange');
      expect(await hawser('approve', 'archives')).toMatchObject({ code: 0 });
      for (const tenant of [gold, bronze]) {
        await eventually(async () => {
          expect((await installed(tenant, archives)).spec.versions.map(({ name }) => name)).toEqual(['v2']);
        }, LONG);
        expect(
          await tenant.plane.client.get<ServiceObject>({ ...resourceOf(archives), version: 'v2' }, keyOf('one')),
        ).toMatchObject({ spec: { size: 'small' } });
      }
    }, 300_000);
  },
);

/** Several versions of one shape, one of which is stored. */
function archivesWith(names: readonly string[], storage: string): CustomResourceDefinition {
  const crd = crdWith(archives, { size });
  return {
    ...crd,
    spec: {
      ...crd.spec,
      versions: names.flatMap((name) =>
        crd.spec.versions.map((version) => ({ ...version, name, storage: name === storage })),
      ),
    },
  };
}
