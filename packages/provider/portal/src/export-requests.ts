import { createHash } from 'node:crypto';
import { type Client, getIfExists, isAlreadyExists } from '@hawser/client';
import {
  type APIServiceExportRequest,
  type APIServiceExportRequestSpec,
  type APIServiceExportTemplate,
  type ExportRequestDocument,
  apiVersion,
  claimId,
  requestSpecOf,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { canonical, equal } from '@hawser/json';
import { Refusal } from './answer.js';

/** What a consumer asks its provider for when it binds a template. */
export function requestOf(bindingName: string, { spec }: APIServiceExportTemplate): ExportRequestDocument {
  return {
    kind: 'APIServiceExportRequest',
    apiVersion,
    metadata: { name: bindingName },
    spec: requestSpecOf(spec),
  };
}

/**
 * Asks for the export in the consumer's place, as the consumer could do with its own kubeconfig. A request that asks for the same is left as it is.
 * @throws {Refusal} where the name stands for something else, or for what was refused
 * @throws {ApiError}
 */
export async function ensureRequest(
  client: Pick<Client, 'get' | 'create'>,
  namespace: string,
  document: ExportRequestDocument,
  signal: AbortSignal,
): Promise<void> {
  const { name } = document.metadata;
  const key = { namespace, name };
  const known = await getIfExists<APIServiceExportRequest>(client, resources.apiServiceExportRequests, key, { signal });
  if (known === undefined) {
    try {
      await client.create(resources.apiServiceExportRequests, { ...document, metadata: key }, { signal });
      return;
    } catch (error) {
      // Another request of the same person was first, or the cluster itself. What it asks for is looked at below.
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const there =
    known ?? (await getIfExists<APIServiceExportRequest>(client, resources.apiServiceExportRequests, key, { signal }));
  if (there === undefined) return ensureRequest(client, namespace, document, signal);
  if (there.status?.phase !== 'Failed' && equal(askedFor(there.spec), askedFor(document.spec))) return;
  throw new Refusal(
    409,
    'BAD_REQUEST',
    there.status?.phase === 'Failed'
      ? `The provider has refused the binding ${JSON.stringify(name)} of this cluster. Choose another name for the binding, or ask the administrator of the provider for the reason.`
      : `This cluster has a binding ${JSON.stringify(name)} for something else. Choose another name for the binding.`,
  );
}

/** Tells whether a template still offers what a person has read. */
export function requestHash({ spec }: ExportRequestDocument): string {
  return createHash('sha256').update(canonical(spec)).digest('hex');
}

/** Without what the API server fills in. */
function askedFor(spec: APIServiceExportRequestSpec): readonly string[][] {
  const { resources: wanted, permissionClaims = [], namespaces = [], schemaUpdatePolicy = 'Never' } = spec;
  return [
    wanted.map(resourceGroupName).sort(),
    permissionClaims.map(claimId).sort(),
    namespaces.map(({ name }) => name).sort(),
    [schemaUpdatePolicy],
  ];
}
