import type { JsonObject } from '@hawser/json';
import type { meddlings } from './agent-plan.js';
import type { AgentWorld } from './agent-world.js';
import { CRONTABS, SECRETS, itemOf } from './item.js';
import type { WorkspaceUsers } from './workspace-users.js';

/** The part of the objects of an API server that people use here. */
type Objects = AgentWorld['service']['objects'];

/** What is added to a value that somebody has written over. */
export const TAMPERED = 1_000_000;
/** What the user writes into a Secret. */
export const TAMPERED_SECRET = 'mine';
/** What others keep beside the copies: the agent never changes nor deletes it. */
export const KEPT = 'kept-';

/** Somebody does something to an object, its copy or its Secret; nothing happens where there is none. */
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
      // Who deletes the object before the agent has put it back leaves the copy without proof.
      users.copyMayStay(object);
      cluster.objects.update(CRONTABS, {
        ...stored,
        metadata: { ...(stored['metadata'] as JsonObject), finalizers: [] },
      });
    }
  }
}

/** As who gets an object, changes its name, and applies it. */
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
