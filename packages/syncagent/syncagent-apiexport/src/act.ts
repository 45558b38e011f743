import { type Client, isApiError } from '@hawser/client';
import type { Cluster } from '@hawser/controller';
import { type APIExport, resources } from '@hawser/kcp-api';
import type { Caches } from './caches.js';
import type { ExportChange } from './decide.js';

/** The one place that writes to the export, and tells of it. */
export class ExportActor {
  readonly #provider: Cluster;
  readonly #exports: Caches['exports'];

  constructor(provider: Cluster, { exports }: Pick<Caches, 'exports'>) {
    this.#provider = provider;
    this.#exports = exports;
  }

  /** Answers with the export as it then is. */
  async carryOut(current: APIExport, change: ExportChange | undefined, signal: AbortSignal): Promise<APIExport> {
    if (change === undefined) return current;
    const written = await writeExport(this.#provider.client, current, change, signal);
    this.#exports.observe(written);
    const { addedClaims, addedSchemas, removedSchemas } = change;
    this.#tell(written, 'Normal', 'AddingPermissionClaims', 'Added the permission claims', addedClaims);
    this.#tell(written, 'Normal', 'AddingResourceSchemas', 'Added the schemas', addedSchemas);
    this.#tell(written, 'Warning', 'RemovingResourceSchemas', 'Replaced the schemas', removedSchemas);
    return written;
  }

  #tell(
    { apiVersion, kind, metadata }: APIExport,
    type: 'Normal' | 'Warning',
    reason: string,
    words: string,
    names: readonly string[],
  ): void {
    if (names.length === 0) return;
    this.#provider.events.record(
      { apiVersion, kind, name: metadata.name, uid: metadata.uid },
      { type, reason, message: `${words} ${names.join(', ')}.` },
    );
  }
}

/** Writes a change to the version of the export that it was made for. */
function writeExport(
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
