import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, databases, sampleCrd } from '@hawser/installation';
import {
  type APIServiceExportRequest,
  type APIServiceNamespace,
  fixedNames,
  type Isolation,
  resources,
} from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type RawResponse, eventually, rawRequest } from '@hawser/testenv';
import type { Attempt, Attempted, Setting } from './attempts.js';
import { renderChart } from './chart.js';
import { type Ended, runCommand } from './command.js';
import { type RunningGateway, prepareGateway } from './gateway-program.js';
import { type Plane, openPlane } from './plane.js';
import { type Program, startProgram, working } from './program.js';
import { executables } from './roles.js';
import { root } from './root.js';
import { startWatchdog } from './watchdog.js';

/** A consumer and its credential. */
export interface Consumer {
  readonly namespace: string;
  /** To the gateway, if there is one. */
  readonly connection: ConnectionConfig;
}

/** A word in every object of one consumer, and in no request of others. */
export const canaryOf = (namespace: string): string => `cnry${namespace.split('-').at(-1) ?? ''}x`;
/** Any such word, plain or in base64. */
export const CANARY = /cnry[a-z]x|Y25ye[A-Za-z0-9]{3}/gu;

/**
 * A provider, run by the built program with exactly the rights of the chart's ServiceAccount, and several of its
 * consumers.
 */
export interface IsolationWorld {
  readonly plane: Plane;
  readonly provider: Program;
  readonly consumers: {
    readonly own: Consumer;
    readonly other: Consumer;
    readonly unbound: Consumer;
    readonly greedy: Consumer;
  };
  /** Owner of the credential for an attempt. */
  credentialOf(attempt: Pick<Attempt, 'with'>): Consumer;
  /** The same credential, at the address of the API server. */
  straight(connection: ConnectionConfig): ConnectionConfig;
  /** Sends with the credential of `connection`. */
  send(connection: ConnectionConfig, attempted: Attempted, own: string): Promise<RawResponse>;
  /** As the administrator. */
  look(path: string, own?: string): Promise<RawResponse>;
  /** `{own}` and `{other}` filled in. */
  fill(text: string, own?: string): string;
  /** Output of `hawser rbac` for a role, and the role's ServiceAccount. */
  rbac(role?: 'provider' | 'gateway'): Promise<Ended>;
  /**
   * Has the provider do something for a consumer and waits for it: the provider has then processed all earlier requests
   * of an undemanding consumer.
   */
  turn(consumer?: Consumer): Promise<void>;
  /** Whether the consumer is allowed to write there. */
  mayWriteIn(consumer: Consumer, namespace: string | undefined, name: string | undefined): boolean;
  close(): Promise<void>;
}

export const providerUser = 'system:serviceaccount:hawser:hawser-provider';
const zones: SampleApi = { group: 'example.com', plural: 'zones', kind: 'Zone', scope: 'Cluster' };
const vaults: SampleApi = { group: 'example.com', plural: 'vaults', kind: 'Vault', scope: 'Namespaced' };
const rbac = 'rbac.authorization.k8s.io';
const apiVersion = 'kube-bind.io/v1alpha2';
const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'role.yaml',
  'consumer-rights.yaml',
  'consumer-roles.yaml',
  'onboarding-rights.yaml',
  'admissionpolicy.yaml',
  'gateway-rights.yaml',
];

/** Limits per consumer, in the setting that tests limits. */
const consumerLimits = {
  clusterNamespace: {
    resourceQuota: {
      hard: { 'count/apiservicenamespaces.kube-bind.io': '70', 'count/apiserviceexportrequests.kube-bind.io': '30' },
    },
  },
  serviceNamespace: { resourceQuota: { hard: { 'count/databases.example.com': '20', 'count/secrets': '20' } } },
};

export async function openIsolationWorld(
  setting: Setting,
  behind: 'API server' | 'gateway' = 'API server',
): Promise<IsolationWorld> {
  const withGateway = behind === 'gateway';
  const isolation = setting.replace(', shared', '') as Isolation;
  const shared = setting.endsWith(', shared');
  const isLimited = setting === 'Prefixed';
  // Under isolation Namespaced, cluster-scoped objects have no place.
  const hasZones = isolation !== 'Namespaced';
  const zonesAreServed = hasZones && (shared || withGateway);
  const folder = join(
    root,
    'tmp/e2e',
    `isolation-${withGateway ? 'gateway-' : ''}${setting.toLowerCase().replaceAll(/\W+/gu, '-')}`,
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const watchdog = startWatchdog();
  const plane = await openPlane('provider', { quotas: isLimited });
  const { controlPlane, client } = plane;
  if (controlPlane === undefined) throw new Error('it needs a cluster of its own');
  await plane.apply(
    ...['hawser', 'onboarding'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
  // The chart knows only the exported resources.
  const exportedResources = [databases, zones, vaults].map(({ group, plural }) => ({ group, resource: plural }));
  await plane.apply(
    ...renderChart(join(root, 'charts/provider'), templates, {
      name: 'provider',
      namespace: 'hawser',
      values: {
        exportedResources,
        onboardingNamespaces: ['onboarding'],
        gateway: { enabled: withGateway, tlsSecretName: 'gateway' },
        ...(isLimited ? { consumerLimits } : {}),
      },
    }),
  );
  const account = await controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
  const kubeconfig = join(folder, 'provider.kubeconfig');
  writeFileSync(kubeconfig, account.kubeconfig, { mode: 0o600 });
  const preparedGateway = withGateway ? await prepareGateway(plane, folder, watchdog) : undefined;
  const config = join(folder, 'provider.json');
  writeFileSync(
    config,
    JSON.stringify({
      roles: ['provider'],
      provider: {
        informerScope: shared ? 'Cluster' : 'Namespaced',
        isolation,
        consumerNamespaces: ['*'],
        ...(preparedGateway === undefined
          ? { sharedClusterScope: shared }
          : {
              gateway: {},
              external: { address: `https://${preparedGateway.address}`, caFile: preparedGateway.caFile },
            }),
        requestAdmission: 'Template',
        requestNamespaces: ['onboarding'],
        credentials: { overlapSeconds: 0 },
        ...(isLimited ? { consumerLimits, bounds: { exportsPerConsumer: 10, namespacesPerConsumer: 30 } } : {}),
      },
    }),
  );
  const provider = await startProgram({
    name: 'provider',
    command: executables.hawser,
    args: ['run', `--config=${config}`, `--provider-kubeconfig=${kubeconfig}`],
    env: { POD_NAME: 'provider', POD_NAMESPACE: 'hawser' },
    folder,
    watchdog,
  });
  await working(provider, 'provider works', 120_000);
  const gateway: RunningGateway | undefined = await preparedGateway?.start();
  const through = (connection: ConnectionConfig): ConnectionConfig => gateway?.through(connection) ?? connection;

  await plane.apply(...[databases, zones, vaults].map(sampleCrd));
  for (const { plural, group } of [databases, zones, vaults])
    await plane.kubectl(['wait', '--for=condition=Established', `crd/${plural}.${group}`, '--timeout=60s']);
  await plane.apply(
    template('databases', databases, [claimOf('secrets'), claimOf('configmaps')]),
    template('zones', zones, []),
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'customers' },
      rules: [
        {
          apiGroups: ['kube-bind.io'],
          resources: ['apiserviceexporttemplates'],
          resourceNames: ['databases', 'zones'],
          verbs: ['bind'],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'customers' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'customers' },
      subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:serviceaccounts' }],
    },
  );

  const send: IsolationWorld['send'] = (connection, { method, path, body }, own) =>
    rawRequest(connection, {
      method,
      path: fill(path, own),
      ...(body === undefined ? {} : { body: fill(JSON.stringify(body), own) }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
  const namespacesFor = (own: string): { readonly team: string; readonly copies: string } => {
    switch (isolation) {
      case 'Prefixed':
        return { team: `${own}-team-a`, copies: `${own}-team-a` };
      case 'None':
        // Behind a gateway, claimed objects exist only where no other consumer is.
        return { team: withGateway ? `alone-${own}` : 'team-a', copies: 'team-a' };
      case 'Namespaced':
        return { team: `${own}-team-a`, copies: own };
    }
  };
  const fill = (text: string, own = 'kube-bind-a'): string => {
    const { team, copies } = namespacesFor(own);
    return text
      .replaceAll('{own}', own)
      .replaceAll('{other}', 'kube-bind-b')
      .replaceAll('{team}', team)
      .replaceAll('{copies}', copies);
  };

  const onboard = async (name: string): Promise<Consumer> => {
    const namespace = `kube-bind-${name}`;
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': name } },
    });
    const access = await controlPlane.serviceAccountAccess(namespace, fixedNames.binder);
    const { kubeconfig: text } = access;
    const connection = through(access.connection);
    const notes = canaryOf(namespace);
    await plane.apply(
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata: { name: fixedNames.binder, namespace },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: fixedNames.binder },
        subjects: [{ kind: 'ServiceAccount', name: fixedNames.binder, namespace }],
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'kubeconfig', namespace },
        stringData: { kubeconfig: text },
      },
      {
        apiVersion,
        kind: 'ClusterBinding',
        metadata: { name: 'cluster', namespace },
        spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
      },
    );
    const as = (attempted: Attempted, by = connection): Promise<void> =>
      eventually(
        async () => {
          const { status, text: answer } = await send(by, attempted, namespace);
          if (status >= 400 && status !== 409)
            throw new Error(`${attempted.method} ${attempted.path}: ${status} ${answer}`);
        },
        { timeoutMs: 120_000 },
      );
    const own = `/apis/${apiVersion}/namespaces/${namespace}`;
    const ask = async (api: SampleApi, claims: readonly object[]): Promise<void> => {
      await as({
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        body: {
          apiVersion,
          kind: 'APIServiceExportRequest',
          metadata: { name: api.plural },
          spec: { resources: [{ group: api.group, resource: api.plural, versions: ['v1'] }], permissionClaims: claims },
        },
      });
      await eventually(
        async () => {
          const request = await client.get<APIServiceExportRequest>(resources.apiServiceExportRequests, {
            namespace,
            name: api.plural,
          });
          if (request.status?.phase !== 'Succeeded') throw new Error(JSON.stringify(request.status));
        },
        { timeoutMs: 60_000 },
      );
    };
    await ask(databases, [claimOf('secrets')]);
    if (hasZones) await ask(zones, []);
    for (const team of [
      'team-a',
      'team-b',
      ...(isolation === 'None' && name === 'b' ? ['only-b', 'also-b'] : []),
      ...(isolation === 'None' && withGateway ? [`alone-${namespace}`] : []),
    ]) {
      await as({
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        body: { apiVersion, kind: 'APIServiceNamespace', metadata: { name: team } },
      });
      await assigned(namespace, team);
      const copies = { Prefixed: `${namespace}-${team}`, None: team, Namespaced: namespace }[isolation];
      const metadata = {
        name: isolation === 'Prefixed' ? 'orders' : `${namespace}-orders`,
        annotations: { 'kube-bind.io/cluster-namespace': namespace },
      };
      await as(
        {
          method: 'POST',
          path: `/apis/example.com/v1/namespaces/${copies}/databases`,
          body: { apiVersion: 'example.com/v1', kind: 'Database', metadata, spec: { notes } },
        },
        setting === 'Namespaced' && !withGateway ? plane.connection : connection,
      );
    }
    const secretIn = (inNamespace: string, secret: string): Attempted => ({
      method: 'POST',
      path: `/api/v1/namespaces/${inNamespace}/secrets`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret }, stringData: { notes } },
    });
    if (isolation === 'None')
      for (const secret of ['password', `of-${namespace}`])
        await as(secretIn('team-a', secret), withGateway ? plane.connection : connection);
    if (isolation !== 'None' || withGateway) await as(secretIn('{team}', `of-${namespace}`));
    if (zonesAreServed)
      await as({
        method: 'POST',
        path: '/apis/example.com/v1/zones',
        body: {
          apiVersion: 'example.com/v1',
          kind: 'Zone',
          metadata: { name: `${namespace}-north`, annotations: { 'kube-bind.io/cluster-namespace': namespace } },
          spec: { notes },
        },
      });
    // A gateway answers 503 until it has read a resource, which takes a slow machine a while.
    if (withGateway)
      for (const plural of ['databases', ...(zonesAreServed ? ['zones'] : [])])
        await as({ method: 'GET', path: `/apis/example.com/v1/${plural}` });
    return { namespace, connection };
  };
  const assigned = (namespace: string, name: string): Promise<void> =>
    eventually(
      async () => {
        const found = await client.get<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace, name });
        if (found.status?.namespace === undefined) throw new Error(`${namespace}/${name} has no namespace`);
      },
      { timeoutMs: 60_000 },
    );

  const [own, other, unbound, greedy] = await Promise.all(['a', 'b', 'c', 'd'].map(onboard));
  if (own === undefined || other === undefined || unbound === undefined || greedy === undefined)
    throw new Error('not all were onboarded');
  // Objects that share names: one of the provider, and a copy of a consumer of Klutch.
  if (isolation === 'None') {
    const database = (name: string, annotations: object): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name, namespace: 'team-a', annotations },
    });
    await plane.apply(
      database('of-the-provider', {}),
      database('of-klutch', {
        'klutch.anynines.com/bound': 'true',
        'klutch.anynines.com/cluster-namespace': 'klutch-a',
      }),
    );
  }
  // The template is narrowed afterwards.
  await plane.apply(template('databases', databases, [claimOf('secrets')]));
  // A namespace unrelated to consumers, and one with a consumer's name.
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-bind-a-foreign' } });
  // The namespace that a consumer "kube-bind-a-x" would get for its namespace "team-a".
  await plane.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'kube-bind-a-x-team-a',
      annotations: { 'kube-bind.io/api-service-namespace': 'kube-bind-a-x/team-a' },
    },
  });
  for (const resource of [resources.apiServiceExportRequests, resources.apiServiceExports])
    await client.delete(resource, { namespace: unbound.namespace, name: 'databases' });
  const rotated = await rotatedToken(plane);
  const replayed = {
    revoked: through(await revokedToken(plane, own)),
    rotated: { ...rotated, connection: through(rotated.connection) },
  };
  let turns = 0;

  return {
    plane,
    provider,
    consumers: { own, other, unbound, greedy },
    credentialOf: ({ with: used }) => {
      if (used === undefined) return own;
      switch (used) {
        case 'unbound':
          return unbound;
        case 'greedy':
          return greedy;
        case 'revoked':
          return { connection: replayed.revoked, namespace: own.namespace };
        case 'rotated':
          return replayed.rotated;
      }
    },
    straight: ({ credentials }) => ({ ...plane.connection, credentials }),
    send,
    look: (path, of) => rawRequest(plane.connection, { method: 'GET', path: fill(path, of) }),
    fill,
    rbac: (role = 'provider') =>
      runCommand(executables.hawser, [
        'rbac',
        `--roles=${role}`,
        `--kubeconfig=${plane.kubeconfigFile}`,
        `--config=${join(folder, `${role}.json`)}`,
        `--service-account=hawser/hawser-provider${role === 'gateway' ? '-gateway' : ''}`,
      ]),
    async turn({ namespace } = own) {
      const name = `turn-${turns++}`;
      await client.create(resources.apiServiceNamespaces, {
        apiVersion,
        kind: 'APIServiceNamespace',
        metadata: { name, namespace },
      });
      await assigned(namespace, name);
    },
    mayWriteIn({ namespace: own }, namespace, name = '') {
      if (namespace === undefined)
        return isolation === 'None'
          ? ['wanted', `${own}-north`, `${own}-needed`].includes(name)
          : name.startsWith(`${own}-`);
      return (
        namespace === own ||
        (isolation === 'None'
          ? /^(team-[ab]|(only|also)-b)$/u.test(namespace) || namespace === `alone-${own}`
          : namespace.startsWith(`${own}-team-`))
      );
    },
    async close() {
      await Promise.all([provider.stop(), gateway?.program.stop()]);
      await watchdog.close();
      await plane.stop();
    },
  };
}

function claimOf(resource: string): object {
  return { group: '', resource, selector: { labelSelector: {} } };
}

function template(name: string, { group, plural, scope }: SampleApi, permissionClaims: readonly object[]): object {
  return {
    apiVersion,
    kind: 'APIServiceExportTemplate',
    metadata: { name },
    spec: { scope, resources: [{ group, resource: plural, versions: ['v1'] }], permissionClaims },
  };
}

/** A token that lives until its Secret is deleted, after that deletion. */
async function revokedToken({ client, connection }: Plane, { namespace }: Consumer): Promise<ConnectionConfig> {
  const key = { namespace, name: 'revoked' };
  await client.create(resources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { ...key, annotations: { 'kubernetes.io/service-account.name': fixedNames.binder } },
  } as KubeObject);
  const data = await eventually(
    async () => {
      const { data: found } = await client.get<KubeObject & { readonly data?: { readonly token?: string } }>(
        resources.secrets,
        key,
      );
      if (found?.token === undefined) throw new Error('there is no token yet');
      return found.token;
    },
    { timeoutMs: 30_000 },
  );
  const old: ConnectionConfig = {
    ...connection,
    credentials: { kind: 'token', token: Buffer.from(data, 'base64').toString('utf8') },
  };
  const { status } = await rawRequest(old, {
    method: 'GET',
    path: `/apis/${apiVersion}/namespaces/${namespace}/apiserviceexports`,
  });
  if (status !== 200) throw new Error(`the token did not work before it was revoked: ${status}`);
  await client.delete(resources.secrets, key);
  return old;
}

/** A consumer's token from before its replacement, as the operator can request. */
async function rotatedToken(plane: Plane): Promise<Consumer> {
  const { client, connection } = plane;
  const namespace = 'kube-bind-e';
  const binding = (annotations: Readonly<Record<string, string>>): object => ({
    apiVersion,
    kind: 'ClusterBinding',
    metadata: { name: 'cluster', namespace, annotations },
    spec: { providerPrettyName: 'Provider', kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' } },
  });
  await plane.apply(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'e' } },
    },
    binding({}),
  );
  const handedOut = (other?: string): Promise<string> =>
    eventually(
      async () => {
        const { data = {} } = await client.get<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(
          resources.secrets,
          { namespace, name: 'kubeconfig' },
        );
        const [, token] =
          /"?token"?: "?([^"\s,]+)/u.exec(Buffer.from(data['kubeconfig'] ?? '', 'base64').toString('utf8')) ?? [];
        if (token === undefined || token === other) throw new Error('there is no other token yet');
        return token;
      },
      { timeoutMs: 60_000 },
    );
  const token = await handedOut();
  const old: ConnectionConfig = { ...connection, credentials: { kind: 'token', token } };
  const used = async (): Promise<number> =>
    (await rawRequest(old, { method: 'GET', path: `/api/v1/namespaces/${namespace}` })).status;
  await eventually(
    async () => {
      if ((await used()) === 401) throw new Error('the token does not work');
    },
    { timeoutMs: 30_000 },
  );
  await plane.apply(binding({ 'hawser.dev/replace-credential': 'one' }));
  await handedOut(token);
  // The old token is revoked once the consumer has used the new one.
  await eventually(
    async () => {
      await client.patch(
        resources.clusterBindings,
        { namespace, name: 'cluster' },
        { type: 'merge', patch: { status: { lastHeartbeatTime: new Date().toISOString() } } },
        { subresource: 'status' },
      );
      if ((await used()) !== 401) throw new Error('the token still works');
    },
    { timeoutMs: 90_000, intervalMs: 500 },
  );
  return { namespace, connection: old };
}
