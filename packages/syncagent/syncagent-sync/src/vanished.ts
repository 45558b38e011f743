import { type Client, type Resource, getIfExists } from '@hawser/client';
import { labels, sha1Hex } from '@hawser/syncagent-api';
import type { Logger } from '@hawser/telemetry';

import type { RememberedObject, StateStore } from './state-store.js';

/** Workspace of a logical cluster at the last record of an object in it. */
export interface WorkspaceOrigin {
  /** Path of its workspace. */
  readonly path: string;
  /** {@link endpointId} of the virtual workspace that showed it. */
  readonly endpoint: string;
}

/** Short form of a virtual workspace's URL: it is recorded with every object. */
export function endpointId(url: string): string {
  return sha1Hex(url).slice(0, 12);
}

/**
 * Forgets objects of deleted workspaces. If a workspace goes without visible deletions of its objects, as after
 * finalizers were removed by hand, nothing else removes their state Secrets. An invisible workspace proves nothing: see
 * {@link VanishedOptions.isGone}.
 */
export interface Vanished {
  /**
   * One look at a logical cluster. `settled`: nothing to forget. `kept`: something stays for now. `more`: the limit of
   * deletions is reached.
   * @throws {ApiError} where something cannot be read.
   */
  look(cluster: string, signal: AbortSignal): Promise<'settled' | 'kept' | 'more'>;
}

export interface VanishedOptions {
  readonly state: StateStore;
  readonly service: Client;
  /** Resource of the copies. */
  readonly resource: Resource;
  /** The published resource in kcp. */
  readonly published: { readonly apiVersion: string; readonly kind: string };
  /** No virtual workspace shows the logical cluster, all of them are readable, and all their objects were looked at. */
  readonly isUnseen: (cluster: string) => boolean;
  /** Whether any copy of an object of it is known. */
  readonly hasCopies: (cluster: string) => boolean;
  /** Whether kcp now states that the workspace no longer exists. False if that is uncertain. */
  readonly isGone: (cluster: string, origin: WorkspaceOrigin, signal: AbortSignal) => Promise<boolean>;
  readonly forgotten: (cluster: string, path: string, count: number) => void;
  readonly logger: Logger;
}

/** State Secrets deleted at one look. */
const AT_ONCE = 10;

export function createVanished({
  state,
  service,
  resource,
  published,
  isUnseen,
  hasCopies,
  isGone,
  forgotten,
  logger,
}: VanishedOptions): Vanished {
  /** Whether a further synced object is left. Without its recorded place, nothing shows that it is gone. */
  const isLeft = async ({ records, hasUnrecorded }: RememberedObject, signal: AbortSignal): Promise<boolean> => {
    if (hasUnrecorded) return true;
    for (const { origin, service: of, destination } of records)
      if (
        origin === 'kcp' &&
        (await getIfExists(service, of, destination, { representation: 'metadata', signal })) !== undefined
      )
        return true;
    return false;
  };
  return {
    async look(cluster, signal) {
      if (!isUnseen(cluster)) return 'settled';
      const remembered = state.of(cluster, published);
      if (remembered.length === 0) return 'settled';
      if (hasCopies(cluster)) return 'kept';
      const { items } = await service.list(resource, {
        labelSelector: `${labels.remoteCluster}=${cluster}`,
        limit: 1,
        representation: 'metadata',
        signal,
      });
      if (items.length > 0) return 'kept';
      let kept = 0;
      let deleted = 0;
      let path = '';
      for (const object of remembered) {
        if (deleted === AT_ONCE) break;
        const { origin } = object;
        // Read anew for each: everything depends on it.
        if (
          origin === undefined ||
          (await isLeft(object, signal)) ||
          !(await isGone(cluster, origin, signal)) ||
          !isUnseen(cluster) ||
          hasCopies(cluster)
        ) {
          kept++;
          continue;
        }
        if ((await state.drop(object, signal)) === 'left') return 'kept';
        deleted++;
        path = origin.path;
        logger.info(
          'A state Secret was deleted: the workspace of its object is deleted, and nothing of it is left on the service cluster.',
          { workspace: cluster, path, secretName: object.secret.metadata.name },
        );
      }
      if (deleted > 0) forgotten(cluster, path, deleted);
      return deleted + kept < remembered.length ? 'more' : kept > 0 ? 'kept' : 'settled';
    },
  };
}
