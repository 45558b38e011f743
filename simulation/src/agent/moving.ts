import type { AgentAction } from './agent-plan.js';
import type { AgentWorld } from './agent-world.js';

type MoveAction = Extract<AgentAction, { kind: 'move' }>;

/**
 * kcp moves a workspace to the other shard while all work continues. In the first third of the time, it stays at its
 * old place, and can be neither read nor written. Then it is on both shards, or on none. In the last third it is on the
 * other one alone.
 */
export function moveWorkspace(world: AgentWorld, { workspace, forMs, first, cut }: MoveAction): void {
  const users = world.users[workspace];
  if (users === undefined || users.isAway) return;
  const { kcp } = world.kcp;
  const move = kcp.beginMove(users.path, users.cluster.shard.name === 'root' ? 'west' : 'root', { cut });
  // Changes on the old shard no longer count for its objects.
  world.leave(users);
  world.time.setTimeout(() => {
    move[first]();
  }, forMs / 3);
  world.time.setTimeout(
    () => {
      move[first === 'copy' ? 'cleanUp' : 'copy']();
    },
    (2 * forMs) / 3,
  );
  world.time.setTimeout(() => {
    move.finish();
    world.arrive(users);
  }, forMs);
}
