import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';

import type { Rules } from './rules.js';

/**
 * Whether the filter of the PublishedResource selects an object (`spec/api-syncagent.md §2.4`). `unknown`: its
 * namespace is invisible.
 */
export type Selection = 'selected' | 'notSelected' | 'unknown' | 'notReady';

/**
 * A terminating object is looked at whatever its labels: it may have a copy. A cluster-scoped object counts as one in a
 * namespace without labels. An invisible namespace decides nothing: its claim may not be accepted.
 */
export function selectionOf(
  { metadata: { labels = {}, namespace, deletionTimestamp } }: UnstructuredObject,
  cluster: string,
  { resource, namespace: ofNamespace }: Rules['filter'],
  namespaces: InformerHandle<KubeObject> | undefined,
): Selection {
  if (deletionTimestamp !== undefined) return 'selected';
  if (resource !== undefined && !resource(labels)) return 'notSelected';
  if (ofNamespace === undefined) return 'selected';
  if (namespace === undefined) return ofNamespace({}) ? 'selected' : 'notSelected';
  if (namespaces?.hasSynced !== true) return 'notReady';
  const found = namespaces.get({ cluster, name: namespace });
  if (found === undefined) return 'unknown';
  return ofNamespace(found.metadata.labels ?? {}) ? 'selected' : 'notSelected';
}
