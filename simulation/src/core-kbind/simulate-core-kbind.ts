import { describeFault, type Fault } from '../fault.js';
import { beginCommon, isCommon } from '../fault-driver.js';
import { quiet } from '../invariants.js';
import { type Schedule } from '../schedule.js';
import { isLongRun, type Settings } from '../settings.js';
import type { SimulationOptions, SimulationResult } from '../simulate.js';
import { checkRoutes } from './check-routes.js';
import { at, type Finding, ownedStays } from './in-step.js';
import { KbindWorld } from './kbind-world.js';
import { drawKbindPlan, type KbindAction } from './plan.js';
import {
  ACTIVATIONS,
  CONNECTIONS,
  CONSUMER,
  CRDS,
  MACHINES,
  PROVIDERS,
  bindingsOf,
  providersOf,
  takesObjects,
} from './scenario.js';
import { SYNCER } from './thing.js';

const HOUR_MS = 3_600_000;
/** Limit after the last fault. Back-off is capped at five minutes. */
const IN_STEP_WITHIN_MS = 15 * 60_000;
/** A copy is gone by then, if nothing holds it. */
const CONTESTED_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 10_000;
/** Longer than any back-off. */
const SETTLE_MS = 7 * 60_000;
const QUIET_FOR_MS = 10 * 60_000;
const REAPPLY_EVERY_MS = 20_000;
/** In a run of a day, people and pipelines look less often. */
const REAPPLY_EVERY_MS_OF_LONG_RUNS = 60_000;

/** One run with `core.kbind.io`, from empty clusters to the last invariant. The same options give the same run. */
export async function simulateCoreKbind(options: SimulationOptions, settings: Settings): Promise<SimulationResult> {
  const { seed, hours = 1, objects = 24 } = options;
  const endMs = hours * HOUR_MS;
  const world = new KbindWorld({ seed, objects, settings, keepTrace: options.keepTrace ?? 0, logger: options.logger });
  const schedule = options.schedule ?? drawn(seed, endMs, objects, settings);
  const { time } = world;
  void world.setUp().catch((error: unknown) => {
    world.failed(error);
  });
  for (const machine of MACHINES) world.startProcess(machine);
  for (const fault of schedule.faults) scheduleFault(world, fault);
  for (const action of schedule.kbindActions ?? [])
    time.setTimeout(() => {
      take(world, action);
    }, action.at);
  keepApplied(world, isLongRun(hours) ? REAPPLY_EVERY_MS_OF_LONG_RUNS : REAPPLY_EVERY_MS);
  const failed = (): boolean => world.violations.length > 0;
  await time.runUntil(endMs, failed);
  const convergedMs = failed() ? undefined : await convergence(world, endMs);
  if (!failed()) await checkQuiet(world);
  if (!failed()) await checkRoutes(world);
  if (!failed()) await checkUnbinding(world);
  for (const process of world.processes) process.kill();
  return {
    seed,
    schedule,
    settings,
    convergedMs,
    violations: world.violations,
    digest: world.trace.digest(),
    trace: world.trace.lines(),
    requests: world.accounts.requests,
    virtualMs: time.monotonic(),
  };
}

function drawn(seed: number, endMs: number, objects: number, { webhooks = false, routes = false }: Settings): Schedule {
  const { actions, faults } = drawKbindPlan({ seed, endMs, objects, webhooks, routes });
  return { actions: [], faults, kbindActions: actions };
}

function keepApplied(world: KbindWorld, everyMs: number): void {
  world.time.setTimeout(() => {
    world.reapply();
    for (const activation of world.people.stranded()) {
      const at = world.time.monotonic();
      take(world, { at, forMs: everyMs, kind: 'unbind', activation, orphans: true });
    }
    keepApplied(world, everyMs);
  }, everyMs);
}

function scheduleFault(world: KbindWorld, fault: Fault): void {
  const { time } = world;
  time.setTimeout(() => {
    world.trace.add(time.monotonic(), `FAULT ${describeFault(fault).trim()}`);
    if (fault.target !== 'restore') begin(world, fault);
  }, fault.at);
  if (fault.target !== 'restore') return;
  const { cluster: name, ageMs, forMs } = fault;
  time.setTimeout(() => {
    const cluster = world.cluster(name);
    const backup = cluster.backup();
    time.setTimeout(() => {
      cluster.restart(forMs, backup);
      world.isOlder(name);
      time.setTimeout(() => {
        world.putBack(name);
      }, forMs + 1);
    }, ageMs);
  }, fault.at - ageMs);
}

function begin(world: KbindWorld, fault: Exclude<Fault, { readonly target: 'restore' }>): void {
  if (isCommon(fault)) beginCommon(world, fault);
  else if (fault.target === 'steal-lease') world.stealLease(fault.forMs);
  else throw new Error(`${fault.target} is no fault where core.kbind.io is spoken`);
}

function take(world: KbindWorld, action: KbindAction): void {
  const values = Object.entries(action).flatMap(([key, value]) => (key === 'at' ? [] : [String(value)]));
  world.trace.add(world.time.monotonic(), `USER ${values.join(' ')}`);
  const undo = perform(world, action);
  if (undo !== undefined && 'forMs' in action) world.time.setTimeout(undo, action.forMs);
}

/** Returns how to undo it, if possible. */
function perform(world: KbindWorld, action: KbindAction): (() => void) | undefined {
  const { users, people, foreigners, related, wishes } = world;
  switch (action.kind) {
    case 'create':
    case 'update':
    case 'recreate':
    case 'tamper':
      users[action.kind](action.object);
      return undefined;
    case 'delete':
    case 'orphan':
      dropObject(world, action.object, action.kind === 'orphan');
      return undefined;
    case 'keep':
    case 'occupy': {
      const slot = wishes.slots[action.object];
      if (slot === undefined) return undefined;
      if (action.kind === 'occupy') return foreigners.occupy(slot, action.way, action.provider);
      foreigners.keep(slot);
      return undefined;
    }
    case 'place':
      users.relabel(action.object, action.place);
      return undefined;
    case 'move':
      move(world, action);
      return undefined;
    case 'relate':
      related.take(action.slot, action.way);
      return undefined;
    case 'rotate':
      people.rotate(action.provider);
      return undefined;
    case 'lose-connection':
      world.rightProvider(action.provider);
      people.loseConnection(action.provider);
      return undefined;
    case 'contest':
      return contest(world, action);
    case 'revoke':
      people.revoke(action.provider);
      return () => {
        people.handOut(action.provider);
      };
    case 'add-field':
      people.addField(action.api);
      return undefined;
    case 'replace-provider':
      return world.replaceProvider(action.provider);
    case 'unbind':
    case 'shorten':
    case 'adopt':
    case 'drop-rule':
    case 'disconnect':
    case 'mislead':
    case 'select':
    case 'withdraw':
      return performOnBinding(world, action);
  }
}

type OfBinding = Extract<
  KbindAction,
  { kind: 'unbind' | 'shorten' | 'adopt' | 'drop-rule' | 'disconnect' | 'mislead' | 'select' | 'withdraw' }
>;

function performOnBinding(world: KbindWorld, action: OfBinding): () => void {
  const { people, related } = world;
  switch (action.kind) {
    case 'unbind':
      people.unbind(action.activation, action.orphans);
      related.unbind(action.activation, action.orphans);
      return () => {
        people.bind(action.activation);
      };
    case 'shorten':
      people.shorten(action.api, true);
      return () => {
        people.shorten(action.api, false);
      };
    case 'adopt':
      people.adopt(action.activation, true);
      return () => {
        people.adopt(action.activation, false);
      };
    case 'drop-rule':
      people.dropRule(action.activation, action.rule, true);
      related.dropRule(action.activation, action.rule);
      return () => {
        people.dropRule(action.activation, action.rule, false);
      };
    case 'disconnect':
      people.disconnect(action.provider);
      for (const [index, { provider }] of world.scenario.activations.entries())
        if (provider === action.provider) related.unbind(index, false);
      return () => {
        world.rightProvider(action.provider);
        people.connect(action.provider);
      };
    case 'mislead':
      people.mislead(action.provider, action.way);
      return () => {
        people.leadRight(action.provider);
      };
    case 'select':
      people.select(action.activation, action.way);
      return () => {
        people.select(action.activation, undefined);
      };
    case 'withdraw':
      people.withdraw(action.api, true);
      return () => {
        people.withdraw(action.api, false);
      };
  }
}

/** Recreates the object once it is gone; its copy's place holds a foreign object. */
function contest(world: KbindWorld, action: Extract<KbindAction, { kind: 'contest' }>): () => void {
  const { users, people, foreigners, routing, wishes, time } = world;
  const slot = wishes.slots[action.object];
  let undo: (() => void) | undefined;
  dropObject(world, action.object, false);
  time.setTimeout(
    () => {
      if (slot === undefined) return;
      const home = routing.home(slot);
      const leads = home === undefined ? undefined : people.leadsFor(slot, home);
      const activation = leads === undefined ? -1 : ACTIVATIONS.indexOf(leads);
      if (activation >= 0) people.adopt(activation, true);
      const leave = foreigners.occupy(slot, action.way, home);
      users.create(slot.object);
      undo = (): void => {
        if (activation >= 0) people.adopt(activation, false);
        leave?.();
      };
    },
    Math.min(CONTESTED_AFTER_MS, action.forMs / 2),
  );
  return () => {
    undo?.();
  };
}

/** If a konnector takes another cluster for the provider, it may leave what it should delete. */
function dropObject(world: KbindWorld, object: number, orphan: boolean): void {
  for (const provider of providersOf(world.wishes.slots[object]?.api ?? 0))
    if (world.mayBeMistaken(provider)) world.wishes.copyMayStay(object, provider);
  world.users.drop(object, orphan);
}

/** Labels it for its target, and types the command; an undo labels it for its current place. */
function move(world: KbindWorld, action: Extract<KbindAction, { kind: 'move' }>): void {
  const { users, moves, routing, wishes } = world;
  const slot = wishes.slots[action.object];
  if (slot === undefined || wishes.of(slot.object).wanted === undefined) return;
  const provider = action.undo ? routing.home(slot) : action.to;
  const place = ACTIVATIONS.find((one) => one.place !== undefined && one.provider === provider)?.place;
  if (place !== undefined) users.relabel(slot.object, place);
  void moves.type(slot, action);
}

/** Waits until everything is in step; returns the differences at the timeout. */
async function convergence(world: KbindWorld, endMs: number): Promise<number | undefined> {
  const { time } = world;
  for (;;) {
    if (world.violations.length > 0) return undefined;
    const findings = [...world.differences()];
    if (findings.length === 0) return time.monotonic() - endMs;
    if (time.monotonic() - endMs >= IN_STEP_WITHIN_MS) {
      violateAll(world, findings);
      return undefined;
    }
    await time.runUntil(time.monotonic() + LOOK_EVERY_MS);
  }
}

async function checkQuiet(world: KbindWorld): Promise<void> {
  const { time, accounts } = world;
  await time.runUntil(time.monotonic() + SETTLE_MS);
  accounts.takeWrites();
  await time.runUntil(time.monotonic() + QUIET_FOR_MS);
  violateAll(world, quiet(accounts.takeWrites(), QUIET_FOR_MS));
  violateAll(world, world.differences());
}

/** Unbinds everything, and deletes the Connections: the bindings' objects go with them, and nothing else. */
async function checkUnbinding(world: KbindWorld): Promise<void> {
  const { time, people } = world;
  world.trace.add(time.monotonic(), 'PEACE all is unbound');
  for (const provider of PROVIDERS) people.disconnect(provider);
  const left = (): readonly string[] => {
    const { objects } = world.cluster(CONSUMER);
    return [
      ...world.scenario.activations
        .filter((one) => objects.get(bindingsOf(one), { namespace: one.namespace ?? '', name: one.name }) !== undefined)
        .map(({ name, namespace = '' }) => `binding ${namespace}/${name}`),
      ...objects.list(CONNECTIONS).map(({ metadata }) => `Connection ${(metadata as { name: string }).name}`),
      ...(objects.list({ group: '', resource: 'secrets' }, 'kbind').length > 1 ? ['a Secret with a kubeconfig'] : []),
    ];
  };
  await time.runUntil(time.monotonic() + IN_STEP_WITHIN_MS, () => left().length === 0);
  for (const what of left()) world.violate('unbinding ends', what);
  violateAll(world, world.related.differences());
  violateAll(world, ownedStays({ cluster: (name) => world.cluster(name) }));
  for (const finding of unbound(world)) world.violate(finding.invariant, finding.what);
}

function* unbound(world: KbindWorld): Generator<Finding> {
  const consumer = world.cluster(CONSUMER);
  for (const [index, { plural, group }] of world.scenario.apis.entries()) {
    const isThere = consumer.objects.get(CRDS, { namespace: '', name: `${plural}.${group}` }) !== undefined;
    const goes = ACTIVATIONS.some((one) => takesObjects(one) && one.apis.includes(index));
    if (isThere === goes)
      yield { invariant: 'unbinding ends', what: `the CRD of ${plural} is ${isThere ? '' : 'not '}there` };
  }
  for (const slot of world.wishes.slots) {
    const { wanted, mayStay } = world.wishes.of(slot.object);
    const object = at(consumer, slot);
    for (const provider of providersOf(slot.api)) {
      const copy = at(world.cluster(provider), slot);
      if (copy !== undefined && !mayStay.has(provider) && !world.foreigners.isForeign(copy))
        yield { invariant: 'unbinding ends', what: `the copy of object ${slot.object} is still there` };
    }
    const activation = ACTIVATIONS[slot.activation ?? -1];
    const isOfBinding = activation === undefined || !takesObjects(activation);
    if (isOfBinding && wanted !== undefined && (object === undefined || object.finalizers.includes(SYNCER)))
      yield { invariant: 'unbinding ends', what: `object ${slot.object} went, or is held` };
  }
}

function violateAll(world: KbindWorld, findings: Iterable<Finding>): void {
  for (const { invariant, what } of findings) world.violate(invariant, what);
}
