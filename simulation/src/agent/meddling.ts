import type { JsonObject } from '@hawser/json';
import type { meddlings } from './agent-plan.js';
import type { AgentWorld } from './agent-world.js';
import { CRONTABS, SECRETS, itemOf } from './item.js';
import type { WorkspaceUsers } from './workspace-users.js';

/** The part of an API server's objects that people use here. */
type Objects = AgentWorld['service']['objects'];

/** Added to a value that a person overwrites. */
export const TAMPERED = 1_000_000;
/** The user's text for a Secret. */
export const TAMPERED_SECRET = 'mine';
/** Prefix of clones beside the copies: the agent never changes or deletes them. */
export const KEPT = 'kept-';

/** A person acts on an object, its copy or its Secret; no effect on a missing one. */
export function meddle(
  world: AgentWorld,
  users: WorkspaceUsers,
  what: (typeof meddlings)[number],
  object: number,
): void {
  const { service } = world;
  const { cluster } = users;
  if (users.isAway) return;
  const copy = service.objects.list(CRONTABS, cluster.name).find((one) => isCopyOf(one, object));
  const secretName = `connection-${object}`;
  const secretHere = { namespace: 'default', name: secretName };
  switch (what) {
    case 'tamper':
      if (copy === undefined || !service.up) return;
      users.isMeddledWith(object, 'tamper');
      service.objects.update(CRONTABS, {
        ...copy,
        spec: { ...(copy['spec'] as JsonObject), value: itemOf(copy).value + TAMPERED },
      });
      return;
    case 'delete-copy':
      if (copy === undefined || !service.up) return;
      users.copyMayGo(object);
      service.objects.delete(CRONTABS, { namespace: cluster.name, name: itemOf(copy).name });
      return;
    case 'move-copy':
      meddle(world, users, 'back-up', object);
      meddle(world, users, 'delete-copy', object);
      return;
    case 'back-up':
      if (copy === undefined || !service.up) return;
      keep(service.objects, CRONTABS, copy);
      keep(service.objects, SECRETS, service.objects.get(SECRETS, { namespace: cluster.name, name: secretName }));
      return;
    case 'tamper-secret': {
      const secret = cluster.objects.get(SECRETS, secretHere);
      if (secret === undefined) return;
      users.isMeddledWith(object, 'tamper-secret');
      cluster.objects.update(SECRETS, {
        ...secret,
        data: { content: Buffer.from(TAMPERED_SECRET).toString('base64') },
      });
      return;
    }
    case 'back-up-secret':
      keep(cluster.objects, SECRETS, cluster.objects.get(SECRETS, secretHere));
      return;
    case 'strip-finalizer': {
      const stored = cluster.objects.get(CRONTABS, { namespace: 'default', name: `object-${object}` });
      if (stored === undefined || itemOf(stored).terminating) return;
      // If the object is deleted before the agent restores it, the copy has no proof.
      users.copyMayStay(object);
      cluster.objects.update(CRONTABS, {
        ...stored,
        metadata: { ...(stored['metadata'] as JsonObject), finalizers: [] },
      });
    }
  }
}

/** Like a person who gets an object, changes its name, and applies it. */
function keep(objects: Objects, resource: typeof CRONTABS, object: JsonObject | undefined): void {
  if (object === undefined) return;
  const { name, namespace, labels, annotations } = object['metadata'] as {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: JsonObject;
    readonly annotations?: JsonObject;
  };
  const key = { namespace, name: `${KEPT}${name}` };
  if (objects.get(resource, key) !== undefined) return;
  objects.create(resource, { ...object, metadata: { ...key, labels, annotations } });
}

function isCopyOf(stored: JsonObject, object: number): boolean {
  const item = itemOf(stored);
  return item.object === object && !item.terminating && !item.name.startsWith(KEPT);
}
