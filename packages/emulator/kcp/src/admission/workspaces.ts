import { type AdmittedWrite, metaOf, objectField, withAt, withMeta } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { LogicalCluster } from '../logical-cluster.js';
import { OWNER } from '../names.js';

/** Records the owner and type of a new workspace. */
export function admitWorkspace(parent: LogicalCluster, { object, previous, user }: AdmittedWrite): JsonObject {
  if (previous !== undefined) return object;
  // Below root, workspaces are organizations by default.
  const typed =
    objectField(objectField(object, 'spec'), 'type') === undefined
      ? withAt(object, ['spec', 'type'], { name: parent.path === 'root' ? 'organization' : 'universal', path: 'root' })
      : object;
  if (user === undefined) return typed;
  const owner = { username: user.name, ...(user.uid === undefined ? {} : { uid: user.uid }), groups: [...user.groups] };
  return withMeta(typed, { annotations: { ...metaOf(typed).annotations, [OWNER]: JSON.stringify(owner) } });
}
