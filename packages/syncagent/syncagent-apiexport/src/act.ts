import { type Client, isApiError } from '@hawser/client';
import { type APIExport, resources } from '@hawser/kcp-api';
import type { ExportChange } from './decide.js';

/** Writes a change to the version of the export that it was made for. */
export function writeExport(
  client: Client,
  current: APIExport,
  { annotations, resources: entries, claims }: ExportChange,
  signal: AbortSignal,
): Promise<APIExport> {
  const { name, uid, resourceVersion } = current.metadata;
  const spec = {
    ...(entries === undefined ? {} : { resources: entries }),
    ...(claims === undefined ? {} : { permissionClaims: claims }),
  };
  const patch = {
    metadata: { uid, resourceVersion, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  return client.patch<APIExport>(resources.apiExports, { name }, { type: 'merge', patch }, { signal });
}

/** Whether kcp does not want what was sent, as opposed to not being there. */
export function isRefusal(error: unknown): boolean {
  return isApiError(error, 'Forbidden', 'Invalid', 'BadRequest');
}
