import { metaOf, withMeta } from '@hawser/apiserver';
import { ClaimLabels } from '../claim-labels.js';
import { BINDINGS } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { CLAIMED } from '../names.js';
import { isResource } from '../resource.js';
import { BY_KCP, type ControllerHost } from './controller.js';

/** Labels existing objects when a claim is accepted, and unlabels them when it no longer is. */
export function syncClaims(host: ControllerHost, cluster: LogicalCluster): void {
  const labels = new ClaimLabels(host.world, cluster);
  for (const resource of cluster.objects.resources()) {
    if (isResource(resource, BINDINGS)) continue;
    for (const object of cluster.objects.list(resource)) {
      const before = metaOf(object).labels ?? {};
      const wanted = labels.labelsFor(resource, object);
      const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !key.startsWith(CLAIMED)));
      const next = { ...kept, ...wanted };
      if (!isEqual(before, next))
        cluster.objects.update(
          resource,
          withMeta(object, { labels: Object.keys(next).length === 0 ? undefined : next }),
          BY_KCP,
        );
    }
  }
}

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
