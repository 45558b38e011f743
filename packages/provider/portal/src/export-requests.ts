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

/** The request of a consumer that binds a template. */
export function requestOf(bindingName: string, { spec }: APIServiceExportTemplate): ExportRequestDocument {
  return {
    kind: 'APIServiceExportRequest',
    apiVersion,
    metadata: { name: bindingName },
    spec: requestSpecOf(spec),
  };
}

/**
 * Creates the export request for the consumer, as it could with its own kubeconfig. An equal request stays.
 * @throws {Refusal} for a name in other use, or a refused request
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
      // A parallel request of the same person was first, or the cluster itself. Its content is checked below.
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

/** Hash that shows whether a template still offers what a person has read. */
export function requestHash({ spec }: ExportRequestDocument): string {
  return createHash('sha256').update(canonical(spec)).digest('hex');
}

/** Without fields that the API server fills in. */
function askedFor(spec: APIServiceExportRequestSpec): readonly string[][] {
  const { resources: wanted, permissionClaims = [], namespaces = [], schemaUpdatePolicy = 'Never' } = spec;
  return [
    wanted.map(resourceGroupName).sort(),
    permissionClaims.map(claimId).sort(),
    namespaces.map(({ name }) => name).sort(),
    [schemaUpdatePolicy],
  ];
}
