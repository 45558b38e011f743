import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from '@jest/globals';
import { parse, stringify } from '@hawser/json';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import { type CustomResourceDefinition, fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { conditionsOf } from './conditions.js';
import {
  LONG,
  type ServiceObject,
  binding,
  copyKey,
  createNamespace,
  gone,
  objectOf,
  resourceOf,
  synced,
} from './copies.js';
import { changed } from './kubeconfigs.js';
import { describeSystem } from './suite.js';
import { type BoundApi, prefixed, ready } from './system.js';

const NAMESPACE = 'team-a';
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
const named = (plural: string, kind: string): SampleApi => ({ ...databases, plural, kind });

describeSystem(
  'what is wrong is refused in words, and disturbs nobody',
  () => ({ name: 'bad-input' }),
  (system, it) => {
    let bound: BoundApi;
    let prefixedZones: BoundApi;

    beforeAll(async () => {
      await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      prefixedZones = await system().bind({
        name: 'zones',
        apis: [zones],
        mode: { isolation: 'Prefixed', informerScope: 'Cluster' },
      });
      bound = await system().bind({ name: 'databases', apis: [databases] });
      for (const name of ['zones', 'databases']) await ready(system(), name);
      await eventually(() => system().consumer.client.list(resourceOf(databases), { limit: 1 }), LONG);
    }, 240_000);

    const create = async (api: SampleApi, name: string, spec?: Readonly<Record<string, unknown>>): Promise<void> => {
      await system().consumer.client.create(resourceOf(api), objectOf(api, { namespace: NAMESPACE, name }, spec));
    };
    const neighbourWorks = async (name: string): Promise<void> => {
      await create(databases, name);
      await synced(system(), bound, databases, { namespace: NAMESPACE, name });
    };
    const problemReported = async (name: string, object: string, reason: string): Promise<string> =>
      eventually(async () => {
        const condition = conditionsOf(await binding(system(), name))['ObjectsInSync'];
        expect(condition).toMatchObject({ status: 'False' });
        expect(condition?.message).toContain(`${object}: ${reason}`);
        return condition?.message ?? '';
      }, LONG);

    it('a kubeconfig that cannot be used is refused with the reason', async () => {
      const evidence = join(system().folder, 'a-program-ran');
      const good = bound.kubeconfig;
      const cases: readonly {
        readonly name: string;
        readonly kubeconfig: string | undefined;
        readonly key?: string;
        readonly message: RegExp;
      }[] = [
        { name: 'missing', kubeconfig: undefined, message: /does not exist/u },
        { name: 'no-key', kubeconfig: good, key: 'config', message: /no such key/u },
        { name: 'not-yaml', kubeconfig: '{ not yaml', message: /YAML/u },
        { name: 'empty', kubeconfig: '', message: /empty/iu },
        {
          name: 'no-context',
          kubeconfig: changed(good, (config) => {
            delete config['current-context'];
          }),
          message: /current-context/u,
        },
        {
          name: 'no-namespace',
          kubeconfig: changed(good, ({ contexts }) => {
            delete contexts[0]!.context['namespace'];
          }),
          message: /no namespace/u,
        },
        {
          name: 'exec',
          kubeconfig: changed(good, ({ users }) => {
            users[0]!.user = {
              exec: {
                apiVersion: 'client.authentication.k8s.io/v1',
                command: 'touch',
                args: [evidence],
                interactiveMode: 'Never',
              },
            };
          }),
          message: /runs a program/u,
        },
        {
          name: 'token-file',
          kubeconfig: changed(good, ({ users }) => {
            users[0]!.user = { tokenFile: '/etc/hostname' };
          }),
          message: /names a file \(tokenFile\)/u,
        },
        {
          name: 'key-file',
          kubeconfig: changed(good, ({ users }) => {
            users[0]!.user = { 'client-certificate': '/etc/hostname', 'client-key': '/etc/hostname' };
          }),
          message: /names a file/u,
        },
        {
          name: 'ca-file',
          kubeconfig: changed(good, ({ clusters }) => {
            clusters[0]!.cluster['certificate-authority'] = '/etc/hostname';
          }),
          message: /names a file \(certificate-authority\)/u,
        },
        {
          name: 'http',
          kubeconfig: changed(good, ({ clusters }) => {
            clusters[0]!.cluster['server'] = 'http://127.0.0.1:6443';
          }),
          message: /not an https address/u,
        },
        {
          name: 'unverified',
          kubeconfig: changed(good, ({ clusters }) => {
            clusters[0]!.cluster['insecure-skip-tls-verify'] = true;
          }),
          message: /insecure-skip-tls-verify/u,
        },
      ];
      await system().consumer.apply(
        ...cases.flatMap(({ name, kubeconfig, key = 'kubeconfig' }) => [
          ...(kubeconfig === undefined
            ? []
            : [
                {
                  apiVersion: 'v1',
                  kind: 'Secret',
                  metadata: { name: `bad-${name}`, namespace: fixedNames.konnectorNamespace },
                  data: { [key]: Buffer.from(kubeconfig).toString('base64') },
                },
              ]),
          {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceBinding',
            metadata: { name: `bad-${name}` },
            spec: {
              kubeconfigSecretRef: { namespace: fixedNames.konnectorNamespace, name: `bad-${name}`, key: 'kubeconfig' },
            },
          },
        ]),
      );
      for (const { name, message } of cases) {
        await eventually(async () => {
          const conditions = conditionsOf(await binding(system(), `bad-${name}`));
          expect({ name, ...conditions['SecretValid'] }).toMatchObject({
            name,
            status: 'False',
            reason: name === 'missing' ? 'KubeconfigSecretNotFound' : 'KubeconfigSecretInvalid',
          });
          expect({ name, message: conditions['SecretValid']?.message }).toEqual({
            name,
            message: expect.stringMatching(message),
          });
          expect(conditions['Ready']?.status).toBe('False');
        }, LONG);
      }
      await neighbourWorks('beside-bad-kubeconfigs');
      expect(existsSync(evidence)).toBe(false);
      await system().consumer.kubectl([
        'delete',
        'apiservicebindings',
        ...cases.map(({ name }) => `bad-${name}`),
        '--timeout=60s',
      ]);
    });

    it('an object that the provider refuses is reported with its words, and recovers', async () => {
      // The provider knows a rule that the consumer's CRD does not have.
      await system().provider.apply(
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicy',
          metadata: { name: 'no-large' },
          spec: {
            matchConstraints: {
              resourceRules: [
                {
                  apiGroups: ['example.com'],
                  apiVersions: ['v1'],
                  operations: ['CREATE', 'UPDATE'],
                  resources: ['databases'],
                },
              ],
            },
            validations: [{ expression: "object.spec.size != 'large'", message: 'large ones are sold out' }],
          },
        },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicyBinding',
          metadata: { name: 'no-large' },
          spec: { policyName: 'no-large', validationActions: ['Deny'] },
        },
      );
      const probeKey = { namespace: `${bound.clusterNamespace}-${NAMESPACE}`, name: 'probe' };
      // The policy counts only after a moment.
      await eventually(async () => {
        await expect(
          system().provider.client.create(resourceOf(databases), objectOf(databases, probeKey, { size: 'large' }), {
            dryRun: true,
          }),
        ).rejects.toThrow('sold out');
      }, LONG);
      await create(databases, 'refused', { size: 'large' });
      expect(await problemReported('databases', 'team-a/refused', 'RejectedByProvider')).toContain(
        'large ones are sold out',
      );
      await eventually(async () => {
        expect(
          await system().consumer.kubectl([
            'get',
            'events',
            '-n',
            NAMESPACE,
            '--field-selector=involvedObject.name=refused',
            '-o',
            'jsonpath={.items[*].message}',
          ]),
        ).toContain('sold out');
      }, LONG);
      await neighbourWorks('beside-refused');
      await system().consumer.client.patch(
        resourceOf(databases),
        { namespace: NAMESPACE, name: 'refused' },
        { type: 'merge', patch: { spec: { size: 'small' } } },
      );
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: 'refused' });
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'databases'))['ObjectsInSync']?.status).toBe('True');
      }, LONG);
      await system().provider.kubectl([
        'delete',
        'validatingadmissionpolicybinding,validatingadmissionpolicy',
        'no-large',
      ]);
    });

    it('a quota that is used up is reported with its words, and recovers', async () => {
      const namespace = `${bound.clusterNamespace}-${NAMESPACE}`;
      const counts = (hard: string): object => ({
        status: { hard: { 'count/databases.example.com': hard }, used: { 'count/databases.example.com': '0' } },
      });
      await system().provider.apply({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few', namespace },
        spec: { hard: { 'count/databases.example.com': '0' } },
      });
      // No controller counts here.
      await system().provider.client.patch(
        quotas,
        { namespace, name: 'few' },
        { type: 'merge', patch: counts('0') },
        { subresource: 'status' },
      );
      await eventually(async () => {
        await expect(
          system().provider.client.create(resourceOf(databases), objectOf(databases, { namespace, name: 'probe' }), {
            dryRun: true,
          }),
        ).rejects.toThrow('exceeded quota');
      }, LONG);
      await create(databases, 'over-quota');
      expect(await problemReported('databases', 'team-a/over-quota', 'ForbiddenByProvider')).toMatch(
        /exceeded quota: few.*raise the quota/u,
      );
      await system().provider.client.delete(quotas, { namespace, name: 'few' });
      await eventually(() => synced(system(), bound, databases, { namespace: NAMESPACE, name: 'over-quota' }), {
        timeoutMs: 120_000,
        intervalMs: 200,
      });
    }, 240_000);

    it('a right that is missing is named, with the side that has to grant it', async () => {
      const tables = named('tables', 'Table');
      const late = await system().bind({ name: 'tables', apis: [tables] });
      await ready(system(), 'tables');
      const role = `kube-binder-exports-${late.clusterNamespace}`;
      const rules = (verbs: readonly string[]): object => ({
        rules: [{ apiGroups: ['example.com'], resources: ['tables'], verbs }],
      });
      await system().provider.client.patch(
        resources.clusterRoles,
        { name: role },
        { type: 'merge', patch: rules(['get', 'list', 'watch']) },
      );
      await eventually(() => create(tables, 'unauthorised'), LONG);
      const message = await problemReported('tables', 'team-a/unauthorised', 'ForbiddenByProvider');
      expect(message).toMatch(
        /Cannot create tables\.example\.com in namespace "kube-bind-tables-team-a" on the provider/u,
      );
      expect(message).toContain(
        'The provider must grant this right: `hawser rbac --roles provider | kubectl apply -f -`',
      );
      await neighbourWorks('beside-unauthorised');
      await system().provider.client.patch(
        resources.clusterRoles,
        { name: role },
        { type: 'merge', patch: rules(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']) },
      );
      await eventually(() => synced(system(), late, tables, { namespace: NAMESPACE, name: 'unauthorised' }), {
        timeoutMs: 120_000,
        intervalMs: 200,
      });
    }, 240_000);

    it('a resource without status subresource is synced all the same', async () => {
      const plain = named('plains', 'Plain');
      const crd = sampleCrd(plain);
      const withoutStatus: CustomResourceDefinition = {
        ...crd,
        spec: {
          ...crd.spec,
          versions: crd.spec.versions.map(
            (version) =>
              Object.fromEntries(
                Object.entries(version).filter(([field]) => field !== 'subresources'),
              ) as unknown as typeof version,
          ),
        },
      };
      const plains = await system().bind({ name: 'plains', apis: [plain], crds: [withoutStatus] });
      await ready(system(), 'plains');
      await eventually(() => create(plain, 'one'), LONG);
      const key = { namespace: NAMESPACE, name: 'one' };
      await synced(system(), plains, plain, key);
      await system().provider.client.patch(resourceOf(plain), copyKey(plains, key), {
        type: 'merge',
        patch: { status: { phase: 'Ready' } },
      });
      await eventually(async () => {
        expect((await system().consumer.client.get<ServiceObject>(resourceOf(plain), key)).status).toEqual({
          phase: 'Ready',
        });
      }, LONG);
      await system().consumer.client.patch(resourceOf(plain), key, {
        type: 'merge',
        patch: { spec: { size: 'large' } },
      });
      await eventually(async () => {
        const copy = await system().provider.client.get<ServiceObject>(resourceOf(plain), copyKey(plains, key));
        expect(copy).toMatchObject({ spec: { size: 'large' }, status: { phase: 'Ready' } });
      }, LONG);
    });

    it('a CRD of somebody else is refused and untouched; the refusal clears when it goes', async () => {
      const foreign = named('taken', 'Taken');
      const own = { ...sampleCrd(foreign), metadata: { name: 'taken.example.com', labels: { mine: 'yes' } } };
      await system().consumer.apply(own);
      await system().consumer.kubectl([
        'wait',
        '--for=condition=Established',
        'crd/taken.example.com',
        '--timeout=60s',
      ]);
      await system().consumer.client.create(
        resourceOf(foreign),
        objectOf(foreign, { namespace: NAMESPACE, name: 'private' }),
      );
      const late = await system().bind({ name: 'taken', apis: [foreign] });
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'taken'))['Connected']).toMatchObject({
          status: 'False',
          reason: 'ForeignCustomResourceDefinition',
        });
      }, LONG);
      const crd = await system().consumer.client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: 'taken.example.com',
      });
      expect(crd.metadata.ownerReferences).toBeUndefined();
      expect(crd.metadata.labels).toEqual({ mine: 'yes' });
      expect((await system().provider.client.list(resourceOf(foreign))).items).toEqual([]);
      await system().consumer.kubectl(['delete', 'crd', 'taken.example.com', '--timeout=60s']);
      await ready(system(), 'taken');
      await eventually(() => create(foreign, 'shared'), LONG);
      await synced(system(), late, foreign, { namespace: NAMESPACE, name: 'shared' });
    });

    it('of two bindings for one resource, the one that owns the CRD keeps it and the other names it', async () => {
      const rival = await system().bind({ name: 'rival', apis: [databases] });
      await eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'rival'))['Connected'];
        expect(condition).toMatchObject({ status: 'False', reason: 'ForeignCustomResourceDefinition' });
        expect(condition?.message).toContain('databases');
      }, LONG);
      await neighbourWorks('one-owner');
      expect(
        (
          await system().provider.client.list(resourceOf(databases), {
            namespace: `${rival.clusterNamespace}-${NAMESPACE}`,
          })
        ).items,
      ).toEqual([]);
      expect(
        await system().provider.find(resources.apiServiceNamespaces, {
          namespace: rival.clusterNamespace,
          name: NAMESPACE,
        }),
      ).toBeUndefined();
      await ready(system(), 'databases');
    });

    it('a resource of an export whose BoundSchema is missing is reported; the others keep syncing', async () => {
      const [left, right] = [named('lefts', 'Left'), named('rights', 'Right')] as const;
      const both = await system().bind({ name: 'both', apis: [left, right] });
      await ready(system(), 'both');
      await eventually(() => create(left, 'one'), LONG);
      await synced(system(), both, left, { namespace: NAMESPACE, name: 'one' });
      // Else the provider's controllers might bring it back.
      await system().stopProviding();
      await system().provider.client.delete(resources.boundSchemas, {
        namespace: both.clusterNamespace,
        name: 'rights.example.com',
      });
      await eventually(async () => {
        const condition = conditionsOf(await binding(system(), 'both'))['Connected'];
        expect(condition).toMatchObject({ status: 'False', reason: 'BoundSchemaFetchFailed' });
        expect(condition?.message).toContain('rights.example.com');
      }, LONG);
      await create(left, 'two');
      await synced(system(), both, left, { namespace: NAMESPACE, name: 'two' });
      await system().provideIn(prefixed);
    });

    it('a CRD that the consumer refuses is reported in its words; the other resources of the export and other bindings keep syncing', async () => {
      const [wanted, forbidden] = [named('welcomes', 'Welcome'), named('unwelcomes', 'Unwelcome')] as const;
      const policy = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'only-described' } };
      await system().consumer.apply(
        {
          ...policy,
          kind: 'ValidatingAdmissionPolicy',
          spec: {
            matchConstraints: {
              resourceRules: [
                {
                  apiGroups: ['apiextensions.k8s.io'],
                  apiVersions: ['v1'],
                  operations: ['CREATE', 'UPDATE'],
                  resources: ['customresourcedefinitions'],
                },
              ],
            },
            validations: [
              {
                expression:
                  "object.metadata.name != 'unwelcomes.example.com' || has(object.spec.versions[0].schema.openAPIV3Schema.description)",
                message: 'this cluster wants descriptions',
              },
            ],
          },
        },
        {
          ...policy,
          kind: 'ValidatingAdmissionPolicyBinding',
          spec: { policyName: 'only-described', validationActions: ['Deny'] },
        },
      );
      await eventually(async () => {
        await expect(
          system().consumer.client.create(resources.customResourceDefinitions, sampleCrd(forbidden), { dryRun: true }),
        ).rejects.toThrow('wants descriptions');
      }, LONG);
      const late = await system().bind({ name: 'partly', apis: [wanted, forbidden] });
      await eventually(async () => {
        const conditions = conditionsOf(await binding(system(), 'partly'));
        expect(conditions['SchemaInSync']).toMatchObject({
          status: 'False',
          reason: 'CustomResourceDefinitionCreateFailed',
        });
        expect(conditions['SchemaInSync']?.message).toMatch(
          /unwelcomes\.example\.com.*this cluster wants descriptions/su,
        );
        expect(conditions['Ready']?.status).toBe('False');
      }, LONG);
      await eventually(() => create(wanted, 'one'), LONG);
      await synced(system(), late, wanted, { namespace: NAMESPACE, name: 'one' });
      await neighbourWorks('beside-refused-crd');
      expect(
        await system().consumer.find(resources.customResourceDefinitions, { name: 'unwelcomes.example.com' }),
      ).toBeUndefined();

      // The provider corrects it; its controllers would take that back.
      await system().stopProviding();
      await system().provider.client.patch(
        resources.boundSchemas,
        { namespace: late.clusterNamespace, name: 'unwelcomes.example.com' },
        {
          type: 'json',
          operations: [
            { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'Nobody asked for it.' },
          ],
        },
      );
      await ready(system(), 'partly');
      await eventually(() => create(forbidden, 'one'), LONG);
      await synced(system(), late, forbidden, { namespace: NAMESPACE, name: 'one' });
      await system().provideIn(prefixed);
      await system().consumer.kubectl([
        'delete',
        'validatingadmissionpolicybinding,validatingadmissionpolicy',
        'only-described',
      ]);
    });

    it('a schema that the consumer finds invalid is reported in its words; objects keep syncing under the one before', async () => {
      const [sound, spoilt] = [named('sounds', 'Sound'), named('spoils', 'Spoil')] as const;
      const late = await system().bind({ name: 'spoilt', apis: [sound, spoilt] });
      await ready(system(), 'spoilt');
      await eventually(() => create(spoilt, 'before'), LONG);
      await synced(system(), late, spoilt, { namespace: NAMESPACE, name: 'before' });
      // Else the provider's controllers would put it right.
      await system().stopProviding();
      const schema = { namespace: late.clusterNamespace, name: 'spoils.example.com' };
      const sizeIs = (definition: object): Promise<unknown> =>
        system().provider.client.patch(resources.boundSchemas, schema, {
          type: 'json',
          operations: [
            {
              op: 'replace',
              path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size',
              value: definition,
            },
          ],
        });
      await sizeIs({ type: 'nonsense' });
      await eventually(async () => {
        const conditions = conditionsOf(await binding(system(), 'spoilt'));
        expect(conditions['SchemaInSync']).toMatchObject({
          status: 'False',
          reason: 'CustomResourceDefinitionUpdateFailed',
        });
        expect(conditions['SchemaInSync']?.message).toMatch(/spoils\.example\.com.*nonsense/su);
      }, LONG);
      const crd = await system().consumer.client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: 'spoils.example.com',
      });
      expect(JSON.stringify(crd.spec)).not.toContain('nonsense');
      for (const api of [sound, spoilt]) {
        await create(api, 'meanwhile');
        await synced(system(), late, api, { namespace: NAMESPACE, name: 'meanwhile' });
      }
      await neighbourWorks('beside-invalid-schema');

      await sizeIs({ type: 'string', enum: ['small', 'medium', 'large', 'huge'] });
      await ready(system(), 'spoilt');
      await eventually(() => create(spoilt, 'after', { size: 'huge' }), LONG);
      await system().provideIn(prefixed);
    });

    it('odd but legal content arrives exactly', async () => {
      const text = `{"apiVersion":"example.com/v1","kind":"Database","metadata":{"namespace":"${NAMESPACE}","name":"odd"},"spec":{"size":"small","max":9223372036854775807,"min":-9223372036854775808,"precise":9007199254740993,"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"text","nested":{"__proto__":"text","empty":{},"nothing":[]}}}`;
      await system().consumer.kubectl(['create', '--validate=false', '-f', '-'], text);
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: 'odd' });
      const specOn = async (side: 'consumer' | 'provider', namespace: string): Promise<string> =>
        stringify(
          (
            parse(
              await system()[side].kubectl([
                'get',
                '--raw',
                `/apis/example.com/v1/namespaces/${namespace}/databases/odd`,
              ]),
            ) as { readonly spec: ReturnType<typeof parse> }
          ).spec,
        );
      const wanted = await specOn('consumer', NAMESPACE);
      expect(wanted).toContain('9223372036854775807');
      expect(wanted).toContain('"__proto__":{"polluted":true}');
      expect(await specOn('provider', `${bound.clusterNamespace}-${NAMESPACE}`)).toBe(wanted);
    });

    it('an object of one MiB arrives exactly', async () => {
      const key = { namespace: NAMESPACE, name: 'huge' };
      const one = { size: 'small', blob: 'x'.repeat(1024 * 1024) };
      await create(databases, key.name, one);
      const { copy } = await synced(system(), bound, databases, key);
      expectSame(copy.spec, one);
      const other = { size: 'large', blob: 'y'.repeat(1024 * 1024 + 1) };
      await system().consumer.client.patch(resourceOf(databases), key, { type: 'merge', patch: { spec: other } });
      await eventually(async () => {
        expectSame(
          (await system().provider.client.get<ServiceObject>(resourceOf(databases), copyKey(bound, key))).spec,
          other,
        );
      }, LONG);
      await system().consumer.client.delete(resourceOf(databases), key);
      await gone(() => system().provider.find(resourceOf(databases), copyKey(bound, key)));
    });

    it('the longest name works where it fits, and is refused in words where a prefix makes it too long', async () => {
      const longest = 'n'.repeat(253);
      await create(databases, longest);
      await synced(system(), bound, databases, { namespace: NAMESPACE, name: longest });
      const zone = (name: string): Promise<unknown> =>
        system().consumer.client.create(resourceOf(zones), objectOf(zones, { name }));
      const room = 253 - `${prefixedZones.clusterNamespace}-`.length;
      await zone('z'.repeat(room));
      await synced(system(), prefixedZones, zones, { name: 'z'.repeat(room) });
      await zone('z'.repeat(room + 1));
      expect(await problemReported('zones', 'z'.repeat(room + 1), 'NameTooLong')).toContain(
        `at most ${room} characters`,
      );
      await system().consumer.client.delete(resourceOf(zones), { name: 'z'.repeat(room + 1) });
      await gone(() => system().consumer.find(resourceOf(zones), { name: 'z'.repeat(room + 1) }));
      await eventually(async () => {
        expect(conditionsOf(await binding(system(), 'zones'))['ObjectsInSync']?.status).toBe('True');
      }, LONG);
    });
  },
);

/** As `toEqual`, without a megabyte of text when it fails. */
function expectSame(actual: ServiceObject['spec'], wanted: Readonly<Record<string, string>>): void {
  const inShort = (spec: ServiceObject['spec']): object =>
    Object.fromEntries(
      Object.entries(spec ?? {}).map(([field, value]) => [
        field,
        createHash('sha256').update(String(value)).digest('hex'),
      ]),
    );
  expect(inShort(actual)).toEqual(inShort(wanted));
  expect(String(actual?.['blob']).length).toBe(wanted['blob']?.length);
}
