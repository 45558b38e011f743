import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import { type APIServiceBinding, type APIServiceExport, klutchDialect } from '@hawser/klutch';
import { resources as kubernetes } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type Ended, runCommand } from './command.js';
import { conditionsOf } from './conditions.js';
import { LONG, type ServiceObject, gone, objectOf, resourceOf } from './copies.js';
import { describeKlutchWorld } from './klutch-suite.js';
import { type KlutchTenant, openKlutchTenant } from './klutch-tenant.js';
import type { KlutchClient } from './klutch-world.js';
import { refusedRequests } from './refused-requests.js';
import { executables } from './roles.js';

const { resources, apiGroup, apiVersion, names } = klutchDialect;
const named = (plural: string, kind: string): SampleApi => ({ ...databases, plural, kind });
const caches = named('caches', 'Cache');
const topics = named('topics', 'Topic');
const volumes = named('volumes', 'Volume');
const crd = ({ plural, group }: SampleApi): string => `${plural}.${group}`;
const NAMESPACE = 'team-a';
const CLUSTER_NAMESPACE = 'cluster-one';

describeKlutchWorld(
  'binding in Klutch from the command line',
  { name: 'klutch-bind', apis: [databases, caches, topics, volumes] },
  (world, it) => {
    let consumer: KlutchClient;
    let tenant: KlutchTenant;
    let kubeconfig: string;
    let secretText: string;

    beforeAll(async () => {
      consumer = await world().onboard(CLUSTER_NAMESPACE);
      kubeconfig = join(world().folder, 'handed-out.kubeconfig');
      writeFileSync(kubeconfig, consumer.kubeconfig, { mode: 0o600 });
      secretText = /token: "?([^"\s]+)/u.exec(consumer.kubeconfig)?.[1] ?? '';
      tenant = await openKlutchTenant(world(), consumer);
      await tenant.plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    }, 240_000);
    afterAll(() => tenant.close(), 60_000);

    const hawser = (...args: readonly string[]): Promise<Ended> => runCommand(executables.hawser, args);
    const onConsumer = (...args: readonly string[]): Promise<Ended> =>
      hawser(...args, `--kubeconfig=${tenant.plane.kubeconfigFile}`);
    const bind = (...args: readonly string[]): Promise<Ended> =>
      onConsumer('bind', `--provider-kubeconfig=${kubeconfig}`, ...args);
    const onProvider = (...args: readonly string[]): Promise<Ended> =>
      hawser('bindings', '--side=provider', `--kubeconfig=${world().plane.kubeconfigFile}`, ...args);
    const bindingOf = (api: SampleApi): Promise<APIServiceBinding | undefined> =>
      tenant.plane.find(resources.apiServiceBindings, { name: crd(api) });
    const exportOf = (api: SampleApi): Promise<APIServiceExport | undefined> =>
      world().plane.find(resources.apiServiceExports, { namespace: CLUSTER_NAMESPACE, name: crd(api) });
    const requestOf = (name: string) =>
      world().plane.find(resources.apiServiceExportRequests, { namespace: CLUSTER_NAMESPACE, name });
    const copyOf = (api: SampleApi, name: string): Promise<ServiceObject | undefined> =>
      world().plane.find(resourceOf(api), { namespace: `${CLUSTER_NAMESPACE}-${NAMESPACE}`, name });
    const inStep = async (api: SampleApi, name: string): Promise<void> => {
      await eventually(() => tenant.plane.apply(objectOf(api, { namespace: NAMESPACE, name })), LONG);
      await eventually(async () => {
        expect((await copyOf(api, name))?.metadata.annotations).toMatchObject({ 'klutch.anynines.com/bound': 'true' });
      }, LONG);
      await world().plane.client.patch(
        resourceOf(api),
        { namespace: `${CLUSTER_NAMESPACE}-${NAMESPACE}`, name },
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
      await eventually(async () => {
        expect(await tenant.plane.find(resourceOf(api), { namespace: NAMESPACE, name })).toMatchObject({
          status: { phase: 'Ready' },
        });
      }, LONG);
    };

    it('a dry run says what would be done, in the words in which the provider knows the consumer, and writes nothing', async () => {
      const audits = [tenant.plane, world().plane].map(({ controlPlane }) => controlPlane!.auditLog());
      const marks = await Promise.all(audits.map((audit) => audit.mark()));
      const dry = await bind('--resource=databases.example.com', '--dry-run');
      expect(dry).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^Dialect: klutch, .*\nWhat the provider claims is known once it has answered/u),
      });
      expect(dry.out).toContain(
        `create APIServiceExportRequest ${CLUSTER_NAMESPACE}/databases.example.com on the provider`,
      );
      expect(dry.out).toContain(`create Secret ${names.konnectorNamespace}/kubeconfig-${CLUSTER_NAMESPACE} with`);
      expect(dry.out).toContain('create APIServiceBinding databases.example.com on the consumer');
      const files = await bind(
        '--resource=databases.example.com',
        '--resource=caches.example.com',
        '--dialect=klutch',
        '--dry-run',
        '--output=yaml',
      );
      expect(
        parseAllDocuments(files.out)
          .map((file) => file.toJS() as { apiVersion: string; kind: string })
          .map((file) => `${file.apiVersion} ${file.kind}`),
      ).toEqual([
        ...['APIServiceExportRequest', 'APIServiceExportRequest'].map((kind) => `${apiVersion} ${kind}`),
        'v1 Secret',
        ...['APIServiceBinding', 'APIServiceBinding'].map((kind) => `${apiVersion} ${kind}`),
      ]);
      expect(dry.out + dry.err + files.out + files.err).not.toContain(secretText);
      const written = await Promise.all(audits.map((audit, at) => audit.writes({ since: marks[at]! })));
      expect(
        written
          .flat()
          .filter(({ resource }) =>
            [
              'secrets',
              'namespaces',
              'apiservicebindings',
              'apiserviceexportrequests',
              'customresourcedefinitions',
            ].includes(resource),
          ),
      ).toEqual([]);
    });

    it('makes no binding before somebody has answered what the provider claims', async () => {
      const asked = await bind('--resource=databases.example.com');
      expect(asked).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          'ClaimsUndecided: For databases.example.com the provider claims secrets (all; in all namespaces; made by the provider), and without a terminal nobody can be asked to accept that',
        ),
      });
      expect(await bindingOf(databases)).toBeUndefined();
      expect(
        (await tenant.plane.client.list(kubernetes.secrets, { namespace: names.konnectorNamespace })).items,
      ).toEqual([]);
      expect(await exportOf(databases)).toBeDefined();
      expect(await bind('--resource=databases.example.com', '--dry-run')).toMatchObject({
        code: 0,
        err: expect.stringContaining('The provider claims secrets (all;'),
      });
    });

    it('binds, waits until it is ready, with objects and claimed Secrets in step, and changes nothing the second time', async () => {
      const done = await bind('--resource=databases.example.com', '--claims=accept');
      expect(done).toMatchObject({
        code: 0,
        out: expect.stringContaining('databases.example.com is bound and ready: databases.example.com.'),
      });
      expect(done.out + done.err).not.toContain(secretText);
      expect(await bindingOf(databases)).toMatchObject({
        apiVersion,
        spec: {
          kubeconfigSecretRef: { namespace: names.konnectorNamespace, name: `kubeconfig-${CLUSTER_NAMESPACE}` },
          permissionClaims: [{ resource: 'secrets', selector: { owner: 'Provider' }, state: 'Accepted' }],
        },
      });
      await inStep(databases, 'orders');
      await world().plane.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'orders-creds', namespace: `${CLUSTER_NAMESPACE}-${NAMESPACE}` },
        stringData: { password: 'x' },
      });
      await eventually(async () => {
        expect(
          await tenant.plane.find(kubernetes.secrets, { namespace: NAMESPACE, name: 'orders-creds' }),
        ).toBeDefined();
      }, LONG);
      const before = (await bindingOf(databases))?.metadata;
      expect(await bind('--resource=databases.example.com')).toMatchObject({
        code: 0,
        out: expect.stringContaining('Everything is there already.'),
      });
      const { code, out } = await bind('--resource=databases.example.com', '-o=json');
      expect([code, JSON.parse(out)]).toEqual([
        0,
        {
          name: 'databases.example.com',
          secret: `kubeconfig-${CLUSTER_NAMESPACE}`,
          resources: ['databases.example.com'],
          result: 'bound',
        },
      ]);
      expect((await bindingOf(databases))?.metadata).toMatchObject({
        uid: before?.uid,
        generation: before?.generation,
      });
    });

    it('makes a binding for each of several resources, on the Secret that is there, and says no to what they claim', async () => {
      const done = await bind('--resource=caches.example.com', '--resource=topics.example.com', '--claims=reject');
      expect(done).toMatchObject({
        code: 0,
        out: expect.stringContaining(
          'caches.example.com, topics.example.com are bound and ready: caches.example.com, topics.example.com.',
        ),
      });
      for (const api of [caches, topics]) {
        expect(await bindingOf(api)).toMatchObject({
          spec: {
            kubeconfigSecretRef: { name: `kubeconfig-${CLUSTER_NAMESPACE}` },
            permissionClaims: [{ resource: 'secrets', state: 'Rejected' }],
          },
        });
        await inStep(api, 'orders');
      }
      expect(
        (await tenant.plane.client.list(kubernetes.secrets, { namespace: names.konnectorNamespace })).items,
      ).toHaveLength(1);
    });

    it('refuses what Klutch has no place for, and what would take something from somebody else, and says who must act', async () => {
      expect(await bind('--resource=volumes.example.com', '--name=volumes')).toMatchObject({
        code: 2,
        err: expect.stringContaining('have the name of their CRD'),
      });
      expect(await bind('--resource=volumes.example.com/v1')).toMatchObject({
        code: 2,
        err: expect.stringContaining('every version that its CRD serves'),
      });
      const operator = await onConsumer(
        'bind',
        '--resource=volumes.example.com',
        `--operator-kubeconfig=${world().plane.kubeconfigFile}`,
      );
      expect(operator).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /OnboardingUnsupported: Klutch has no BindableResourcesRequest.*Who acts: the provider/u,
        ),
      });
      expect(await bind('--template=volumes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Name the resources by --resource'),
      });
      await tenant.plane.apply(sampleCrd(volumes));
      expect(await bind('--resource=volumes.example.com', '--claims=accept')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/ForeignCRD: .*volumes\.example\.com.*Who acts: the operator/u),
      });
      expect(await requestOf('volumes.example.com')).toBeUndefined();
      await tenant.plane.kubectl(['delete', 'crd', crd(volumes)]);
    });

    it('says while it waits why the provider does not answer', async () => {
      const waiting = await bind('--resource=clusterroles.rbac.authorization.k8s.io', '--timeout=3s');
      expect(waiting).toMatchObject({
        code: 1,
        out: expect.stringContaining('NotOffered: '),
        err: expect.stringMatching(
          /Gave up waiting for the provider to answer .*NotOffered: No template of the provider offers/u,
        ),
      });
      expect(
        await bindingOf({ ...databases, plural: 'clusterroles', group: 'rbac.authorization.k8s.io' }),
      ).toBeUndefined();
    });

    it('binds what a template offers, where the credential may read templates', async () => {
      await world().plane.apply(
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'catalogue' },
          rules: [
            {
              apiGroups: [resources.apiServiceExportTemplates.group],
              resources: ['apiserviceexporttemplates'],
              verbs: ['list'],
            },
          ],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'catalogue' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'catalogue' },
          subjects: [{ kind: 'ServiceAccount', name: names.binder, namespace: CLUSTER_NAMESPACE }],
        },
      );
      await eventually(async () => {
        expect(await bind('--template=nothing')).toMatchObject({
          code: 1,
          err: expect.stringContaining('TemplateNotFound: '),
        });
      }, LONG);
      expect(await bind('--template=default/volumes', '--claims=reject')).toMatchObject({
        code: 0,
        out: expect.stringContaining('volumes.example.com is bound and ready'),
      });
    });

    it('bindings tells both sides, doctor finds nothing, and the credential of the consumer was enough', async () => {
      await eventually(async () => {
        expect(await onConsumer('bindings')).toMatchObject({
          code: 0,
          out: expect.stringMatching(
            /^NAME .*\ncaches\.example\.com +inStep .*1\/1\ndatabases\.example\.com +inStep /u,
          ),
        });
      }, LONG);
      await eventually(async () => {
        expect(await onProvider()).toMatchObject({
          // A request that was refused above still stands.
          code: 1,
          out: expect.stringMatching(
            /^NAMESPACE +DIALECT .*\ncluster-one +klutch +\S+ +waits .* caches\.example\.com,clusterroles\.\S+,databases\.example\.com,topics\.example\.com,volumes\.example\.com +- +NotOffered: .*\n$/u,
          ),
        });
      }, LONG);
      expect(JSON.parse((await onProvider('-o=json', '--dialect=klutch')).out)).toMatchObject({
        consumers: [
          {
            dialect: 'klutch',
            namespace: CLUSTER_NAMESPACE,
            health: 'waits',
            lastContact: expect.any(String),
            bindings: expect.arrayContaining([
              expect.objectContaining({
                name: 'caches.example.com',
                resources: ['caches.example.com'],
                health: 'works',
              }),
            ]),
          },
        ],
      });
      expect(await onProvider('--dialect=kube-bind')).toMatchObject({ code: 0, out: 'There are no consumers.\n' });
      expect(await onConsumer('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('Nobody has to act.') });
      // That it is not a consumer of kube-bind it may not even know; and that other exports use a namespace, too, the provider knows without being told.
      const optional = [
        `get clusterbindings.kube-bind.io/ cluster in ${CLUSTER_NAMESPACE}`,
        `patch apiservicenamespaces.${apiGroup}/ ${NAMESPACE} in ${CLUSTER_NAMESPACE}`,
      ];
      expect(
        await refusedRequests(world().plane, `system:serviceaccount:${CLUSTER_NAMESPACE}:${names.binder}`, optional),
      ).toEqual([]);
    });

    it('unbinds and takes the request back, and what is bound again is in step again', async () => {
      expect(await onConsumer('unbind', crd(topics))).toMatchObject({
        code: 0,
        out: expect.stringContaining('topics.example.com is unbound.'),
      });
      await gone(() => bindingOf(topics));
      await gone(() => requestOf(crd(topics)));
      await gone(() => tenant.plane.find(kubernetes.customResourceDefinitions, { name: crd(topics) }));
      expect((await copyOf(topics, 'orders'))?.metadata.deletionTimestamp).toBeUndefined();
      await eventually(async () => {
        expect((await exportOf(topics))?.metadata.annotations).toMatchObject({ 'hawser.dev/withdrawn': 'Unbound' });
      }, LONG);
      expect(await onProvider()).toMatchObject({ out: expect.stringContaining('topics.example.com (ended)') });
      expect(await bind(`--resource=${crd(topics)}`, '--claims=reject')).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^Dialect: klutch[^\n]*\n$/u),
      });
      await eventually(async () => {
        expect(conditionsOf(await exportOf(topics))).not.toHaveProperty('Unbound');
      }, LONG);
      await inStep(topics, 'again');
    });
  },
);
