import { type AdmittedWrite, forbidden, metaOf, objectField, stringField } from '@hawser/apiserver';
import { SLICES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import type { World } from '../world.js';
import { mayBind } from './bindings.js';

/** Creating a slice requires verb `bind` on its export. */
export function validateSlice(world: World, cluster: LogicalCluster, { object, previous, user }: AdmittedWrite): void {
  if (previous !== undefined || user === undefined) return;
  const reference = objectField(objectField(object, 'spec'), 'export');
  const path = stringField(reference, 'path');
  const name = stringField(reference, 'name');
  const found = world.findExport(cluster, path, name);
  if (found !== undefined && mayBind(found.cluster, user, name)) return;
  throw forbidden(
    SLICES,
    metaOf(object).name ?? '',
    `unable to create APIExportEndpointSlice: no permission to bind to export ${path === '' ? name : `${path}:${name}`}`,
  );
}
