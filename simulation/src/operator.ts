import type { Clock } from '@hawser/clock';
import type { JsonObject } from '@hawser/json';
import type { Connections } from './connections.js';
import { nameOfObject, objectNamed } from './model.js';
import type { Binding } from './names.js';
import { sampleOf } from './sample.js';
import type { SimCluster } from './sim-cluster.js';

const WORKS_FOR_MS = 1_500;
const FINALIZER = 'example.com/cleanup';

/**
 * The service owner's operator: reports the spec and its object in the status, some time after each change. It holds
 * deleted copies until its cleanup, and keeps connection Secrets, if there are any. At rest, it only lets go of deleted
 * copies. `conditionsOf`: further conditions of the status. Returns a function that makes it check every object again.
 */
export function startOperator(
  cluster: SimCluster,
  { group, plural }: Binding,
  clock: Clock,
  connections?: Connections,
  isResting: () => boolean = () => false,
  conditionsOf: (object: JsonObject) => JsonObject = () => ({}),
): () => void {
  const resource = { group, resource: plural };
  const work = (namespace: string, name: string): void => {
    if (!cluster.up) {
      clock.setTimeout(() => {
        work(namespace, name);
      }, WORKS_FOR_MS);
      return;
    }
    const current = cluster.objects.get(resource, { namespace, name });
    if (current === undefined) {
      connections?.remove(cluster, namespace, objectNamed(name));
      return;
    }
    const { object, value, uid, status, terminating, finalizers } = sampleOf(current);
    if (terminating) {
      connections?.remove(cluster, namespace, object);
      if (finalizers.includes(FINALIZER))
        setFinalizers(
          cluster,
          current,
          finalizers.filter((name) => name !== FINALIZER),
        );
      return;
    }
    if (isResting()) return;
    if (!finalizers.includes(FINALIZER)) setFinalizers(cluster, current, [...finalizers, FINALIZER]);
    connections?.keep(cluster, namespace, object, value);
    if (status.value === value && status.copy === uid) return;
    cluster.objects.update(
      resource,
      { ...cluster.objects.get(resource, { namespace, name }), status: { value, copy: uid, ...conditionsOf(current) } },
      { subresource: 'status' },
    );
  };
  const setFinalizers = ({ objects }: SimCluster, current: JsonObject, finalizers: readonly string[]): void => {
    objects.update(
      resource,
      { ...current, metadata: { ...(current['metadata'] as JsonObject), finalizers: [...finalizers] } },
      { fieldManager: 'operator' },
    );
  };
  const workSoon = (namespace: string, name: string): void => {
    clock.setTimeout(() => {
      work(namespace, name);
    }, WORKS_FOR_MS);
  };
  cluster.onChange((change) => {
    if (
      (change.type === 'DELETED' && connections === undefined) ||
      change.resource.group !== group ||
      change.resource.resource !== plural
    )
      return;
    workSoon(change.key.namespace, change.key.name);
  });
  return () => {
    if (!cluster.serves(resource)) return;
    for (const object of cluster.objects.list(resource)) {
      const { namespace = '', name = '' } = object['metadata'] as {
        readonly namespace?: string;
        readonly name?: string;
      };
      workSoon(namespace, name);
    }
    for (const { namespace, object } of connections?.list(cluster) ?? []) workSoon(namespace, nameOfObject(object));
  };
}
