import { isNotFound } from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import { type APIServiceExport, commitStatus, resources } from '@hawser/kube-bind';
import { heldConditionOf, withHolds } from './held-condition.js';
import type { Hold } from './hold.js';
import type { PropagationCaches } from './propagation-caches.js';

/** Says on an export which of its schemas are held, in a condition and an Event; writes nothing if that is said already. */
export async function tellHolds(
  { clock, random, clusters: { provider } }: ControllerContext<'provider'>,
  { client, exports }: PropagationCaches,
  found: APIServiceExport,
  held: readonly Hold[],
  signal: AbortSignal,
): Promise<void> {
  if (withHolds(found.status, held, clock.now()).conditions === found.status?.conditions) return;
  try {
    const written = await commitStatus(
      client,
      resources.apiServiceExports,
      found,
      (status) => withHolds(status, held, clock.now()),
      { clock, random, signal },
    );
    if (written !== undefined) exports.observe(written);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  const condition = heldConditionOf(held);
  const {
    apiVersion,
    kind,
    metadata: { namespace, name, uid },
  } = found;
  if (condition !== undefined)
    provider.events.record({ apiVersion, kind, namespace, name, uid }, { type: 'Warning', ...condition });
}
