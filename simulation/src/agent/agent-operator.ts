import type { JsonObject } from '@hawser/json';
import type { SimCluster } from '../sim-cluster.js';
import type { VirtualTime } from '../virtual-time.js';
import { KEPT } from './meddling.js';
import { CRONTABS, SECRETS, type Item, contentOf, itemOf } from './item.js';

const WORKS_FOR_MS = 1_500;
const FINALIZER = 'example.com/cleanup';

/** Notifications to the operator. */
export interface AgentOperator {
  /** The cluster has an older state again. */
  lookAgain(): void;
}

/**
 * The service owner's operator: makes a Secret beside each copy, then reports in its status. Holds a deleted copy until
 * its Secret is gone.
 */
export function startAgentOperator(cluster: SimCluster, time: VirtualTime): AgentOperator {
  const work = (namespace: string, name: string): void => {
    const copy = cluster.up ? cluster.objects.get(CRONTABS, { namespace, name }) : undefined;
    if (!cluster.up) workSoon(namespace, name);
    if (copy !== undefined && !name.startsWith(KEPT)) keep(cluster, namespace, copy, itemOf(copy));
  };
  const workSoon = (namespace: string, name: string): void => {
    time.setTimeout(() => {
      work(namespace, name);
    }, WORKS_FOR_MS);
  };
  cluster.onChange(({ type, resource, key }) => {
    if (type !== 'DELETED' && resource.resource === CRONTABS.resource) workSoon(key.namespace, key.name);
  });
  return {
    lookAgain: () => {
      for (const copy of cluster.objects.list(CRONTABS)) {
        const { namespace = '', name } = copy['metadata'] as { readonly namespace?: string; readonly name: string };
        workSoon(namespace, name);
      }
    },
  };
}

function keep({ objects }: SimCluster, namespace: string, copy: JsonObject, item: Item): void {
  const { terminating, finalizers, secretName: name } = item;
  const secret = objects.get(SECRETS, { namespace, name });
  const withFinalizers = (next: readonly string[]): JsonObject =>
    objects.update(
      CRONTABS,
      { ...copy, metadata: { ...(copy['metadata'] as JsonObject), finalizers: [...next] } },
      { fieldManager: 'operator' },
    );
  if (terminating) {
    if (secret !== undefined) objects.delete(SECRETS, { namespace, name });
    if (finalizers.includes(FINALIZER)) withFinalizers(finalizers.filter((each) => each !== FINALIZER));
    return;
  }
  const current = finalizers.includes(FINALIZER) ? copy : withFinalizers([...finalizers, FINALIZER]);
  const data = { content: Buffer.from(contentOf(item.workspace, item.object, item.value)).toString('base64') };
  if (secret === undefined)
    objects.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data });
  else if ((secret['data'] as JsonObject | undefined)?.['content'] !== data.content)
    objects.update(SECRETS, { ...secret, data });
  if (item.status !== item.value)
    objects.update(CRONTABS, { ...current, status: { value: item.value } }, { subresource: 'status' });
}
