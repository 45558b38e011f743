import type { ConnectionObserved, Member, Observed, Target } from './observed.js';

export type Action =
  /** Create the connection and fill its caches; it does not work yet. */
  | { readonly kind: 'prepare'; readonly hash: string }
  /** `gone`: no other connection will serve it. Otherwise it moves to another connection. */
  | { readonly kind: 'leave'; readonly hash: string; readonly member: Member; readonly gone: boolean }
  | { readonly kind: 'join'; readonly hash: string; readonly member: Member }
  /** Let a prepared connection work. */
  | { readonly kind: 'run'; readonly hash: string }
  | { readonly kind: 'stop'; readonly hash: string };

/**
 * Decides which connections to create, join, leave and stop. Pure; called again after every change, until it decides
 * nothing.
 *
 * A member moves only once its wanted connection is prepared: it leaves the old one, and joins the new one when nothing
 * is in flight. So a broken kubeconfig changes nothing, and no binding ever has two writers. A member never joins, and
 * leaves, a connection to another provider than its own. Such a connection stays prepared, to notice when that changes.
 */
export function decide({ targets, connections }: Observed): readonly Action[] {
  // As far as a crashed process can be recognised here.
  const alive = connections.filter((connection) => connection.phase !== 'stopping');
  const ready = new Set(
    alive.filter((connection) => connection.phase !== 'preparing').map((connection) => connection.hash),
  );
  const wanted = new Set<string>();
  for (const target of targets.values()) if (target.kind === 'connect') wanted.add(target.hash);

  const settled = new Map<Member, string>();
  const leaving: Action[] = [];
  for (const connection of alive) {
    const { hash, members } = connection;
    for (const member of members) {
      if (stays(connection, member)) settled.set(member, hash);
      else leaving.push({ kind: 'leave', hash, member, gone: !moves(member) });
    }
  }
  const draining = new Set([
    ...leaving.flatMap((action) => ('member' in action ? [action.member] : [])),
    ...connections.flatMap((connection) => connection.draining),
  ]);

  const actions: Action[] = [...leaving];
  for (const connection of alive) actions.push(...decideConnection(connection));
  for (const hash of wanted)
    if (!connections.some((connection) => connection.hash === hash)) actions.push({ kind: 'prepare', hash });
  return actions;

  function stays(connection: ConnectionObserved, member: Member): boolean {
    const target = targets.get(member);
    if (target === undefined || target.kind === 'refused' || refuses(target, connection)) return false;
    return target.kind === 'stay' || target.hash === connection.hash || !moves(member);
  }

  /** Whether another connection is ready to serve it. */
  function moves(member: Member): boolean {
    const target = targets.get(member);
    if (target?.kind !== 'connect') return false;
    const wantedOne = alive.find(({ hash }) => hash === target.hash);
    return wantedOne !== undefined && ready.has(target.hash) && !refuses(target, wantedOne);
  }

  function decideConnection(connection: ConnectionObserved): readonly Action[] {
    const { hash, phase } = connection;
    const staying = [...settled.values()].includes(hash);
    if (!staying && !wanted.has(hash)) return [{ kind: 'stop', hash }];
    if (phase === 'preparing') return [];
    const joining: Action[] = [];
    for (const [member, target] of targets) {
      if (
        target.kind === 'connect' &&
        target.hash === hash &&
        !refuses(target, connection) &&
        !settled.has(member) &&
        !draining.has(member)
      )
        joining.push({ kind: 'join', hash, member });
    }
    return phase === 'prepared' && (staying || joining.length > 0) ? [...joining, { kind: 'run', hash }] : joining;
  }
}

/** Whether the member is bound to another provider than the connection's. */
function refuses(target: Target, { identity }: ConnectionObserved): boolean {
  return target.kind !== 'refused' && target.pin !== undefined && identity !== undefined && target.pin !== identity;
}
