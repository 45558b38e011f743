import type { AgentAction } from './agent-plan.js';
import type { AgentWorld } from './agent-world.js';

type MoveAction = Extract<AgentAction, { kind: 'move' }>;

/**
 * kcp moves a workspace to the other shard while everybody works on. In the first third of the time it can be neither read nor written, and is where it was; then it is on both shards, or on
 * none; in the last third it is on the other one alone.
 */
export function moveWorkspace(world: AgentWorld, { workspace, forMs, first, cut }: MoveAction): void {
  const users = world.users[workspace];
  if (users === undefined || users.isAway) return;
  const { kcp } = world.kcp;
  const move = kcp.beginMove(users.path, users.cluster.shard.name === 'root' ? 'west' : 'root', { cut });
  // What becomes of its objects on the shard that it leaves is not what becomes of them.
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
