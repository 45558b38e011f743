import type { Fault, HideFault, LinkFaultKind } from '../fault.js';
import { SeededRandom } from '../seeded-random.js';

export const WORKSPACES = ['root:one', 'root:two', 'root:three'] as const;
export const MACHINES = ['agent-1', 'agent-2'] as const;
/** Objects of users in each workspace. */
export const OBJECTS = 5;

export type AgentFault =
  | Extract<
      Fault,
      {
        target: 'link' | 'kill' | 'restart' | 'compaction' | 'stall' | 'skew' | 'steal-lease' | 'restore' | 'admission';
      }
    >
  | HideFault;

/** Actions of people on one object or its copy, past the agent. */
export const meddlings = [
  /** A person changes the spec of the copy. */
  'tamper',
  /** A person deletes the copy. */
  'delete-copy',
  /** A person renames the copy: clones it, and deletes the first. */
  'move-copy',
  /** A person clones the copy and its Secret, with all their marks. */
  'back-up',
  /** A user changes the Secret that the agent has made. */
  'tamper-secret',
  /** A user clones that Secret, with all its marks. */
  'back-up-secret',
  /** A user removes the finalizer. */
  'strip-finalizer',
] as const;

/** An action at a time of the run, in the workspace with that number. */
export type AgentAction =
  | {
      readonly at: number;
      readonly kind: 'want' | 'drop' | (typeof meddlings)[number];
      readonly workspace: number;
      readonly object: number;
    }
  /** The service owner adds a field to the API; users set it from then on. */
  | { readonly at: number; readonly kind: 'add-field' }
  | {
      readonly at: number;
      readonly kind: 'unbind' | 'refuse-claims';
      readonly workspace: number;
      readonly forMs: number;
    }
  /** kcp moves the workspace to its other shard. */
  | {
      readonly at: number;
      readonly kind: 'move';
      readonly workspace: number;
      readonly forMs: number;
      /** The middle state: on both shards, or on none. */
      readonly first: 'copy' | 'cleanUp';
      /** The watches of both shards end. */
      readonly cut: boolean;
    };

/** All actions and faults of a run, drawn before it begins. */
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
  /** Long enough to end with the run at the latest. */
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
  const more = drawMore(seed, endMs, pair);
  return {
    pair,
    faults: [...faults, ...more.faults, ...drawRestores(seed, endMs)].sort(byTime),
    actions: [...changes, ...bindings, ...more.actions, ...drawMoves(seed, endMs)].sort(byTime),
  };
}

/** Draws parts that only some seeds have, from random numbers of their own. */
function drawMore(seed: number, endMs: number, pair: boolean): Pick<AgentPlan, 'faults' | 'actions'> {
  const random = SeededRandom.stream(seed, 'more for the agent');
  const machines = pair ? MACHINES : MACHINES.slice(0, 1);
  const time = (): number => random.between(BEGIN_MS, endMs - 1);
  const lasting = (mostMs: number): { readonly at: number; readonly forMs: number } => {
    const at = time();
    return { at, forMs: Math.min(endMs - at, random.between(1_000, mostMs)) };
  };
  const several = <T>(share: number, most: number, one: () => T): readonly T[] =>
    random.chance(share) ? Array.from({ length: random.between(1, most) }, one) : [];
  const workspace = (): number => random.between(0, WORKSPACES.length - 1);
  const object = (): number => random.between(0, OBJECTS - 1);
  return {
    faults: [
      ...several(0.4, 3, (): AgentFault => ({
        ...lasting(90_000),
        target: 'stall',
        machine: random.pick(machines),
      })),
      ...several(0.3, 2, (): AgentFault => ({
        ...lasting(300_000),
        target: 'skew',
        machine: random.pick(machines),
        ms: random.between(-600_000, 600_000),
      })),
      ...(pair ? several(0.3, 2, (): AgentFault => ({ ...lasting(60_000), target: 'steal-lease' })) : []),
      ...several(0.3, 1, (): AgentFault => ({
        at: random.between(endMs / 2, endMs - 30_000),
        forMs: random.between(1_000, 20_000),
        target: 'restore',
        cluster: 'service',
        ageMs: random.between(30_000, endMs / 3),
      })),
      ...several(0.4, 2, (): AgentFault => ({
        ...lasting(120_000),
        target: 'hide',
        cluster: random.pick(['kcp', 'service']),
        workspace: workspace(),
      })),
      ...several(0.4, 3, (): AgentFault => ({
        ...lasting(240_000),
        target: 'admission',
        cluster: 'service',
        webhook: random.pick(['strips-annotations', 'sets-label', 'denies', 'is-down'] as const),
      })),
    ],
    actions: [
      ...several(0.6, 12, (): AgentAction => ({
        at: time(),
        kind: random.pick(meddlings),
        workspace: workspace(),
        object: object(),
      })),
      ...several(0.5, 2, (): AgentAction => ({ at: time(), kind: 'add-field' })),
    ],
  };
}

/** Also from random numbers of its own. */
function drawMoves(seed: number, endMs: number): readonly AgentAction[] {
  const random = SeededRandom.stream(seed, 'moves of workspaces');
  if (!random.chance(0.5)) return [];
  return Array.from({ length: random.between(1, 4) }, (): AgentAction => {
    const at = random.between(BEGIN_MS, endMs - 1);
    return {
      at,
      forMs: Math.min(endMs - at, random.between(300, 60_000)),
      kind: 'move',
      workspace: random.between(0, WORKSPACES.length - 1),
      first: random.pick(['copy', 'cleanUp'] as const),
      cut: random.chance(0.5),
    };
  });
}

/** Restores of kcp, also from random numbers of their own. */
function drawRestores(seed: number, endMs: number): readonly AgentFault[] {
  const random = SeededRandom.stream(seed, 'restores of kcp');
  if (!random.chance(0.4)) return [];
  return [
    {
      at: random.between(endMs / 2, endMs - 30_000),
      forMs: random.between(1_000, 20_000),
      target: 'restore',
      cluster: 'kcp',
      ageMs: random.between(2_000, random.pick([20_000, endMs / 3])),
    },
  ];
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
