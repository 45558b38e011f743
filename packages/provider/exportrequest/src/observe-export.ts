import { type Client, getIfExists, objectKey } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  hawserAnnotations,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { wantsRestoring } from './decide-export.js';
import type { ExportCaches } from './export-caches.js';
import type { ObservedExport, RequestPresence } from './export-decision.js';
import type { Asked } from './template/admission.js';
import type { Admitter } from './template/admitter.js';

/** Reads one export with everything that it must match. @throws {ApiError} of a live read that fails */
export async function observeExport(
  client: Client,
  caches: ExportCaches,
  admitter: Admitter,
  key: string,
  signal: AbortSignal,
): Promise<ObservedExport> {
  const found = caches.exports.get(key);
  const seen: ObservedExport = {
    export: found,
    boundSchemas: schemasOf(caches, found),
    request: await presenceOf(client, caches, key, found, signal),
  };
  if (found === undefined || !wantsRestoring(seen)) return seen;
  const asked = askedBy(found, caches.requests.get(key));
  return { ...seen, asked, readmission: await admitter.admit(asked, signal) };
}

/** Reads the request live: a missing request takes rights away, so a missing cache entry is not enough. */
async function presenceOf(
  client: Client,
  { requests }: ExportCaches,
  key: string,
  found: APIServiceExport | undefined,
  signal: AbortSignal,
): Promise<RequestPresence> {
  if (found?.metadata.annotations?.[hawserAnnotations.request] === undefined) return { kind: 'unknown' };
  const { namespace, name } = found.metadata;
  const request =
    requests.get(key) ??
    (await getIfExists<APIServiceExportRequest>(
      client,
      resources.apiServiceExportRequests,
      { namespace, name },
      { signal },
    ));
  return request === undefined
    ? { kind: 'gone' }
    : { kind: 'present', uid: request.metadata.uid, answered: request.status?.phase === 'Succeeded' };
}

function schemasOf(
  { boundSchemas }: ExportCaches,
  found: APIServiceExport | undefined,
): ReadonlyMap<string, BoundSchema> {
  const schemas = new Map<string, BoundSchema>();
  for (const resource of found?.spec.resources ?? []) {
    const schema = boundSchemas.get(
      objectKey({ namespace: found?.metadata.namespace, name: resourceGroupName(resource) }),
    );
    if (schema !== undefined) schemas.set(schema.metadata.name, schema);
  }
  return schemas;
}

/** Expresses an export's grant as a request. How schemas change depends on the export's request. */
function askedBy({ metadata, spec }: APIServiceExport, request: APIServiceExportRequest | undefined): Asked {
  const policy = request?.status?.phase === 'Succeeded' ? request.spec.schemaUpdatePolicy : undefined;
  const { resources: wanted, permissionClaims } = spec;
  return {
    metadata,
    spec: {
      resources: wanted,
      ...(permissionClaims === undefined ? {} : { permissionClaims }),
      ...(policy === undefined ? {} : { schemaUpdatePolicy: policy }),
    },
  };
}
