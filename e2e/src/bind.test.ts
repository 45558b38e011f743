import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consumerRoles } from '@hawser/exportrbac';
import { type SampleApi, databases, onboardConsumer, sampleCrd } from '@hawser/installation';
import { fixedNames, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { beforeAll, expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type Ended, runCommand } from './command.js';
import { LONG, copyKey, createNamespace, gone, objectOf, resourceOf, synced } from './copies.js';
import { describeSystem } from './suite.js';
import { type BoundApi, executables, prefixed, ready } from './system.js';

const NAMESPACE = 'team-a';
const volumes: SampleApi = { ...databases, plural: 'volumes', kind: 'Volume' };
const topics: SampleApi = { ...databases, plural: 'topics', kind: 'Topic' };

describeSystem(
  'binding from the command line',
  () => ({ name: 'bind', resources: [databases, volumes, topics] }),
  (system, it) => {
    const clusterNamespace = 'kube-bind-bind';
    const bound: BoundApi = { ...prefixed, name: 'databases', clusterNamespace, kubeconfig: '' };
    let providerKubeconfig: string;
    let secretText: string;

    beforeAll(async () => {
      await system().provideIn(prefixed);
      await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      const { provider, folder } = system();
      await provider.apply(
        ...consumerRoles(
          [databases, volumes, topics].map(({ group, plural }) => ({ group, resource: plural })),
          kubeBindDialect,
        ),
      );
      await provider.apply(sampleCrd(databases), sampleCrd(volumes), sampleCrd(topics));
      for (const api of [databases, volumes, topics])
        await provider.kubectl([
          'wait',
          '--for=condition=Established',
          `crd/${api.plural}.${api.group}`,
          '--timeout=60s',
        ]);
      const { kubeconfig } = await onboardConsumer({
        provider: provider.client,
        connection: provider.podsConnection,
        clusterNamespace,
        prettyName: 'Databases',
        apis: [databases, volumes],
      });
      providerKubeconfig = join(folder, 'handed-out.kubeconfig');
      writeFileSync(providerKubeconfig, kubeconfig, { mode: 0o600 });
      secretText = /token: (\S+)/u.exec(kubeconfig)?.[1] ?? '';
    }, 240_000);

    const hawser = (...args: readonly string[]): Promise<Ended> => runCommand(executables.hawser, args);
    const onConsumer = (...args: readonly string[]): Promise<Ended> =>
      hawser(...args, `--kubeconfig=${system().consumer.kubeconfigFile}`);
    const bind = (...args: readonly string[]): Promise<Ended> =>
      onConsumer('bind', `--provider-kubeconfig=${providerKubeconfig}`, ...args);

    it.ownClusters('a dry run says what would be done, and writes nothing', async () => {
      const audits = (['consumer', 'provider'] as const).map((side) => system()[side].controlPlane!.auditLog());
      const marks = await Promise.all(audits.map((audit) => audit.mark()));
      const dry = await bind('--resource=databases.example.com/v1', '--dry-run');
      expect(dry).toMatchObject({ code: 0, err: '' });
      expect(dry.out).toContain(`create APIServiceExportRequest ${clusterNamespace}/databases on the provider`);
      expect(dry.out).toContain('create APIServiceBinding databases on the consumer');
      const files = await bind('--resource=databases.example.com/v1', '--dry-run', '--output=yaml');
      expect(parseAllDocuments(files.out).map((file) => (file.toJS() as { kind: string }).kind)).toEqual([
        'APIServiceExportRequest',
        'Secret',
        'APIServiceBinding',
      ]);
      expect(dry.out + dry.err + files.out + files.err).not.toContain(secretText);
      const written = await Promise.all(audits.map((audit, at) => audit.writes({ since: marks[at]! })));
      expect(
        written
          .flat()
          .filter(({ resource }) =>
            ['secrets', 'apiservicebindings', 'apiserviceexportrequests', 'customresourcedefinitions'].includes(
              resource,
            ),
          ),
      ).toEqual([]);
    });

    it('binds, waits until it is ready, and changes nothing the second time', async () => {
      const done = await bind('--resource=databases.example.com/v1');
      expect(done).toMatchObject({ code: 0 });
      expect(done.out).toContain('databases is bound and ready: databases.example.com.');
      expect(done.out + done.err).not.toContain(secretText);
      await ready(system(), 'databases');
      await system().consumer.apply(objectOf(databases, { namespace: NAMESPACE, name: 'orders' }));
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: 'orders' });
      const uid = (await system().consumer.find(resources.apiServiceBindings, { name: 'databases' }))?.metadata.uid;
      expect(await bind('--resource=databases.example.com/v1', '--output=json')).toMatchObject({
        code: 0,
        out: expect.stringContaining('"result":"bound"'),
      });
      expect((await system().consumer.find(resources.apiServiceBindings, { name: 'databases' }))?.metadata.uid).toBe(
        uid,
      );
    });

    it('refuses what would take something from somebody else, says who must act, and writes nothing for it', async () => {
      const taken = await bind('--resource=databases.example.com/v1', '--name=again');
      expect(taken).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^ResourceBound: .*APIServiceBinding "databases".*Who acts: the operator/u),
      });
      expect(
        await system().provider.find(resources.apiServiceExportRequests, {
          namespace: clusterNamespace,
          name: 'again',
        }),
      ).toBeUndefined();
      expect(await bind('--resource=volumes.example.com/v1', '--name=databases')).toMatchObject({
        code: 1,
        err: expect.stringContaining('ExportDiffers: '),
      });
      const newer = await bind('--resource=databases.example.com/v2', '--output=json');
      expect(newer).toMatchObject({
        code: 1,
        err: expect.stringContaining('exports databases.example.com/v1, not databases.example.com/v2;'),
      });
      expect(JSON.parse(newer.out)).toMatchObject({
        name: 'databases',
        result: 'refused',
        refusals: [{ reason: 'ExportDiffers', actor: 'consumer' }],
      });
      expect(await bind('--template=nope')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/apiserviceexporttemplates|TemplateNotFound/u),
      });
    });

    it('takes up the same Secret for a second binding of the same provider', async () => {
      expect(await bind('--resource=volumes.example.com/v1')).toMatchObject({ code: 0 });
      const second = await system().consumer.find(resources.apiServiceBindings, { name: 'volumes' });
      expect(second).toMatchObject({
        spec: { kubeconfigSecretRef: { namespace: fixedNames.konnectorNamespace, name: 'kubeconfig-databases' } },
      });
    });

    it('bindings and doctor tell both sides', async () => {
      await eventually(async () => {
        expect(await onConsumer('bindings')).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^NAME .*\ndatabases +inStep .*1\/1\nvolumes +inStep .*0\/0/u),
        });
      }, LONG);
      const provider = await hawser(
        'bindings',
        '--side=provider',
        `--kubeconfig=${system().provider.kubeconfigFile}`,
        '-o',
        'json',
      );
      expect(JSON.parse(provider.out)).toMatchObject({
        consumers: [
          {
            namespace: clusterNamespace,
            health: 'works',
            lastContact: expect.any(String),
            bindings: [{ name: 'databases', resources: ['databases.example.com'] }, { name: 'volumes' }],
          },
        ],
      });
      const doctor = await onConsumer('doctor');
      expect(doctor.out).toContain('Nobody has to act.');
      expect(doctor).toMatchObject({ code: 0, err: '' });
      for (const area of [
        'secret',
        'connection',
        'clock',
        'version',
        'rights',
        'schema',
        'namespaces',
        'objects',
        'provider',
      ])
        expect(doctor.out).toContain(`${area}\n  [ok]`);
    });

    it('doctor finds what is wrong and whom to ask', async () => {
      const { consumer } = system();
      const namespace = fixedNames.konnectorNamespace;
      await consumer.kubectl([
        'create',
        'secret',
        'generic',
        'garbage',
        '-n',
        namespace,
        '--from-literal=kubeconfig=not-a-kubeconfig',
      ]);
      await consumer.apply({
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceBinding',
        metadata: { name: 'broken' },
        spec: { kubeconfigSecretRef: { namespace, name: 'garbage', key: 'kubeconfig' } },
      });
      const doctor = await onConsumer('doctor', '--binding=broken', '-o', 'json');
      expect(doctor).toMatchObject({ code: 1, err: '' });
      expect(JSON.parse(doctor.out)).toMatchObject({
        healthy: false,
        examinations: expect.arrayContaining([
          expect.objectContaining({
            area: 'secret',
            subject: `Secret ${namespace}/garbage`,
            state: 'failed',
            actor: 'consumer',
            message: expect.stringMatching(/^KubeconfigSecretInvalid: /u),
          }),
          expect.objectContaining({ area: 'connection', state: 'unknown' }),
        ]),
      });
      expect(doctor.out).not.toContain('not-a-kubeconfig');
      expect(await bind('--resource=volumes.example.com/v1', '--secret=garbage')).toMatchObject({
        code: 1,
        err: expect.stringContaining('SecretTaken: '),
      });
      expect(await onConsumer('unbind', 'broken', '--delete-secret')).toMatchObject({ code: 0 });
      expect(await consumer.find(resources.secrets, { namespace, name: 'garbage' })).toBeUndefined();
    });

    it('unbinds under the policy that is asked for, and takes the request back', async () => {
      const copy = { ...copyKey(bound, { namespace: NAMESPACE, name: 'orders' }) };
      expect((await onConsumer('unbind', 'databases', '--policy=Delete', '--dry-run')).out).toContain(
        'under policy Delete',
      );
      expect(await onConsumer('unbind', 'databases', '--policy=Delete')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Nobody can be asked here'),
      });
      expect(await system().consumer.find(resources.apiServiceBindings, { name: 'databases' })).toBeDefined();
      const done = await onConsumer('unbind', 'databases');
      expect(done).toMatchObject({ code: 0 });
      expect(done.out).toContain('databases is unbound.');
      expect(await system().consumer.find(resources.apiServiceBindings, { name: 'databases' })).toBeUndefined();
      await gone(() =>
        system().provider.find(resources.apiServiceExportRequests, { namespace: clusterNamespace, name: 'databases' }),
      );
      expect((await system().provider.find(resourceOf(databases), copy))?.metadata.deletionTimestamp).toBeUndefined();
      expect(await onConsumer('unbind', 'databases')).toMatchObject({
        code: 1,
        err: expect.stringContaining('BindingNotFound'),
      });
      expect(await onConsumer('unbind', 'databases', '--dry-run')).toMatchObject({
        code: 1,
        out: expect.stringContaining('Nothing would be done.'),
      });
      const refused = await onConsumer('unbind', 'databases', '-o', 'json');
      expect(JSON.parse(refused.out)).toMatchObject({ result: 'refused', refusals: [{ reason: 'BindingNotFound' }] });
    });

    it('binds again what was unbound: the provider is asked anew, and objects are in step', async () => {
      expect(await bind('--resource=databases.example.com/v1')).toMatchObject({
        code: 0,
        out: expect.stringContaining('create APIServiceExportRequest'),
      });
      await ready(system(), 'databases');
      // The consumer's objects went with the CRD; the copy stayed, and is taken up again.
      await system().consumer.apply(
        objectOf(databases, { namespace: NAMESPACE, name: 'orders' }),
        objectOf(databases, { namespace: NAMESPACE, name: 'second' }),
      );
      for (const name of ['orders', 'second']) await synced(system(), bound, databases, { namespace: NAMESPACE, name });
      expect(await onConsumer('unbind', 'databases')).toMatchObject({
        code: 0,
        out: expect.stringContaining('databases is unbound.'),
      });
      expect(
        await system().consumer.find(resources.customResourceDefinitions, { name: 'databases.example.com' }),
      ).toBeUndefined();
    });

    it('asks before it deletes, also where the binding is going already under a policy that keeps', async () => {
      const { consumer } = system();
      const key = { namespace: NAMESPACE, name: 'disk' };
      await consumer.apply(objectOf(volumes, key));
      await synced(system(), { ...bound, name: 'volumes' }, volumes, key);
      expect(await onConsumer('unbind', 'volumes', '--policy=Block', '--timeout=3s')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Gave up waiting'),
      });
      expect(
        (await consumer.find(resources.apiServiceBindings, { name: 'volumes' }))?.metadata.deletionTimestamp,
      ).toBeDefined();
      expect(await onConsumer('unbind', 'volumes', '--policy=Delete')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Nobody can be asked here'),
      });
      expect((await consumer.find(resourceOf(volumes), key))?.metadata.deletionTimestamp).toBeUndefined();
      // The user deletes it, and the command goes on from there.
      await consumer.client.delete(resourceOf(volumes), key);
      expect(await onConsumer('unbind', 'volumes')).toMatchObject({ out: expect.not.stringContaining('Gave up') });
      await gone(() => consumer.find(resources.apiServiceBindings, { name: 'volumes' }));
    });

    it('an operator of the provider takes the consumer on, and binds what a template has, with one command', async () => {
      const { consumer, provider } = system();
      await provider.apply({
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExportTemplate',
        metadata: { name: 'topics' },
        spec: { scope: 'Namespaced', resources: [{ group: topics.group, resource: topics.plural, versions: ['v1'] }] },
      });
      const command = [
        'bind',
        '--template=topics',
        `--operator-kubeconfig=${provider.kubeconfigFile}`,
        '--pretty-name=Team A',
      ];
      const dry = await onConsumer(...command, '--dry-run');
      expect(dry).toMatchObject({
        code: 0,
        out: expect.stringContaining('create BindableResourcesRequest default/bind-'),
      });
      const asFiles = await onConsumer(...command, '--dry-run', '--output=yaml');
      expect(asFiles).toMatchObject({
        code: 0,
        out: expect.stringMatching(
          /^---\n# on the provider\napiVersion: kube-bind\.io\/v1alpha2\nkind: BindableResourcesRequest\n/u,
        ),
      });
      expect(JSON.parse((await onConsumer(...command, '--dry-run', '--output=json')).out)).toEqual({
        steps: [expect.stringContaining('create BindableResourcesRequest default/bind-')],
      });
      expect((await provider.client.list(resources.bindableResourcesRequests)).items).toEqual([]);
      const done = await onConsumer(...command);
      expect(done.err).toBe('');
      expect(done).toMatchObject({
        code: 0,
        out: expect.stringContaining('topics is bound and ready: topics.example.com.'),
      });
      expect(await onConsumer(...command)).toMatchObject({
        code: 0,
        out: expect.stringContaining('Everything is there already.'),
      });
      const { uid } = (await consumer.client.get(resources.namespaces, { name: 'kube-system' })).metadata;
      const own = (await provider.client.list(resources.namespaces)).items.filter(
        ({ metadata }) => metadata.annotations?.['backend.kube-bind.io/identity'] === uid,
      );
      expect(own).toHaveLength(1);
      await consumer.apply(objectOf(topics, { namespace: NAMESPACE, name: 'news' }));
      await synced(system(), { ...bound, name: 'topics', clusterNamespace: own[0]!.metadata.name }, topics, {
        namespace: NAMESPACE,
        name: 'news',
      });
      const bindings = await hawser('bindings', '--side=provider', `--kubeconfig=${provider.kubeconfigFile}`);
      expect(bindings.out).toMatch(/ Team A .* topics/u);
    });
  },
);
