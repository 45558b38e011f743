import { isDeleting, metaOf, objectField, objectsField, stringField } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { referenceOf } from '../bindings.js';
import { BINDINGS, SCHEMAS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import type { World } from '../world.js';

/**
 * Whether another binding of the workspace takes over a resource of this one: its export serves it by the same schema,
 * with the same identity. Then nothing is deleted with this binding (kcp after 0.32.3).
 */
export function isAdopted(world: World, cluster: LogicalCluster, binding: JsonObject, bound: JsonObject): boolean {
  return cluster.objects
    .list(BINDINGS)
    .some(
      (other) =>
        metaOf(other).name !== metaOf(binding).name && !isDeleting(other) && servesAlike(world, cluster, other, bound),
    );
}

function servesAlike(world: World, cluster: LogicalCluster, binding: JsonObject, bound: JsonObject): boolean {
  const { path, name } = referenceOf(binding);
  const found = world.findExport(cluster, path, name);
  if (found === undefined) return false;
  const { cluster: provider, object } = found;
  const schema = objectField(bound, 'schema');
  if (stringField(objectField(object, 'status'), 'identityHash') !== stringField(schema, 'identityHash')) return false;
  return objectsField(objectField(object, 'spec'), 'resources').some((resource) => {
    const stored = provider.objects.get(SCHEMAS, { namespace: '', name: stringField(resource, 'schema') });
    const spec = objectField(stored, 'spec');
    return (
      stored !== undefined &&
      metaOf(stored).uid === stringField(schema, 'UID') &&
      stringField(spec, 'group') === stringField(bound, 'group') &&
      stringField(objectField(spec, 'names'), 'plural') === stringField(bound, 'resource')
    );
  });
}
