import { isTerminating, objectKey } from '@hawser/client';
import { StaleError } from '@hawser/controller';
import { releasedBecause, type WithdrawnObjectsPolicy, withdrawnObjectsPolicyOf } from '@hawser/kube-bind';
import { type ExportObject, hasEnded, resourcesOf } from './export-object.js';
import type { LiveReader } from './live-reader.js';
import type { ProviderCaches } from './provider-caches.js';

export interface ReleaseSources {
  readonly reader: LiveReader;
  readonly caches: Pick<ProviderCaches, 'crdOf'>;
  /** Of exports without an annotation. */
  readonly policy: WithdrawnObjectsPolicy;
}

/**
 * Confirms by live reads that an ended export whose copies go with it has none, before its finalizer is removed: after
 * a restored backup, the caches lack namespaces and exports for a while, or show a deletion that was undone.
 * @throws {ApiError | StaleError}
 */
export async function confirmRelease(
  { reader, caches, policy }: ReleaseSources,
  found: ExportObject,
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = found;
  const keeps = withdrawnObjectsPolicyOf(metadata, policy).policy === 'Keep';
  if (!hasEnded(found) || keeps || releasedBecause(metadata) !== undefined) return;
  const clusterNamespace = metadata.namespace ?? '';
  const { namespace, exports } = await reader.end(clusterNamespace, signal);
  if (namespace === undefined || isTerminating(namespace)) return;
  const others = exports.filter((one) => one.metadata.uid !== metadata.uid).flatMap(resourcesOf);
  const resources = resourcesOf(found).filter((resource) => !others.includes(resource));
  const crds = await Promise.all(resources.map((resource) => caches.crdOf(resource, signal)));
  const reading = await reader.copies(
    found,
    crds.filter((crd) => crd !== undefined),
    await reader.copyNamespaces(clusterNamespace, signal),
    signal,
  );
  const ended = `APIServiceExport ${objectKey(found)}`;
  if (reading.kind === 'refused')
    throw new StaleError(
      'StaleExport',
      `copies of ${ended} cannot be read, and it keeps its finalizer: ${reading.message}`,
    );
  if (reading.copies.size > 0)
    throw new StaleError('StaleExport', `${ended} still has copies, and keeps its finalizer`);
}
