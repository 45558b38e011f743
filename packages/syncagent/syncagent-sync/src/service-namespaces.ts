import {
  type Client,
  type KubeObject,
  type Resource,
  firstObjectIn,
  getIfExists,
  isAlreadyExists,
  isApiError,
} from '@hawser/client';
import type { Logger } from '@hawser/telemetry';

import { CREATED_BY } from './marks.js';

export const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/**
 * Namespaces on the service cluster: created when a copy needs one, and removed when empty if this agent created them.
 */
export interface ServiceNamespaces {
  make(namespace: string, signal: AbortSignal): Promise<void>;
  /**
   * Runs work that puts an object into this namespace: protects it from removal meanwhile, also from one based on
   * earlier reads.
   */
  within<T>(namespace: string, work: () => Promise<T>): Promise<T>;
  /**
   * Call it after a copy of ours has left this namespace; `stillUsed`: another is known there. `occupied`: other
   * objects are still in it, and no event reports their end. Never rejects: a namespace that stays does no harm.
   */
  left(namespace: string, stillUsed: () => boolean, signal: AbortSignal): Promise<'settled' | 'occupied'>;
}

/** Namespaces of the Go agent have no mark, and stay; so do foreign ones. */
export function createServiceNamespaces({
  client,
  agentName,
  logger,
}: {
  readonly client: Client;
  readonly agentName: string;
  readonly logger: Logger;
}): ServiceNamespaces {
  const owner = agentName === '' ? 'hawser' : agentName;
  let mayDelete = true;
  /** Namespace → times an object was put into it. Only for those being checked. */
  const entered = new Map<string, number>();
  const removals = new Map<string, Promise<unknown>>();
  /**
   * An object in a namespace; undefined: it is empty. Looks twice: types are listed one after the other, and the first
   * look misses objects that arrive in types listed already.
   */
  const occupantOf = async (namespace: string, signal: AbortSignal): Promise<string | undefined> =>
    (await firstObjectIn(client, namespace, () => false, signal)) ??
    (await firstObjectIn(client, namespace, () => false, signal));
  return {
    async within(namespace, work) {
      await removals.get(namespace);
      const times = entered.get(namespace);
      if (times !== undefined) entered.set(namespace, times + 1);
      return work();
    },
    async make(namespace, signal) {
      try {
        await client.create(
          namespaces,
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations: { [CREATED_BY]: owner } } },
          { signal },
        );
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
    async left(namespace, stillUsed, signal) {
      if (!mayDelete || stillUsed()) return 'settled';
      try {
        const live = await getIfExists<KubeObject>(
          client,
          namespaces,
          { name: namespace },
          { representation: 'metadata', signal },
        );
        if (
          live === undefined ||
          live.metadata.deletionTimestamp !== undefined ||
          live.metadata.annotations?.[CREATED_BY] !== owner
        )
          return 'settled';
        entered.set(namespace, 0);
        const occupant = await occupantOf(namespace, signal);
        if (stillUsed()) return 'settled';
        if (occupant !== undefined || entered.get(namespace) !== 0) return 'occupied';
        const { uid, resourceVersion } = live.metadata;
        const removal = client.delete(
          namespaces,
          { name: namespace },
          { preconditions: { uid, resourceVersion }, signal },
        );
        removals.set(
          namespace,
          removal.catch(() => undefined),
        );
        await removal;
        logger.info('removed a namespace that this agent had made', { namespace });
        return 'settled';
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (error.code !== 'Forbidden') {
          logger.debug('a namespace stays for now', { namespace, code: error.code });
          return 'occupied';
        }
        mayDelete = false;
        logger.warn(
          'namespaces made by this agent are not removed: the right to look into them, or to delete them, is missing',
          { namespace, request: error.message },
        );
        return 'settled';
      } finally {
        entered.delete(namespace);
        removals.delete(namespace);
      }
    },
  };
}
