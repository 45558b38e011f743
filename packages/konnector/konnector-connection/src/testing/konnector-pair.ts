import { type Client, type KubeObject, type ObjectKey, type Resource, createClient, getIfExists } from '@hawser/client';
import { type Clock, systemClock } from '@hawser/clock';
import type { Cluster, ControllerContext } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import {
  consumerCRDs as klutchConsumerCRDs,
  createKlutchClient,
  installCRDs as installKlutchCRDs,
  providerCRDs as klutchProviderCRDs,
} from '@hawser/klutch';
import {
  type APIServiceBinding,
  type Condition,
  type Dialect,
  type PermissionClaim,
  apiVersion,
  consumerCRDs,
  getCondition,
  installCRDs,
  kubeBindDialect,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type EventRecorder, noMetrics, silentLogger } from '@hawser/telemetry';

import {
  type ClusterAccess,
  type SharedControlPlane,
  eventually,
  sharedControlPlane,
  uniqueGroup,
  uniqueNamespace,
} from '@hawser/testenv';
import type { ProviderConnection, SecretKeyRef } from '../connection.js';
import { type MutableServedBindings, createServedBindings } from '../served-bindings.js';

const configMaps: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });

/** Rights that the backend gives a consumer in its cluster namespace (spec/konnector.md §14.3). */
export const binderRules: readonly Rule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['clusterbindings', 'apiserviceexports'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['clusterbindings/status', 'apiserviceexports/status'],
    verbs: ['get', 'patch', 'update'],
  },
  { apiGroups: ['kube-bind.io'], resources: ['boundschemas'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['kube-bind.io'], resources: ['boundschemas/status'], verbs: ['get', 'list', 'patch', 'update'] },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests', 'apiservicenamespaces'], verbs: ['*'] },
];

/** The same in the terms of Klutch. */
export function binderRulesOf({ name, apiGroup }: Dialect): readonly Rule[] {
  return name === 'kube-bind'
    ? binderRules
    : binderRules
        .filter(({ resources: [first] }) => first?.startsWith('boundschemas') !== true)
        .map((rule) => (rule.apiGroups.includes('kube-bind.io') ? { ...rule, apiGroups: [apiGroup] } : rule));
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A consumer and a provider, on real API servers, with an empty cluster namespace for this consumer. */
export interface KonnectorPair {
  readonly consumerPlane: SharedControlPlane;
  readonly providerPlane: SharedControlPlane;
  readonly dialect: Dialect;
  /** Clients of administrators, in the terms of kube-bind, whatever the dialect. */
  readonly consumer: Client;
  readonly provider: Client;
  /** An API group of this pair alone. */
  readonly group: string;
  /** Name of the export of a resource, and so of its binding: in Klutch that of the CRD. */
  nameFor(plural: string): string;
  readonly clusterNamespace: string;
  /** A consumer namespace of this pair alone, for kubeconfig Secrets. */
  readonly secretNamespace: string;
  /** The consumer's access to the provider. */
  readonly access: ClusterAccess;
  readonly bindings: MutableServedBindings;
  readonly bundles: MutableServedBindings;
  readonly connection: ProviderConnection;
  /** Secrets of the connection; a test may change them. */
  readonly secrets: SecretKeyRef[];
  /** `<kind> <name> <type> <reason>: <message>` */
  readonly events: string[];
  /** A context for one run of a controller. Its clients and informers are closed with the pair. */
  context(as?: ContextOptions): ControllerContext<'consumer' | 'provider'>;
  /** Replaces the consumer's rights on the provider; resolves once they are in force. */
  grant(rules: readonly Rule[]): Promise<void>;
  /** In Klutch, an export holds the schema of one resource, and exists with it. */
  createExport(name: string, plurals: readonly string[], claims?: readonly PermissionClaim[]): Promise<void>;
  createSchema(plural: string, spec?: Readonly<Record<string, unknown>>): Promise<void>;
  createBinding(name: string, secret?: SecretKeyRef): Promise<APIServiceBinding>;
  /** Creates the binding and lets the connection serve it. */
  bind(name: string, secret?: SecretKeyRef): Promise<APIServiceBinding>;
  binding(name: string): Promise<APIServiceBinding>;
  condition(name: string, type: string): Promise<Condition | undefined>;
  /** Waits until a condition of the binding is as given. */
  becomes(name: string, type: string, expected: Partial<Condition>): Promise<Condition>;
  /** Undefined if it does not exist. */
  find<T extends KubeObject>(client: Client, resource: Resource, key: ObjectKey): Promise<T | undefined>;
  crd(plural: string): Promise<(KubeObject & { readonly spec: Readonly<Record<string, unknown>> }) | undefined>;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly consumer?: ConnectionConfig;
  readonly provider?: ConnectionConfig;
  /** Clock of the controller; clients and informers use real time. */
  readonly clock?: Clock;
}

export interface PairOptions {
  /** Default: the clusters that the run shares. */
  readonly consumer?: SharedControlPlane;
  readonly provider?: SharedControlPlane;
  /** Dialect of both sides. Default: kube-bind. */
  readonly dialect?: Dialect;
}

export async function openKonnectorPair(options: PairOptions = {}): Promise<KonnectorPair> {
  const consumerPlane = options.consumer ?? (await sharedControlPlane('consumer'));
  const providerPlane = options.provider ?? (await sharedControlPlane('provider'));
  const { dialect = kubeBindDialect } = options;
  const isKlutch = dialect.name === 'klutch';
  const closers: (() => Promise<void>)[] = [];
  const open = (name: string, connection: ConnectionConfig): Client => {
    const client = createClient({ name, connection });
    closers.push(() => client.close());
    return isKlutch ? createKlutchClient(client) : client;
  };
  const consumer = open('consumer', consumerPlane.connection);
  const provider = open('provider', providerPlane.connection);
  const group = uniqueGroup('konnector');
  const clusterNamespace = uniqueNamespace('kube-bind');
  const secretNamespace = uniqueNamespace('secrets');
  if (isKlutch)
    await Promise.all([
      installKlutchCRDs(consumer, klutchConsumerCRDs, { clock: systemClock }),
      installKlutchCRDs(provider, klutchProviderCRDs, { clock: systemClock }),
    ]);
  else
    await Promise.all([
      installCRDs(consumer, consumerCRDs, { clock: systemClock }),
      installCRDs(provider, providerCRDs, { clock: systemClock }),
    ]);
  await provider.create(resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: clusterNamespace },
  });
  await consumer.create(resources.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: secretNamespace },
  });
  const access = await providerPlane.serviceAccountAccess(clusterNamespace, dialect.names.binder);
  const granted = open('provider', access.connection);
  await grant();

  const events: string[] = [];
  const recorder: EventRecorder = {
    record: (about, { type, reason, message }) => {
      events.push(`${about.kind} ${about.name} ${type} ${reason}: ${message}`);
    },
    flush: () => Promise.resolve(),
  };
  const bindings = createServedBindings();
  const bundles = createServedBindings();
  const secrets: SecretKeyRef[] = [];
  const bound: string[] = [];

  async function grant(rules: readonly Rule[] = binderRulesOf(dialect)): Promise<void> {
    const metadata = { namespace: clusterNamespace, name: dialect.names.binder };
    // The API server learns of rights by a watch, a moment after the write. So the test reads an object that does not
    // exist until it may.
    const mark = uniqueNamespace('grant');
    const marked = [...rules, { apiGroups: [''], resources: ['configmaps'], resourceNames: [mark], verbs: ['get'] }];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: marked };
    await provider.patch(
      rbac('roles'),
      metadata,
      { type: 'apply', object: role, force: true },
      { fieldManager: 'test' },
    );
    const subjects = [{ kind: 'ServiceAccount', namespace: clusterNamespace, name: dialect.names.binder }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: dialect.names.binder };
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, roleRef, subjects };
    await provider.patch(
      rbac('rolebindings'),
      metadata,
      { type: 'apply', object: binding, force: true },
      { fieldManager: 'test' },
    );
    await eventually(() => getIfExists(granted, configMaps, { namespace: clusterNamespace, name: mark }));
  }

  const cluster = (name: string, connection: ConnectionConfig): Cluster => {
    const client = open(name, connection);
    const informers = createSharedInformers({
      client,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      backoff: { initialMs: 50, capMs: 500 },
    });
    closers.push(() => informers.close());
    return { name, client, informers, events: recorder };
  };
  const pair: KonnectorPair = {
    consumerPlane,
    providerPlane,
    dialect,
    consumer,
    provider,
    group,
    clusterNamespace,
    secretNamespace,
    access,
    bindings,
    bundles,
    secrets,
    events,
    grant,
    find: getIfExists,
    connection: {
      hash: clusterNamespace,
      config: access.connection,
      clusterNamespace,
      bindings,
      bundles,
      secrets: () => secrets,
    },
    context: (as = {}) => ({
      clusters: {
        consumer: cluster('consumer', as.consumer ?? consumerPlane.connection),
        provider: cluster('provider', as.provider ?? access.connection),
      },
      logger: silentLogger,
      metrics: noMetrics,
      clock: as.clock ?? systemClock,
      random: Math.random,
      signal: new AbortController().signal,
    }),
    nameFor: (plural) => (isKlutch ? `${plural}.${group}` : `${plural}-${clusterNamespace}`),
    async createExport(name, plurals, claims) {
      if (isKlutch) return;
      await provider.create(
        resources.apiServiceExports,
        withSpec(
          { apiVersion, kind: 'APIServiceExport', metadata: { name, namespace: clusterNamespace } },
          {
            resources: plurals.map((resource) => ({ group, resource, versions: ['v1'] })),
            informerScope: 'Namespaced',
            isolation: 'Prefixed',
            permissionClaims: claims,
          },
        ),
      );
    },
    async createSchema(plural, spec = {}) {
      if (isKlutch) {
        await provider.create(
          dialect.resources.apiServiceExports,
          withSpec(
            {
              apiVersion: dialect.apiVersion,
              kind: 'APIServiceExport',
              metadata: { name: `${plural}.${group}`, namespace: clusterNamespace },
            },
            schemaSpec(group, plural, spec),
          ),
        );
        return;
      }
      await provider.create(
        resources.boundSchemas,
        withSpec(
          { apiVersion, kind: 'BoundSchema', metadata: { name: `${plural}.${group}`, namespace: clusterNamespace } },
          schemaSpec(group, plural, spec),
        ),
      );
    },
    async createBinding(name, secret = { namespace: secretNamespace, name: 'kubeconfig', key: 'kubeconfig' }) {
      const created = await consumer.create<APIServiceBinding>(
        resources.apiServiceBindings,
        withSpec({ apiVersion, kind: 'APIServiceBinding', metadata: { name } }, { kubeconfigSecretRef: secret }),
      );
      bound.push(name);
      return created;
    },
    async bind(name, secret) {
      const created = await pair.createBinding(name, secret);
      bindings.join(name);
      return created;
    },
    binding: (name) => consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name }),
    condition: async (name, type) => getCondition((await pair.binding(name)).status?.conditions, type),
    becomes: async (name, type, expected) => {
      const matches = (condition: Condition | undefined): condition is Condition =>
        condition !== undefined &&
        Object.entries(expected).every(([field, value]) =>
          field === 'message'
            ? condition.message?.includes(String(value))
            : condition[field as keyof Condition] === value,
        );
      return eventually(
        async () => {
          const condition = await pair.condition(name, type);
          if (!matches(condition))
            throw new Error(`${type} of ${name} is ${JSON.stringify(condition)}, not ${JSON.stringify(expected)}`);
          return condition;
        },
        { timeoutMs: 20_000 },
      );
    },
    crd: (plural) => getIfExists(consumer, resources.customResourceDefinitions, { name: `${plural}.${group}` }),
    async close() {
      for (const name of bound) await consumer.delete(resources.apiServiceBindings, { name }).catch(() => undefined);
      await Promise.all(closers.reverse().map((closer) => closer()));
    },
  };
  return pair;
}

/** Types do not cover all specs that tests make: some are wrong on purpose. */
function withSpec(object: KubeObject, spec: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, spec } as KubeObject;
}

/** The spec of a BoundSchema of a namespaced resource with a status. */
export function schemaSpec(
  group: string,
  plural: string,
  fields: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  return {
    informerScope: 'Namespaced',
    group,
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [version({ spec: { type: 'object', properties: { size: { type: 'string' } } } })],
    ...fields,
  };
}

/** A served, stored version `v1` with these properties. */
export function version(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { ...properties, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    },
  };
}
