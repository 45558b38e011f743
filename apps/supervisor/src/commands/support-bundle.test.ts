import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { EXPORT, startAgentWorld } from '@hawser/agent-world';
import { type ApiServer, type Faults, type Listener, createApiServer, listen } from '@hawser/apiserver';
import { type Client, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { consumerCRDs, installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import { installCRDs as installAgentCRDs, resources as agentResources } from '@hawser/syncagent-api';
import { eventually, kubeconfigText } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { describedConfig } from '../described-config.js';
import { readSupportBundle } from './support-bundle.js';

const databases: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const rbac = 'rbac.authorization.k8s.io';

/** What must be in no bundle. The names say where each stands. */
const planted = {
  secretData: 'PlantedInSecret-1a',
  kubeconfigInAnnotation: 'PlantedInAnnotation-2b',
  userSpec: 'PlantedInSpec-3c',
  userStatus: 'PlantedInStatus-4d',
  bearerInEvent: 'PlantedInEvent5e5e5e',
  eventOfUser: 'PlantedInUserEvent-6f',
  lastApplied: 'PlantedInLastApplied-7g',
  logPassword: 'PlantedInLog-8h',
  logToken: 'eyJhbGciOiJSUzI1NiJ9.PlantedInLog-9i.c2ln',
  logKey: 'UGxhbnRlZEtleQ',
  environment: 'PlantedInEnv-10j',
  argument: 'PlantedInArgument-11k',
  argumentURL: 'PlantedInURL-12l',
  parameters: 'PlantedInParameters-13m',
  providerNotes: 'PlantedInNotes-14n',
  schemaDefault: 'PlantedInDefault-15o',
  schemaText: 'PlantedInDescription-16p',
  condition: 'PlantedInCondition-17q',
  configFile: 'PlantedInConfig-18r',
  caBundle: Buffer.from('PlantedInCABundle-19s').toString('base64'),
  foreignLabel: 'PlantedInLabel-20t',
  author: 'PlantedAuthor-21u',
  identity: 'PlantedIdentity-22v',
  adminToken: 'plantedadmintoken23w',
  providerToken: 'plantedprovidertoken24x',
  lesserToken: 'plantedlessertoken25y',
  metric: 'PlantedInMetric-26z',
  terminated: 'PlantedInTermination-27a',
} as const;

const json = (body: object): ReturnType<Faults> => ({
  instead: { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
});
const text = (body: string): ReturnType<Faults> => ({
  instead: { status: 200, headers: { 'content-type': 'text/plain' }, body },
});

const podSpec = {
  serviceAccountName: 'konnector',
  containers: [
    {
      name: 'konnector',
      image: 'example.com/hawser:1',
      command: ['hawser'],
      args: [
        'run',
        '--config=/etc/hawser/config.yaml',
        `--oidc-issuer-client-secret=${planted.argument}`,
        `--kubeconfig=https://user:${planted.argumentURL}@host/`,
        planted.argument,
      ],
      env: [
        { name: 'PASSWORD', value: planted.environment },
        { name: 'OTHER', valueFrom: { secretKeyRef: { name: 'one', key: 'two' } } },
      ],
      ports: [{ name: 'health', containerPort: 8090 }],
    },
    { name: 'sidecar', image: 'example.com/proxy:1' },
  ],
};
const labels = { 'app.kubernetes.io/name': 'konnector', team: planted.foreignLabel };
const log = [
  '2026-01-02T03:04:05Z {"level":"info","msg":"konnector has started"}',
  `2026-01-02T03:04:06Z connecting with token ${planted.logToken}`,
  `2026-01-02T03:04:07Z password=${planted.logPassword}`,
  `2026-01-02T03:04:07Z the password is ${planted.logPassword}`,
  '2026-01-02T03:04:08Z -----BEGIN PRIVATE KEY-----',
  `2026-01-02T03:04:08Z ${planted.logKey}`,
  '2026-01-02T03:04:08Z -----END PRIVATE KEY-----',
  `2026-01-02T03:04:09Z GET with ${planted.adminToken}`,
  '2026-01-02T03:04:10Z {"level":"info","msg":"konnector goes on"}',
].join('\n');

/** What the embedded server does not have. */
const workloads: Faults = (request, { resource, subresource, path, namespace, verb }) => {
  // Not for the one that may do little.
  if (JSON.stringify(request.headers).includes(planted.lesserToken)) return undefined;
  if (path.includes('/proxy/'))
    return text(`hawser_up{password="${planted.metric}"} 1\nother{a="${planted.metric}"} 1`);
  if (subresource === 'log') return text(log);
  if (verb !== 'list') return undefined;
  const listed = (kind: string, spec: object, status: object): ReturnType<Faults> =>
    json({
      apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
      kind: `${kind}List`,
      metadata: {},
      items:
        namespace === '' ? [{ metadata: { name: 'konnector', namespace: 'kube-bind', labels }, spec, status }] : [],
    });
  if (resource === 'deployments') return listed('Deployment', { replicas: 1, template: { spec: podSpec } }, {});
  if (resource === 'pods')
    return listed('Pod', podSpec, {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'konnector',
          restartCount: 1,
          lastState: { terminated: { exitCode: 1, reason: 'Error', message: planted.terminated } },
        },
      ],
    });
  return undefined;
};

const make = (
  client: Client,
  resource: Resource,
  apiVersion: string,
  kind: string,
  object: object,
): Promise<UnstructuredObject> => client.create(resource, { apiVersion, kind, ...object } as UnstructuredObject);

interface Side {
  readonly server: ApiServer;
  readonly listener: Listener;
  readonly client: Client;
  readonly kubeconfig: (token: string, namespace?: string) => string;
}

async function open(adminToken: string, faults?: Faults): Promise<Side> {
  const server = createApiServer({
    adminToken,
    tokens: { [planted.lesserToken]: { name: 'lesser', groups: ['system:authenticated'] } },
    ...(faults === undefined ? {} : { faults }),
  });
  const listener = await listen(server);
  const connection = (token: string, namespace?: string): Parameters<typeof kubeconfigText>[1] => ({
    server: listener.url,
    caData: listener.authority,
    credentials: { kind: 'token', token },
    ...(namespace === undefined ? {} : { namespace }),
  });
  return {
    server,
    listener,
    client: createClient({ name: 'cluster', connection: connection(adminToken) }),
    kubeconfig: (token, namespace) => kubeconfigText('cluster', connection(token, namespace)),
  };
}

async function close({ server, listener, client }: Side): Promise<void> {
  await client.close();
  await listener.close();
  server.stop();
}

const databaseCRD = {
  metadata: { name: 'databases.example.com', labels: { 'kube-bind.io/exported': 'true' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'databases', kind: 'Database', singular: 'database', listKind: 'DatabaseList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: planted.schemaText,
            properties: {
              spec: {
                type: 'object',
                properties: {
                  password: { type: 'string', default: planted.schemaDefault },
                  size: { type: 'string', default: 'small' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

describe('hawser support-bundle', () => {
  let folder: string;
  let consumer: Side;
  let provider: Side;
  let count = 0;

  const v1alpha2 = 'kube-bind.io/v1alpha2';
  const lastApplied = {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { password: planted.lastApplied } }),
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-bundle-'));
    [consumer, provider] = await Promise.all([open(planted.adminToken, workloads), open(planted.providerToken)]);
    writeFileSync(join(folder, 'consumer'), consumer.kubeconfig(planted.adminToken));
    writeFileSync(join(folder, 'lesser'), consumer.kubeconfig(planted.lesserToken));
    writeFileSync(join(folder, 'provider'), provider.kubeconfig(planted.providerToken));
    await fillProvider(provider.client);
    await fillConsumer(consumer.client, provider.kubeconfig(planted.providerToken, 'cluster-one'));
  });
  afterAll(async () => {
    await Promise.all([close(consumer), close(provider)]);
    rmSync(folder, { recursive: true });
  });

  async function fillProvider(client: Client): Promise<void> {
    await installCRDs(client, providerCRDs, { clock: systemClock });
    await make(
      client,
      resources.customResourceDefinitions,
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      databaseCRD,
    );
    const namespace = 'cluster-one';
    await make(client, resources.namespaces, 'v1', 'Namespace', {
      metadata: {
        name: namespace,
        annotations: {
          'backend.kube-bind.io/identity': planted.identity,
          'backend.kube-bind.io/author': planted.author,
        },
      },
    });
    await make(client, resources.clusterBindings, v1alpha2, 'ClusterBinding', {
      metadata: { name: 'cluster', namespace, annotations: lastApplied },
      spec: {
        providerPrettyName: 'Databases',
        kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' },
        serviceProviderSpec: { notes: planted.providerNotes },
      },
    });
    await make(client, resources.apiServiceExportRequests, v1alpha2, 'APIServiceExportRequest', {
      metadata: { name: 'databases', namespace },
      spec: {
        resources: [{ group: 'example.com', resource: 'databases' }],
        parameters: { password: planted.parameters },
      },
    });
    await make(client, resources.apiServiceExportTemplates, v1alpha2, 'APIServiceExportTemplate', {
      metadata: { name: 'databases', annotations: lastApplied, labels: { team: planted.foreignLabel } },
      spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: 'databases' }] },
    });
    await make(client, resources.boundSchemas, v1alpha2, 'BoundSchema', {
      metadata: { name: 'databases.example.com', namespace },
      spec: {
        ...databaseCRD.spec,
        informerScope: 'Namespaced',
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: 'https://hook.example.com', caBundle: planted.caBundle },
            conversionReviewVersions: ['v1'],
          },
        },
      },
    });
    await make(client, resources.apiServiceExports, v1alpha2, 'APIServiceExport', {
      metadata: { name: 'databases', namespace },
      spec: {
        resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
        informerScope: 'Namespaced',
        isolation: 'Prefixed',
      },
    });
  }

  async function fillConsumer(client: Client, kubeconfig: string): Promise<void> {
    await installCRDs(client, consumerCRDs, { clock: systemClock });
    for (const name of ['kube-bind', 'team'])
      await make(client, resources.namespaces, 'v1', 'Namespace', { metadata: { name } });
    await make(client, resources.secrets, 'v1', 'Secret', {
      metadata: { name: 'kubeconfig', namespace: 'kube-bind' },
      stringData: { kubeconfig },
    });
    await make(client, resources.secrets, 'v1', 'Secret', {
      metadata: { name: 'credentials', namespace: 'team' },
      stringData: { token: planted.secretData },
    });
    const { metadata } = await make(client, resources.apiServiceBindings, v1alpha2, 'APIServiceBinding', {
      metadata: {
        name: 'databases',
        annotations: {
          ...lastApplied,
          'example.com/kubeconfig': `apiVersion: v1\nkind: Config\nusers: [{user: {token: ${planted.kubeconfigInAnnotation}}}]`,
        },
      },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig', namespace: 'kube-bind' } },
    });
    await client.patch(
      resources.apiServiceBindings,
      { name: 'databases' },
      {
        type: 'merge',
        patch: {
          status: {
            conditions: [
              {
                type: 'ObjectsInSync',
                status: 'False',
                severity: 'Warning',
                reason: 'RejectedByProvider',
                message: `1 of 1 is not in step: spec.password: Invalid value: "${planted.condition}": is weak`,
                lastTransitionTime: '2026-01-02T03:04:05Z',
              },
            ],
          },
        },
      },
      { subresource: 'status' },
    );
    const { uid = '' } = metadata;
    await make(client, resources.customResourceDefinitions, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      ...databaseCRD,
      metadata: {
        name: 'databases.example.com',
        annotations: lastApplied,
        ownerReferences: [{ apiVersion: v1alpha2, kind: 'APIServiceBinding', name: 'databases', uid }],
      },
    });
    // A new API is served a moment later.
    await eventually(() =>
      make(client, databases, 'example.com/v1', 'Database', {
        metadata: {
          name: 'orders',
          namespace: 'team',
          annotations: lastApplied,
          labels: { team: planted.foreignLabel },
        },
        spec: { password: planted.userSpec },
        status: { conditions: [{ type: 'Ready', status: 'False', message: planted.userStatus }] },
      }),
    );
    for (const [name, about, message] of [
      [
        'one',
        { apiVersion: v1alpha2, kind: 'APIServiceBinding', name: 'databases' },
        `sent Bearer ${planted.bearerInEvent}`,
      ],
      [
        'two',
        { apiVersion: 'example.com/v1', kind: 'Database', name: 'orders', namespace: 'default' },
        planted.eventOfUser,
      ],
    ] as const)
      await make(client, resources.events, 'v1', 'Event', {
        metadata: { name, namespace: 'default' },
        involvedObject: about,
        type: 'Warning',
        reason: 'Planted',
        message,
      });
    await make(client, resources.configMaps, 'v1', 'ConfigMap', {
      metadata: { name: 'konnector', namespace: 'kube-bind', labels: { 'app.kubernetes.io/name': 'konnector' } },
      data: {
        'config.yaml': `roles: [provider]\nprovider:\n  portal:\n    publicUrl: https://portal.example.com\n    issuer: {url: https://issuer.example.com, clientId: hawser, clientSecret: ${planted.configFile}}\n`,
      },
    });
    // May see bindings, and neither Secrets nor Events.
    await make(client, resources.clusterRoles, `${rbac}/v1`, 'ClusterRole', {
      metadata: { name: 'lesser' },
      rules: [{ apiGroups: ['kube-bind.io'], resources: ['*'], verbs: ['get', 'list'] }],
    });
    await make(client, resources.clusterRoleBindings, `${rbac}/v1`, 'ClusterRoleBinding', {
      metadata: { name: 'lesser' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'lesser' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'lesser' }],
    });
  }

  interface Made {
    readonly code: number;
    readonly out: string;
    readonly err: string;
    /** By path. */
    readonly files: ReadonlyMap<string, string>;
    readonly manifest: {
      readonly clusters: readonly { readonly name: string; readonly reached: boolean }[];
      readonly files: readonly { readonly path: string }[];
      readonly unread: readonly { readonly cluster: string; readonly what: string; readonly code: string }[];
      readonly dropped: readonly { readonly path: string }[];
    };
    /** Every byte of it. */
    readonly all: string;
  }
  const run = async (...args: readonly string[]): Promise<Made> => {
    const output = join(folder, `bundle-${count++}`);
    const { code, out, err } = await called(...args, '--output', output);
    const files = new Map(
      readdirSync(output, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name);
          return [path.slice(output.length + 1), readFileSync(path, 'utf8')] as const;
        }),
    );
    const manifest = JSON.parse(files.get('manifest.json') ?? '{}') as Made['manifest'];
    return { code, out, err, files, manifest, all: `${err}${[...files].flat().join('\n')}` };
  };
  const called = async (
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
    const task = readSupportBundle(args, 'v1');
    if (typeof task === 'string') throw new Error(task);
    let [out, err] = ['', ''];
    const code = await task({
      out: (line) => {
        out += line;
      },
      err: (line) => {
        err += `${line}\n`;
      },
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out, err };
  };
  const found = (all: string): readonly string[] =>
    Object.entries(planted)
      .filter(([, secret]) => all.includes(secret) || all.includes(Buffer.from(secret).toString('base64')))
      .map(([where]) => where);

  it('holds what a maintainer needs of both sides, and not one byte of what is secret', async () => {
    const { code, files, manifest, all } = await run(
      ...['--kubeconfig', join(folder, 'consumer'), '--provider-kubeconfig', join(folder, 'provider')],
    );
    expect(code).toBe(0);
    expect(found(all)).toEqual([]);
    expect(all).not.toMatch(/Planted(?:In|Author|Identity|Key)|-----BEGIN/u);

    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'README.txt',
        'about.json',
        'consumer/apiservicebindings.kube-bind.io.json',
        'consumer/crds/databases.example.com.json',
        'consumer/events.json',
        'consumer/konnector/doctor.txt',
        'consumer/konnector/objects.json',
        'consumer/konnector/provider-1/boundschemas.json',
        'consumer/workloads/deployments.json',
        'consumer/workloads/config-kube-bind.json',
        'consumer/workloads/logs/kube-bind/konnector.konnector.log',
        'consumer/workloads/logs/kube-bind/konnector.konnector.previous.log',
        'consumer/workloads/metrics/kube-bind/konnector.konnector.txt',
        'provider/apiserviceexporttemplates.kube-bind.io.json',
        'provider/crds/databases.example.com.json',
        'provider/namespaces.json',
      ]),
    );
    expect(manifest.files.map(({ path }) => path).toSorted()).toEqual(
      [...files.keys()].filter((path) => path !== 'manifest.json').toSorted(),
    );
    // What was around the secrets is there.
    expect(files.get('consumer/apiservicebindings.kube-bind.io.json')).toContain('"RejectedByProvider"');
    expect(files.get('consumer/events.json')).toContain('sent Bearer [redacted]');
    expect(files.get('consumer/crds/databases.example.com.json')).toContain('"default": "small"');
    expect(files.get('consumer/workloads/deployments.json')).toContain('--config=/etc/hawser/config.yaml');
    expect(files.get('consumer/workloads/pods.json')).toContain('"exitCode": 1');
    expect(files.get('consumer/workloads/config-kube-bind.json')).toContain('"requestAdmission": "Template"');
    const kept = files.get('consumer/workloads/logs/kube-bind/konnector.konnector.log');
    expect(kept).toContain('konnector has started');
    expect(kept).toContain('konnector goes on');
    expect(JSON.parse(files.get('consumer/konnector/objects.json') ?? '')).toMatchObject([
      { binding: 'databases', resources: [{ name: 'databases.example.com', objects: 1, inStep: 0 }] },
    ]);
  });

  it('is the same as an archive', async () => {
    const output = join(folder, 'bundle.tar.gz');
    const { code, out } = await called('--kubeconfig', join(folder, 'consumer'), '-o', output);
    expect({ code, out }).toEqual({ code: 0, out: output });
    const all = gunzipSync(readFileSync(output)).toString();
    expect(all).toContain('"RejectedByProvider"');
    expect(found(all)).toEqual([]);
  });

  it('goes on without a provider that does not answer, and says so', async () => {
    provider.server.setFaults(() => ({ instead: 'reset' }));
    const { code, err, files, manifest, all } = await run(
      ...['--kubeconfig', join(folder, 'consumer'), '--provider-kubeconfig', join(folder, 'provider')],
    );
    provider.server.setFaults(undefined);
    expect(code).toBe(1);
    expect(err).toContain('provider: cannot be read');
    expect(manifest.clusters).toMatchObject([
      { name: 'consumer', reached: true },
      { name: 'provider', reached: false },
    ]);
    expect(manifest.unread).toContainEqual(
      expect.objectContaining({ cluster: 'provider', code: 'Unreachable', what: expect.stringContaining('/version') }),
    );
    expect(files.get('consumer/konnector/doctor.txt')).toContain('(Unreachable)');
    expect(manifest.unread).toContainEqual(
      expect.objectContaining({ cluster: expect.stringContaining('seen by the consumer'), code: 'Unreachable' }),
    );
    expect(found(all)).toEqual([]);
  });

  it('shows what little rights show, and says what is refused', async () => {
    const { code, files, manifest, all } = await run('--kubeconfig', join(folder, 'lesser'));
    expect(code).toBe(0);
    expect(files.has('consumer/apiservicebindings.kube-bind.io.json')).toBe(true);
    expect(files.get('consumer/konnector/doctor.txt')).toContain('KubeconfigSecretUnreadable');
    for (const what of ['list events in namespace default', 'list customresourcedefinitions.apiextensions.k8s.io'])
      expect(manifest.unread).toContainEqual(expect.objectContaining({ what, code: 'Forbidden', httpStatus: 403 }));
    expect(found(all)).toEqual([]);
  });

  it('says what had no place', async () => {
    consumer.server.setFaults((request, info) =>
      info.subresource === 'log' ? text('a line\n'.repeat(200_000)) : workloads(request, info),
    );
    const { manifest, err, files } = await run('--kubeconfig', join(folder, 'consumer'), '--max-size', '1Mi');
    consumer.server.setFaults(workloads);
    expect(manifest.dropped.map(({ path }) => path)).toEqual([
      'consumer/workloads/logs/kube-bind/konnector.konnector.log',
      'consumer/workloads/logs/kube-bind/konnector.konnector.previous.log',
    ]);
    expect(err).toContain('2 files had no place: see dropped in manifest.json, and --max-size.');
    expect(files.has('consumer/konnector/doctor.txt')).toBe(true);
  });

  it('writes over nothing', async () => {
    writeFileSync(join(folder, 'there.tgz'), 'mine');
    const { code, err } = await called('--kubeconfig', join(folder, 'consumer'), '-o', join(folder, 'there.tgz'));
    expect(code).toBe(1);
    expect(err).toContain('is there already');
    expect(readFileSync(join(folder, 'there.tgz'), 'utf8')).toBe('mine');
  });

  it('sends nothing but reads, and questions that store nothing', async () => {
    const asked: string[] = [];
    consumer.server.setFaults((request, info) => {
      if (request.method !== 'GET') asked.push(`${request.method} ${info.resource}`);
      return workloads(request, info);
    });
    await run('--kubeconfig', join(folder, 'consumer'));
    consumer.server.setFaults(workloads);
    expect(asked.filter((one) => !/^POST self\w+reviews$/u.test(one))).toEqual([]);
  });

  it('reads a service cluster and the workspace of its export', async () => {
    const world = await startAgentWorld();
    try {
      writeFileSync(join(folder, 'kcp'), world.kcp.kubeconfig('root:provider'));
      await installAgentCRDs(consumer.client, { clock: systemClock });
      await make(consumer.client, agentResources.publishedResources, 'syncagent.kcp.io/v1alpha1', 'PublishedResource', {
        metadata: { name: 'databases', annotations: lastApplied },
        spec: {
          resource: { apiGroup: 'example.com', kind: 'Database', versions: ['v1'] },
          mutation: {
            spec: [
              { template: { path: 'spec.password', template: planted.userSpec } },
              { regex: { path: 'spec.size', pattern: 'small', replacement: 'large' } },
            ],
          },
        },
      });
      const { code, files, manifest, all } = await run(
        ...['--service-kubeconfig', join(folder, 'consumer'), '--kcp-kubeconfig', join(folder, 'kcp')],
      );
      expect(code).toBe(0);
      expect(manifest.unread).toEqual([]);
      expect(files.get('service/publishedresources.syncagent.kcp.io.json')).toContain('"replacement": "large"');
      expect(files.has('service/crds/databases.example.com.json')).toBe(true);
      expect(files.get('kcp/apiexports.apis.kcp.io.json')).toContain(`"name": "${EXPORT}"`);
      expect(files.has('kcp/apiexportendpointslices.apis.kcp.io.json')).toBe(true);
      expect(found(all)).toEqual([]);
    } finally {
      await world.close();
    }
  });

  it.each([
    [['x'], 'unexpected argument: x'],
    [['--log-lines=some'], '--log-lines: must be a number, not "some"'],
    [['--max-size=1'], '--max-size: must be from 1Mi to 1Gi, not "1"'],
    [['--timeout=0s'], '--timeout: is not a duration longer than zero: "0s"'],
  ])('%j is wrong usage', (args, message) => {
    expect(() => readSupportBundle(args, 'v1')).toThrow(new ConfigError(message));
  });
});

describe('describedConfig', () => {
  it('has every default, and no secret', () => {
    const described = JSON.stringify(
      describedConfig(
        [
          'roles: [provider]',
          'provider:',
          '  portal:',
          '    publicUrl: https://portal.example.com',
          '    allowed: {users: [jane], groups: []}',
          `    issuer: {url: 'https://u:${planted.argumentURL}@issuer.example.com', clientId: hawser, clientSecret: ${planted.configFile}, clientSecretFile: /secret/file}`,
        ].join('\n'),
      ),
    );
    expect(described).not.toMatch(/Planted|jane/u);
    expect(described).toContain('/secret/file');
    expect(described).toContain('"namespacePrefix":"cluster-"');
  });
});
