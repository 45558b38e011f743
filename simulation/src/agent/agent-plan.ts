import type { Fault, LinkFaultKind } from '../fault.js';
import { SeededRandom } from '../seeded-random.js';

export const WORKSPACES = ['root:one', 'root:two', 'root:three'] as const;
export const MACHINES = ['agent-1', 'agent-2'] as const;
/** Objects of users in each workspace. */
export const OBJECTS = 5;

export type AgentFault = Extract<Fault, { target: 'link' | 'kill' | 'restart' | 'compaction' }>;

/** Something that somebody does at a time of the run, in the workspace with that number. */
export type AgentAction =
  | { readonly at: number; readonly kind: 'want' | 'drop'; readonly workspace: number; readonly object: number }
  | {
      readonly at: number;
      readonly kind: 'unbind' | 'refuse-claims';
      readonly workspace: number;
      readonly forMs: number;
    };

/** What happens in a run, drawn before it begins. */
export interface AgentPlan {
  /** Two agents share the work by a Lease. */
  readonly pair: boolean;
  readonly faults: readonly AgentFault[];
  readonly actions: readonly AgentAction[];
}

const BEGIN_MS = 30_000;

export function drawAgentPlan(seed: number, endMs: number): AgentPlan {
  const random = SeededRandom.stream(seed, 'plan of the agent');
  const pair = random.chance(0.5);
  const machines = pair ? MACHINES : MACHINES.slice(0, 1);
  const time = (): number => random.between(BEGIN_MS, endMs - 1);
  /** So long that it is over when the run is. */
  const lasting = (mostMs: number): { readonly at: number; readonly forMs: number } => {
    const at = time();
    return { at, forMs: Math.min(endMs - at, random.between(1_000, mostMs)) };
  };
  const workspace = (): number => random.between(0, WORKSPACES.length - 1);
  const faults = Array.from({ length: random.between(6, 14) }, (): AgentFault => {
    const machine = random.pick(machines);
    const cluster = random.pick(['service', 'kcp']);
    const roll = random.next();
    if (roll < 0.35)
      return {
        ...lasting(60_000),
        target: 'kill',
        machine,
        afterRequests: random.between(0, 30),
        sent: random.chance(0.5),
      };
    if (roll < 0.45) return { ...lasting(20_000), target: 'restart', cluster };
    if (roll < 0.55) return { at: time(), target: 'compaction', cluster };
    return { ...lasting(180_000), target: 'link', machine, cluster, fault: drawLinkFault(random) };
  });
  const changes = Array.from({ length: random.between(30, 60) }, (): AgentAction => ({
    at: time(),
    kind: random.chance(0.75) ? 'want' : 'drop',
    workspace: workspace(),
    object: random.between(0, OBJECTS - 1),
  }));
  const bindings = Array.from({ length: random.between(0, 4) }, (): AgentAction => ({
    ...lasting(240_000),
    kind: random.chance(0.5) ? 'unbind' : 'refuse-claims',
    workspace: workspace(),
  }));
  return { pair, faults: faults.sort(byTime), actions: [...changes, ...bindings].sort(byTime) };
}

function drawLinkFault(random: SeededRandom): LinkFaultKind {
  switch (random.between(0, 5)) {
    case 0:
      return { kind: 'latency', ms: random.between(100, 3_000) };
    case 1:
      return { kind: 'partition' };
    case 2:
      return { kind: 'reset', share: random.next() / 2, where: random.pick(['before', 'after', 'mid-body'] as const) };
    case 3:
      return { kind: 'refuse', share: random.next() / 2, status: random.pick([403, 429, 500, 503] as const) };
    case 4:
      return { kind: 'silent-watches' };
    default:
      return { kind: 'late-events', ms: random.between(500, 20_000) };
  }
}

function byTime(one: { readonly at: number }, other: { readonly at: number }): number {
  return one.at - other.at;
}
