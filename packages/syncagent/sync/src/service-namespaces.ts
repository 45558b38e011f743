import { type Client, type KubeObject, type Resource, firstObjectIn, getIfExists, isAlreadyExists, isApiError } from '@hawser/client';
import type { Logger } from '@hawser/telemetry';

import { CREATED_BY } from './marks.js';

export const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** Namespaces on the service cluster: made where a copy needs one, and removed when nothing is left in one that was made by this agent. */
export interface ServiceNamespaces {
  make(namespace: string, signal: AbortSignal): Promise<void>;
  /**
   * A copy of ours has left this namespace, and `stillUsed` says that no other is known there. `occupied`: something else is still in it, and nothing tells when that
   * goes. Never rejects: a namespace that stays harms nobody.
   */
  left(namespace: string, stillUsed: () => boolean, signal: AbortSignal): Promise<'settled' | 'occupied'>;
}

/** Namespaces of the Go agent bear no mark, and stay; so do those that somebody else has made. */
export function createServiceNamespaces({ client, agentName, logger }: { readonly client: Client; readonly agentName: string; readonly logger: Logger }): ServiceNamespaces {
  const owner = agentName === '' ? 'hawser' : agentName;
  let mayDelete = true;
  return {
    async make(namespace, signal) {
      try {
        await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations: { [CREATED_BY]: owner } } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
    async left(namespace, stillUsed, signal) {
      if (!mayDelete || stillUsed()) return 'settled';
      try {
        const live = await getIfExists<KubeObject>(client, namespaces, { name: namespace }, { representation: 'metadata', signal });
        if (live === undefined || live.metadata.deletionTimestamp !== undefined || live.metadata.annotations?.[CREATED_BY] !== owner) return 'settled';
        const occupant = await firstObjectIn(client, namespace, () => false, signal);
        if (stillUsed()) return 'settled';
        if (occupant !== undefined) return 'occupied';
        const { uid, resourceVersion } = live.metadata;
        await client.delete(namespaces, { name: namespace }, { preconditions: { uid, resourceVersion }, signal });
        logger.info('removed a namespace that this agent had made', { namespace });
        return 'settled';
      } catch (error) {
        if (!isApiError(error)) throw error;
        if (error.code !== 'Forbidden') {
          logger.debug('a namespace stays for now', { namespace, code: error.code });
          return 'occupied';
        }
        mayDelete = false;
        logger.warn('namespaces made by this agent are not removed: the right to look into them, or to delete them, is missing', { namespace, request: error.message });
        return 'settled';
      }
    },
  };
}
