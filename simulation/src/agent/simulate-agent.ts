import type { Logger } from '@hawser/telemetry';
import type { Violation } from '../invariants.js';
import { type AgentAction, type AgentFault, type AgentPlan, WORKSPACES, drawAgentPlan } from './agent-plan.js';
import { AgentWorld } from './agent-world.js';
import { backUpKcp, restoreKcp } from './kcp-backup.js';
import { meddle } from './meddling.js';
import { moveWorkspace } from './moving.js';

export interface AgentSimulationOptions {
  readonly seed: number;
  /** Number of trace lines in the result. Default 0. */
  readonly keepTrace?: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

export interface AgentSimulationResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly schedule: AgentPlan;
  /** Equal for two identical runs, request by request. */
  readonly digest: string;
  readonly trace: readonly string[];
  readonly requests: number;
  /** Time from the last fault until in step. */
  readonly convergedMs: number | undefined;
  readonly virtualMs: number;
}

/** Length of the part with faults. */
const END_MS = 20 * 60_000;
const REAPPLY_EVERY_MS = 5_000;
/** Limit after the last fault. Back-off is capped at five minutes. */
const IN_STEP_WITHIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 10_000;
/** Longer than any back-off. */
const SETTLE_MS = 7 * 60_000;
const QUIET_FOR_MS = 10 * 60_000;

/** One run of the agent, from empty clusters to the last invariant. The same seed gives the same run. */
export async function simulateAgent({
  seed,
  keepTrace = 0,
  logger,
}: AgentSimulationOptions): Promise<AgentSimulationResult> {
  const plan = drawAgentPlan(seed, END_MS);
  const world = new AgentWorld({ seed, plan, keepTrace, logger });
  const { time } = world;
  void world.setUp().catch((error: unknown) => {
    world.violate('the simulation itself', `set-up failed: ${String(error)}`);
  });
  for (const machine of world.machines) world.startProcess(machine);
  for (const fault of plan.faults)
    if (fault.target === 'restore') restoreLater(world, fault);
    else
      time.setTimeout(() => {
        inject(world, fault);
      }, fault.at);
  for (const action of plan.actions)
    time.setTimeout(() => {
      act(world, action);
    }, action.at);
  keepApplied(world);
  const failed = (): boolean => world.violations.length > 0;
  await time.runUntil(END_MS, failed);
  if (world.users.length < WORKSPACES.length && !failed()) world.violate('the simulation itself', 'it is not set up');
  const convergedMs = failed() ? undefined : await convergence(world);
  if (!failed()) {
    await time.runUntil(time.monotonic() + SETTLE_MS);
    world.takeWrites();
    await time.runUntil(time.monotonic() + QUIET_FOR_MS);
    for (const write of world.takeWrites().slice(0, 3)) world.violate('what is in step costs no writes', write);
    for (const { invariant, what } of world.differences()) world.violate(invariant, what);
  }
  for (const machine of world.machines) world.process(machine)?.kill();
  return {
    seed,
    schedule: plan,
    convergedMs,
    violations: world.violations,
    digest: world.trace.digest(),
    trace: world.trace.lines(),
    requests: world.requests,
    virtualMs: time.monotonic(),
  };
}

function keepApplied(world: AgentWorld): void {
  world.time.setTimeout(() => {
    for (const users of world.users) void users.reapply();
    keepApplied(world);
  }, REAPPLY_EVERY_MS);
}

/** Restores an older state of a cluster: newer objects are gone, and deleted ones are back. */
function restoreLater(
  world: AgentWorld,
  { at, forMs, ageMs, cluster }: Extract<AgentFault, { target: 'restore' }>,
): void {
  world.time.setTimeout(() => {
    const restore = cluster === 'kcp' ? restoringKcp(world) : restoringService(world);
    world.time.setTimeout(() => {
      restore(forMs);
    }, ageMs);
  }, at - ageMs);
}

function restoringService(world: AgentWorld): (downMs: number) => void {
  const backup = world.backUp();
  return (downMs) => {
    world.restore(backup, downMs);
  };
}

function restoringKcp(world: AgentWorld): (downMs: number) => void {
  const backup = backUpKcp(world);
  return (downMs) => {
    world.trace.add(world.time.monotonic(), 'RESTORES kcp');
    restoreKcp(world, backup, downMs);
  };
}

function inject(world: AgentWorld, fault: Exclude<AgentFault, { target: 'restore' }>): void {
  const { time } = world;
  switch (fault.target) {
    case 'link': {
      const link = world.link(fault.machine, fault.cluster);
      link.add(fault.fault);
      time.setTimeout(() => {
        link.remove(fault.fault);
      }, fault.forMs);
      return;
    }
    case 'kill': {
      const process = world.process(fault.machine);
      process?.kill(fault.afterRequests, fault.sent);
      time.setTimeout(() => {
        // Two faults may have hit the same process: only one of them restarts it.
        if (world.process(fault.machine) !== process) return;
        process?.kill();
        world.startProcess(fault.machine);
      }, fault.forMs);
      return;
    }
    case 'restart':
      world.server(fault.cluster).restart(fault.forMs);
      return;
    case 'compaction':
      world.server(fault.cluster).compact();
      return;
    case 'stall': {
      const machine = world.machine(fault.machine);
      machine.stalledUntil = Math.max(machine.stalledUntil, time.monotonic() + fault.forMs);
      return;
    }
    case 'skew': {
      const machine = world.machine(fault.machine);
      machine.skewMs += fault.ms;
      time.setTimeout(() => {
        machine.skewMs -= fault.ms;
      }, fault.forMs);
      return;
    }
    case 'steal-lease':
      world.stealLease(fault.forMs);
      return;
    case 'hide': {
      const hidden = world.users[fault.workspace]?.cluster.name;
      if (hidden === undefined) return;
      const lists = world.lists(fault.cluster);
      lists.hide(hidden);
      time.setTimeout(() => {
        lists.show(hidden);
      }, fault.forMs);
      return;
    }
    case 'admission': {
      const { webhooks } = world.service;
      webhooks.add(fault.webhook);
      time.setTimeout(() => {
        webhooks.remove(fault.webhook);
      }, fault.forMs);
    }
  }
}

function act(world: AgentWorld, action: AgentAction): void {
  if (action.kind === 'add-field') {
    world.trace.add(world.time.monotonic(), 'OWNER adds a field');
    world.addField();
    return;
  }
  const users = world.users[action.workspace];
  world.trace.add(
    world.time.monotonic(),
    `USER ${action.kind} ${'object' in action ? `object ${action.object}` : `for ${action.forMs} ms`} in workspace ${action.workspace}`,
  );
  if (users === undefined) return;
  switch (action.kind) {
    case 'want':
    case 'drop':
      users[action.kind](action.object);
      return;
    case 'tamper':
    case 'delete-copy':
    case 'move-copy':
    case 'back-up':
    case 'tamper-secret':
    case 'back-up-secret':
    case 'strip-finalizer':
      meddle(world, users, action.kind, action.object);
      return;
    case 'unbind':
      users.unbind();
      world.time.setTimeout(() => {
        users.bind();
      }, action.forMs);
      return;
    case 'move':
      moveWorkspace(world, action);
      return;
    case 'refuse-claims':
      users.acceptClaims(false);
      world.time.setTimeout(() => {
        users.acceptClaims(true);
      }, action.forMs);
  }
}

/** Waits until everything is in step; returns the differences at the timeout. */
async function convergence(world: AgentWorld): Promise<number | undefined> {
  for (;;) {
    if (world.violations.length > 0) return undefined;
    const findings = [...world.differences()];
    const passed = world.time.monotonic() - END_MS;
    if (findings.length === 0) return passed;
    if (passed >= IN_STEP_WITHIN_MS) {
      for (const { invariant, what } of findings) world.violate(invariant, what);
      return undefined;
    }
    await world.time.runUntil(world.time.monotonic() + LOOK_EVERY_MS);
  }
}
