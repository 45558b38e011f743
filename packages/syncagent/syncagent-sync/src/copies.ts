import type { Resource, UnstructuredObject } from '@hawser/client';
import type { ClusterKey, Informer, InformerHandle, SharedInformers } from '@hawser/informer';
import { identityLabels, identityOf, labels } from '@hawser/syncagent-api';

import { NAME_HASH } from './marks.js';

/**
 * The copies of primary objects on the service cluster, found by their labels, never by their names
 * (`spec/api-syncagent.md §11.1`).
 */
export interface Copies {
  readonly informer: Pick<Informer<UnstructuredObject>, 'state' | 'onStateChange' | 'hasSynced' | 'relist'>;
  synced(signal: AbortSignal): Promise<void>;
  /** More than one is an error that a person must solve. */
  of(identity: ClusterKey): readonly UnstructuredObject[];
  /** Whether there is any copy in this namespace. */
  anyIn(namespace: string): boolean;
  /** Whether there is any copy of an object of this logical cluster, of any sync or agent. */
  anyOf(cluster: string): boolean;
  all(): readonly UnstructuredObject[];
  /** Takes in the answer of a write or of a live read. */
  observe(copy: UnstructuredObject): void;
  /** Keeps equal parts of a copy in step and its source only once. See {@link Informer.share}. */
  share(copy: UnstructuredObject, source: UnstructuredObject): void;
  close(): void;
}

/** A change of a copy. `undefined` as identity: its marks are broken. `reread`: new content in the known version. */
export type CopyListener = (
  identity: ClusterKey | undefined,
  copy: UnstructuredObject,
  how: 'present' | 'gone' | 'reread',
) => void;

const BY_IDENTITY = 'remote-identity';

/**
 * Watches everything with the mark of a copy, of any agent. So an object with a copy never gets a second one, and a
 * copy without its agent label is seen. `isOfOtherPublication`: copies of another sync. `onRestored`: the service
 * cluster was restored to an older state.
 */
export function openCopies(
  informers: SharedInformers,
  resource: Resource,
  isOfOtherPublication: (copy: UnstructuredObject) => boolean,
  listener: CopyListener,
  onRestored: () => void,
): Copies {
  const informer: InformerHandle<UnstructuredObject> = informers.acquire<UnstructuredObject>({
    resource,
    labelSelector: NAME_HASH,
  });
  informer.addIndex(BY_IDENTITY, indexed);
  const subscription = informer.addHandler({
    onAdd(copy) {
      listener(identityOf(copy), copy, 'present');
    },
    onUpdate(before, copy) {
      const [was, is] = [identityOf(before), identityOf(copy)];
      // The object that the removed marks named puts them back.
      if (was !== undefined && (is === undefined || indexed(before)[0] !== indexed(copy)[0]))
        listener(was, before, 'gone');
      listener(is, copy, before.metadata.resourceVersion === copy.metadata.resourceVersion ? 'reread' : 'present');
    },
    onDelete(copy) {
      listener(identityOf(copy), copy, 'gone');
    },
    onRestored,
  });
  return {
    informer,
    synced: (signal) => informer.synced(signal),
    of: (identity) =>
      informer.byIndex(BY_IDENTITY, indexOf(identityLabels(identity))).filter((copy) => !isOfOtherPublication(copy)),
    anyIn: (namespace) => informer.list(namespace).length > 0,
    anyOf: (cluster) => informer.list().some(({ metadata }) => metadata.labels?.[labels.remoteCluster] === cluster),
    all: () => informer.list().filter((copy) => !isOfOtherPublication(copy)),
    observe(copy) {
      informer.observe(copy);
    },
    share: ({ metadata: { namespace, name } }, source) => {
      informer.share({ namespace, name }, source);
    },
    close() {
      subscription.close();
      informer.release();
    },
  };
}

function indexed({ metadata: { labels = {} } }: UnstructuredObject): readonly string[] {
  return labels[NAME_HASH] === undefined ? [] : [indexOf(labels)];
}

function indexOf(labels: Readonly<Record<string, string>>): string {
  return IDENTITY_LABELS.map((label) => labels[label] ?? '').join('|');
}

const IDENTITY_LABELS = Object.keys(identityLabels({ cluster: 'c', namespace: 'n', name: 'n' })).sort();
