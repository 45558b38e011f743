import type { Resource } from '@hawser/client';

import type { RelatedRule } from '../rules.js';
import { secrets } from './installation.js';

/**
 * Rule like `reference: {path: spec.<field>}` without a namespace: the same value on both sides, beside the primary.
 */
export function byReference(
  identifier: string,
  origin: 'kcp' | 'service',
  field: string,
  more: Partial<RelatedRule> = {},
): RelatedRule {
  const resource: Resource = more.resources?.kcp ?? secrets;
  return {
    identifier,
    origin,
    cleanup: false,
    syncStatus: false,
    mutations: undefined,
    resources: { kcp: resource, service: resource },
    async resolve({ kcp, service }, readers) {
      const name = (kcp['spec'] as Record<string, unknown>)[field];
      if (typeof name !== 'string') return [];
      const [from, to] = origin === 'kcp' ? [kcp, service] : [service, kcp];
      const object = await readers.get(resource, { namespace: from.metadata.namespace, name });
      return object === undefined
        ? []
        : [
            {
              origin: { namespace: from.metadata.namespace, name, object },
              destination: { namespace: to.metadata.namespace, name },
            },
          ];
    },
    ...more,
  };
}
