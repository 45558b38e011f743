import type { AdmissionPlugin, AdmittedWrite } from '@hawser/apiserver';
import { isResource } from '../resource.js';
import { BINDINGS, EXPORTS, SCHEMAS, SLICES, WORKSPACES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import type { World } from '../world.js';
import { admitBinding, refuseWhileUnbinding, validateBinding } from './bindings.js';
import { labelled } from './claims.js';
import { admitExport, validateExport } from './exports.js';
import { refuseBeyondLimit } from './object-limit.js';
import { validateSchema } from './schemas.js';
import { validateSlice } from './slices.js';
import { admitWorkspace } from './workspaces.js';

/** kcp's admission for writes in a workspace. */
export function workspaceAdmission(world: World, cluster: LogicalCluster): AdmissionPlugin {
  return {
    mutate(write) {
      if (write.subresource !== '') return write.object;
      const object = admitted(world, cluster, write);
      return labelled(world, cluster, { ...write, object });
    },
    validate(write) {
      if (write.subresource !== '') return;
      refuseBeyondLimit(cluster, write);
      if (isResource(write.resource, SCHEMAS)) validateSchema(write);
      else if (isResource(write.resource, EXPORTS)) validateExport(write);
      else if (isResource(write.resource, BINDINGS)) validateBinding(world, cluster, write);
      else if (isResource(write.resource, SLICES)) validateSlice(world, cluster, write);
    },
  };
}

function admitted(world: World, cluster: LogicalCluster, write: AdmittedWrite): AdmittedWrite['object'] {
  if (write.previous === undefined) refuseWhileUnbinding(cluster, write);
  if (isResource(write.resource, WORKSPACES)) return admitWorkspace(cluster, write);
  if (isResource(write.resource, EXPORTS)) return admitExport(cluster, write);
  if (isResource(write.resource, BINDINGS)) return admitBinding(world, cluster, write);
  return write.object;
}
