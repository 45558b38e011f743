import type { Client, KubeObject, ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { type Controller } from '@hawser/controller';
import type { SharedInformers } from '@hawser/informer';
import { crdOf } from '@hawser/installation';
import { type ClaimSelector, type PermissionClaim, resources } from '@hawser/kube-bind';
import { type AuditEntry, eventually, uniqueNamespace } from '@hawser/testenv';

import { type KonnectorPair, openKonnectorPair } from '../../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../../servicebinding/src/index.js';
import {
  type ClaimedResourcesController,
  type ClaimedResourcesOptions,
  createClaimedResources,
} from '../claimedresources.js';
import type { Side } from '../marks.js';

const rbac = (resource: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** A konnector pair with a namespaced API, `tests`, and the controllers that serve claims. */
export interface ClaimsPair extends KonnectorPair {
  /** Name of the binding. */
  readonly name: string;
  /** Namespace of the team on the consumer. */
  readonly team: string;
  /** Its counterpart on the provider. */
  readonly teamOnProvider: string;
  readonly tests: Resource;
  start(
    as?: Parameters<KonnectorPair['context']>[0],
    options?: Partial<ClaimedResourcesOptions>,
  ): Promise<ClaimedResourcesController>;
  /** Projections that the controllers have watched of a resource on either side: `full` or `metadata`. */
  projections(resource: string): readonly string[];
  stop(): Promise<void>;
  /** Gives the konnector more rights on the provider. */
  grant(rules: readonly object[]): Promise<void>;
  /** Makes export with these claims, binding and CRD: ready for objects. */
  /** `open`: claims may bring objects into {@link team} although nothing is bound there. Default true. */
  bound(claims: readonly PermissionClaim[], isolation?: string, open?: boolean): Promise<void>;
  /** Answers the namespace request for {@link team} like a provider. */
  assign(providerNamespace?: string): Promise<void>;
  secret(side: Side, name: string, options?: SecretOptions): Promise<UnstructuredObject>;
  /** Undefined if it does not exist. */
  read(side: Side, name: string, resource?: Resource): Promise<UnstructuredObject | undefined>;
  client(side: Side): Client;
  key(side: Side, name: string): ObjectKey;
  /** Resolves once the object of that name is on `side`, and `check` does not throw. */
  eventuallyOn(
    side: Side,
    name: string,
    check?: (object: UnstructuredObject) => void,
    resource?: Resource,
  ): Promise<UnstructuredObject>;
  /** Writes to claimable resources by the konnector on both sides since the marks. */
  writesDuring(work: () => Promise<void>): Promise<readonly string[]>;
}

export interface SecretOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly namespace?: string;
  readonly immutable?: boolean;
}

export const claimOn = (resource: string, selector: ClaimSelector): PermissionClaim => ({
  group: '',
  resource,
  selector,
});

export async function openClaimsPair(): Promise<ClaimsPair> {
  const pair = await openKonnectorPair();
  const name = `claims-${pair.clusterNamespace}`;
  const team = uniqueNamespace('team');
  const teamOnProvider = `${pair.clusterNamespace}-${team}`;
  const running: Controller<'consumer' | 'provider'>[] = [];
  let informers: readonly SharedInformers[] = [];
  const tests: Resource = { group: pair.group, version: 'v1', resource: 'tests' };
  await pair.consumer.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } });
  await grantOnProvider(pair, 'claims', [
    { apiGroups: [''], resources: ['secrets', 'configmaps', 'serviceaccounts'], verbs: ALL },
    { apiGroups: [pair.group], resources: ['*'], verbs: ALL },
  ]);

  const claims: ClaimsPair = {
    ...pair,
    name,
    team,
    teamOnProvider,
    tests,
    async start(as, options = {}) {
      const { connection } = pair;
      const claimed = createClaimedResources({ connection, reportDelayMs: 50, namespaceGraceMs: 500, ...options });
      const controllers = [createServiceBinding({ connection }), claimed];
      running.push(...controllers);
      const context = pair.context(as);
      const { clusters } = context;
      await Promise.all(controllers.map((controller) => controller.start(context)));
      informers = [clusters.consumer.informers, clusters.provider.informers];
      return claimed;
    },
    projections: (resource) => [
      ...new Set(
        informers
          .flatMap(({ active }) => active)
          .filter(({ spec }) => spec.resource.resource === resource)
          .map(({ spec }) => spec.projection ?? 'full'),
      ),
    ],
    grant: (rules) => grantOnProvider(pair, 'more', rules),
    async stop() {
      await Promise.all(running.splice(0).map((controller) => controller.stop()));
    },
    async bound(list, isolation = 'Prefixed', open = true) {
      await pair.provider.create(
        resources.customResourceDefinitions,
        crdOf(
          { group: pair.group, plural: 'tests', kind: 'Test', scope: 'Namespaced' },
          {
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ),
      );
      const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      await pair.createSchema('tests', {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
          },
        ],
      });
      await pair.provider.create(resources.apiServiceExports, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceExport',
        metadata: { name, namespace: pair.clusterNamespace },
        spec: {
          resources: [{ group: pair.group, resource: 'tests', versions: ['v1'] }],
          informerScope: 'Namespaced',
          isolation,
          permissionClaims: list,
        },
      } as KubeObject);
      await pair.bind(name);
      if (open)
        await pair.consumer.patch(
          resources.apiServiceBindings,
          { name },
          { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/claim-namespaces': team } } } },
        );
      await pair.becomes(name, 'SchemaInSync', { status: 'True' });
    },
    async assign(providerNamespace = teamOnProvider) {
      await pair.provider
        .create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: providerNamespace } })
        .catch(() => undefined);
      const key = { namespace: pair.clusterNamespace, name: team };
      await pair.provider
        .create(resources.apiServiceNamespaces, {
          apiVersion: 'kube-bind.io/v1alpha2',
          kind: 'APIServiceNamespace',
          metadata: key,
          spec: {},
        } as KubeObject)
        .catch(() => undefined);
      await pair.provider.patch(
        resources.apiServiceNamespaces,
        key,
        { type: 'merge', patch: { status: { namespace: providerNamespace } } },
        { subresource: 'status' },
      );
    },
    client: (side) => (side === 'consumer' ? pair.consumer : pair.provider),
    key: (side, object) => ({ namespace: side === 'consumer' ? team : teamOnProvider, name: object }),
    secret(side, object, { labels, annotations, data = { k: 'dg==' }, type = 'Opaque', namespace, immutable } = {}) {
      const metadata = {
        ...claims.key(side, object),
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      };
      return claims.client(side).create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata,
        data,
        type,
        ...(immutable === undefined ? {} : { immutable }),
      } as KubeObject);
    },
    read: (side, object, resource = resources.secrets) =>
      pair.find(claims.client(side), resource, claims.key(side, object)),
    eventuallyOn: (side, object, check = () => undefined, resource = resources.secrets) =>
      eventually(
        async () => {
          const found = await claims.client(side).get(resource, claims.key(side, object));
          check(found);
          return found;
        },
        { timeoutMs: 20_000 },
      ),
    async writesDuring(work) {
      const logs = { consumer: pair.consumerPlane.auditLog(), provider: pair.providerPlane.auditLog() };
      const marks = { consumer: await logs.consumer.mark(), provider: await logs.provider.mark() };
      await work();
      // Other suites bind on the same control planes.
      const mine = ({ namespace, name: object }: AuditEntry): boolean =>
        namespace === undefined ? object === name : [team, teamOnProvider, pair.clusterNamespace].includes(namespace);
      const relevant = (entry: AuditEntry): boolean =>
        ['secrets', 'configmaps', 'serviceaccounts', 'services', 'apiservicenamespaces', 'apiservicebindings'].includes(
          entry.resource,
        ) && mine(entry);
      const of = async (side: Side): Promise<readonly string[]> =>
        (await logs[side].writes({ since: marks[side] }))
          .filter(relevant)
          .map(
            ({ verb, resource, subresource, name: object = '', code }) =>
              `${side}: ${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${object} ${code}`,
          );
      return [...(await of('consumer')), ...(await of('provider'))];
    },
    async close() {
      await claims.stop();
      await pair.close();
    },
  };
  return claims;
}

/** Grants like the backend does for claims, but in all namespaces. */
async function grantOnProvider(
  { provider, clusterNamespace }: KonnectorPair,
  name: string,
  rules: readonly object[],
): Promise<void> {
  const role = `${name}-${clusterNamespace}`;
  await provider.create(rbac('clusterroles'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: role },
    rules,
  } as KubeObject);
  await provider.create(rbac('clusterrolebindings'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: clusterNamespace, name: 'kube-binder' }],
  } as KubeObject);
}
