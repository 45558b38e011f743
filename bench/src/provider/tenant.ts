import { type Client, type KubeObject, type Resource, createClient, isApiError } from '@hawser/client';
import { type SampleApi, databases, ensure, requestExport } from '@hawser/installation';
import {
  type APIServiceNamespace,
  type BindableResourcesRequest,
  bindingResponseSecretName,
  fixedNames,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';

import { writers } from '../writers.js';

/** A consumer with only the credential from the provider. */
export interface Tenant {
  /** Its cluster namespace. */
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly connection: ConnectionConfig;
}

/** Namespace of the bench's onboarding requests. */
export const ONBOARDING = 'onboarding';
/** Namespace of each consumer. */
export const TEAM = 'team-a';
const WIDTH = 16;

/** Has the provider onboard `count` consumers, each by a request whose answer holds its kubeconfig. */
export async function onboard(client: Client, count: number, withinMs: number): Promise<readonly Tenant[]> {
  const nameOf = (at: number): string => `bench-${at}`;
  await ensure(client, resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ONBOARDING } });
  await writers(count, WIDTH, (at) =>
    ensure(client, resources.bindableResourcesRequests, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'BindableResourcesRequest',
      metadata: { name: nameOf(at), namespace: ONBOARDING },
      spec: { author: 'bench', clusterIdentity: { identity: nameOf(at), prettyName: nameOf(at) } },
    } as KubeObject),
  );
  const requests = await eventually(
    async () => {
      const { items } = await client.list<BindableResourcesRequest>(resources.bindableResourcesRequests, {
        namespace: ONBOARDING,
      });
      const waiting = items.filter(({ status }) => status?.phase !== 'Succeeded');
      if (waiting.length > 0)
        throw new Error(
          `${waiting.length} of ${count} consumers are not onboarded: ${JSON.stringify(waiting[0]?.status)}`,
        );
      return new Map(items.map(({ metadata, status }) => [metadata.name, status?.namespace ?? '']));
    },
    { timeoutMs: withinMs, intervalMs: 500 },
  );
  const secrets = new Map(
    (await client.list<Secret>(resources.secrets, { namespace: ONBOARDING })).items.map((secret) => [
      secret.metadata.name,
      secret,
    ]),
  );
  return Array.from({ length: count }, (_, at) => {
    const answer = JSON.parse(
      decoded(secrets.get(bindingResponseSecretName(nameOf(at)))?.data?.[fixedNames.bindingResponseKey]),
    ) as { readonly kubeconfig: string };
    const kubeconfig = decoded(answer.kubeconfig);
    const parsed = parseSecretKubeconfig(kubeconfig);
    const namespace = requests.get(nameOf(at));
    if (!parsed.ok || parsed.namespace !== namespace)
      throw new Error(`the kubeconfig of ${nameOf(at)} is not for its namespace ${namespace ?? ''}`);
    return { namespace, kubeconfig, connection: parsed.connection };
  });
}

function decoded(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}

/** As the consumer: creates an export request for each API, and a namespace. */
export async function ask(tenant: Tenant, apis: readonly SampleApi[]): Promise<void> {
  await asTenant(tenant, async (client) => {
    for (const [index, api] of apis.entries()) await requestExport(client, tenant.namespace, exportName(index), [api]);
    await ensure(client, resources.apiServiceNamespaces, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceNamespace',
      metadata: { name: TEAM, namespace: tenant.namespace },
    });
  });
}

export function exportName(index: number): string {
  return `databases-${index}`;
}

/** Waits until every consumer has its namespace and, in it, a binding for each of `exports` APIs. */
export async function settledRights(
  client: Client,
  tenants: readonly Tenant[],
  exports: number,
  withinMs: number,
): Promise<void> {
  await eventually(
    async () => {
      const assigned = (await client.list<APIServiceNamespace>(resources.apiServiceNamespaces)).items.filter(
        ({ status }) => status?.namespace !== undefined,
      ).length;
      if (assigned < tenants.length) throw new Error(`${assigned} of ${tenants.length} namespaces`);
    },
    { timeoutMs: withinMs, intervalMs: 1_000 },
  );
  await eventually(
    async () => {
      const bindings = (await client.list(resources.roleBindings, { representation: 'metadata' })).items.filter(
        ({ metadata }) => metadata.name.startsWith(`${fixedNames.binder}:`),
      ).length;
      if (bindings < tenants.length * exports)
        throw new Error(`${bindings} of ${tenants.length * exports} RoleBindings`);
    },
    { timeoutMs: withinMs, intervalMs: 2_000 },
  );
}

/**
 * @throws Error that names the first consumer with missing or excess rights: each has its own exports and namespace,
 * and nothing of its neighbour's.
 */
export async function checkRights(tenants: readonly Tenant[], apis: readonly SampleApi[]): Promise<void> {
  const resource: Resource = { group: databases.group, version: 'v1', resource: databases.plural };
  await writers(tenants.length, WIDTH, async (at) => {
    const tenant = tenants[at];
    const neighbour = tenants[(at + 1) % tenants.length];
    if (tenant === undefined || neighbour === undefined) return;
    await asTenant(tenant, async (client) => {
      const own = await client.list(resources.apiServiceExports, {
        namespace: tenant.namespace,
        representation: 'metadata',
      });
      if (own.items.length !== apis.length)
        throw new Error(`${tenant.namespace} has ${own.items.length} exports, not ${apis.length}`);
      await client.list(resource, { namespace: `${tenant.namespace}-${TEAM}`, limit: 1 });
      if (tenant === neighbour) return;
      const foreign: readonly (readonly [Resource, string | undefined])[] = [
        [resources.apiServiceExports, neighbour.namespace],
        [resources.secrets, neighbour.namespace],
        [resource, `${neighbour.namespace}-${TEAM}`],
        [resource, undefined],
        [resources.secrets, ONBOARDING],
      ];
      for (const [what, namespace] of foreign) {
        const answer = await client.list(what, { namespace, limit: 1 }).catch((error: unknown) => error);
        if (!isApiError(answer, 'Forbidden'))
          throw new Error(`${tenant.namespace} may list ${what.resource} in ${namespace ?? 'all namespaces'}`);
      }
    });
  });
}

async function asTenant<T>({ connection }: Tenant, work: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient({ name: 'tenant', connection, concurrency: 2, userAgent: 'tenant' });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
