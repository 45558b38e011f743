import { type AdmittedWrite, metaOf, withMeta } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { ClaimLabels } from '../claim-labels.js';
import { BINDINGS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { CLAIMED } from '../names.js';
import { isResource } from '../resource.js';
import type { World } from '../world.js';

/** Sets the labels of matching claims on an object from its creation; no user can set or remove them. */
export function labelled(world: World, cluster: LogicalCluster, { object, resource }: AdmittedWrite): JsonObject {
  if (isResource(resource, BINDINGS)) return object;
  const labels = metaOf(object).labels ?? {};
  const has = Object.keys(labels).some((key) => key.startsWith(CLAIMED));
  const claims = new ClaimLabels(world, cluster);
  if (claims.empty && !has) return object;
  const kept = Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith(CLAIMED)));
  const next = { ...kept, ...claims.labelsFor(resource, object) };
  return Object.keys(next).length === 0 && metaOf(object).labels === undefined
    ? object
    : withMeta(object, { labels: Object.keys(next).length === 0 ? undefined : next });
}
