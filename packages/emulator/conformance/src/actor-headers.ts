import type { Actor } from './server.js';

/** Whether the connection uses the administrator's certificate, and the headers that name the user. */
export interface ActorAccess {
  readonly certificate: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export function actorAccess(actor: Actor = 'admin'): ActorAccess {
  if (actor === 'admin') return { certificate: true, headers: {} };
  if (actor === 'anonymous') return { certificate: false, headers: {} };
  if ('token' in actor) return { certificate: false, headers: { authorization: `Bearer ${actor.token}` } };
  return {
    certificate: true,
    headers: {
      'impersonate-user': actor.user,
      ...(actor.groups === undefined ? {} : { 'impersonate-group': actor.groups }),
    },
  };
}
