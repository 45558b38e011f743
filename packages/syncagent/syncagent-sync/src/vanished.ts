import { type Client, type Resource, getIfExists } from '@hawser/client';
import { labels, sha1Hex } from '@hawser/syncagent-api';
import type { Logger } from '@hawser/telemetry';

import type { RememberedObject, StateStore } from './state-store.js';

/** Where a logical cluster was when something was last written down of an object in it. */
export interface WorkspaceOrigin {
  /** Path of its workspace. */
  readonly path: string;
  /** {@link endpointId} of the virtual workspace that showed it. */
  readonly endpoint: string;
}

/** Short for the URL of a virtual workspace: it is written down with every object. */
export function endpointId(url: string): string {
  return sha1Hex(url).slice(0, 12);
}

/**
 * Forgets objects of workspaces that are no more: where a workspace goes without its objects being seen to go, as after finalizers were taken off by hand, nothing else removes their state
 * Secrets. That a workspace is not shown proves nothing: see {@link VanishedOptions.isGone}.
 */
export interface Vanished {
  /**
   * One look at a logical cluster. `settled`: nothing is to be forgotten. `kept`: there is something, and it stays for now. `more`: so much was deleted as may be at once.
   * @throws {ApiError} where something cannot be read.
   */
  look(cluster: string, signal: AbortSignal): Promise<'settled' | 'kept' | 'more'>;
}

export interface VanishedOptions {
  readonly state: StateStore;
  readonly service: Client;
  /** Of the copies. */
  readonly resource: Resource;
  /** The published resource in kcp. */
  readonly published: { readonly apiVersion: string; readonly kind: string };
  /** No virtual workspace shows the logical cluster, all of them are read, and all objects that they show were looked at. */
  readonly isUnseen: (cluster: string) => boolean;
  /** Whether any copy of an object of it is known. */
  readonly hasCopies: (cluster: string) => boolean;
  /** Whether kcp says, now, that the workspace does not exist any more. False wherever that is not certain. */
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
  /** What was synced beside the object. Without a record of where, nothing shows that it is gone. */
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
        // Asked anew for each: it is what everything hangs on.
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
