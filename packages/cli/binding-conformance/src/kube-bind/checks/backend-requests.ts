import { type Client, isApiError } from '@hawser/client';
import {
  type PermissionClaim,
  resources,
  apiVersion,
  type APIServiceExportRequest,
  type BoundSchema,
  crdName,
  type APIServiceNamespace,
} from '@hawser/kube-bind';
import { claimedLabel, type World } from '../world.js';

/** Claims of the exports of the checks. */
export const claims: readonly PermissionClaim[] = [
  { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: claimedLabel } } },
];

/** Requests an export, as users of a konnector do. */
export async function request(
  world: World,
  name: string,
  plurals: readonly string[],
  permissionClaims: readonly PermissionClaim[],
  by: { readonly client: Client; readonly namespace: string } = {
    client: world.asConsumer,
    namespace: world.clusterNamespace,
  },
): Promise<void> {
  await world.apply(
    by.client,
    resources.apiServiceExportRequests,
    {
      metadata: { name, namespace: by.namespace },
      spec: {
        resources: plurals.map((resource) => ({ group: world.api.group, resource, versions: ['v1'] })),
        ...(permissionClaims.length === 0 ? {} : { permissionClaims }),
        schemaUpdatePolicy: 'Always',
      },
    },
    apiVersion,
    'APIServiceExportRequest',
  );
}

/** The request of that name, as the consumer sees it. */
export const readRequest = (world: World, name: string): Promise<APIServiceExportRequest> =>
  world.asConsumer.get<APIServiceExportRequest>(resources.apiServiceExportRequests, {
    namespace: world.clusterNamespace,
    name,
  });

/** The schema of the bound API, as the consumer sees it. */
export const boundSchema = (world: World): Promise<BoundSchema> =>
  world.asConsumer.get<BoundSchema>(resources.boundSchemas, {
    namespace: world.clusterNamespace,
    name: crdName(world.api.plural, world.api.group),
  });

/** Creates the APIServiceNamespace of a consumer namespace, unless it exists. */
export async function askForNamespace(
  world: World,
  client: Client,
  clusterNamespace: string,
  name: string,
): Promise<{ readonly namespace: string; readonly name: string }> {
  const key = { namespace: clusterNamespace, name };
  try {
    await client.create(resources.apiServiceNamespaces, { apiVersion, kind: 'APIServiceNamespace', metadata: key });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  return key;
}

/** The provider namespace assigned to a consumer namespace. Requests it, and waits until it exists. */
export async function serviceNamespace(
  world: World,
  client: Client,
  clusterNamespace: string,
  name: string,
): Promise<string> {
  const key = await askForNamespace(world, client, clusterNamespace, name);
  return world.until(`APIServiceNamespace ${name} has its namespace`, async () => {
    const { status } = await client.get<APIServiceNamespace>(resources.apiServiceNamespaces, key);
    return status?.namespace;
  });
}
