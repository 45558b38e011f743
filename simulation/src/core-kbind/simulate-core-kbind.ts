import { describeFault, type Fault } from '../fault.js';
import { beginCommon, isCommon } from '../fault-driver.js';
import { quiet } from '../invariants.js';
import { type Schedule } from '../schedule.js';
import { isLongRun, type Settings } from '../settings.js';
import type { SimulationOptions, SimulationResult } from '../simulate.js';
import { at, type Finding, ownedStays } from './in-step.js';
import { KbindWorld } from './kbind-world.js';
import { drawKbindPlan, type KbindAction } from './plan.js';
import { ACTIVATIONS, APIS, CONNECTIONS, CONSUMER, CRDS, MACHINES, PROVIDERS, bindingsOf } from './scenario.js';
import { SYNCER } from './thing.js';

const HOUR_MS = 3_600_000;
/** After the last fault. Back-off is capped at five minutes. */
const IN_STEP_WITHIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 10_000;
/** Longer than any back-off. */
const SETTLE_MS = 7 * 60_000;
const QUIET_FOR_MS = 10 * 60_000;
const REAPPLY_EVERY_MS = 20_000;
/** In a run of a day people and pipelines look less often. */
const REAPPLY_EVERY_MS_OF_LONG_RUNS = 60_000;

/** One run where `core.kbind.io` is spoken, from empty clusters to the last invariant. The same options give the same run. */
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

function drawn(seed: number, endMs: number, objects: number, { webhooks = false }: Settings): Schedule {
  const { actions, faults } = drawKbindPlan({ seed, endMs, objects, webhooks });
  return { actions: [], faults, kbindActions: actions };
}

function keepApplied(world: KbindWorld, everyMs: number): void {
  world.time.setTimeout(() => {
    world.reapply();
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
  const said = Object.entries(action).flatMap(([key, value]) => (key === 'at' ? [] : [String(value)]));
  world.trace.add(world.time.monotonic(), `USER ${said.join(' ')}`);
  const undo = perform(world, action);
  if (undo !== undefined && 'forMs' in action) world.time.setTimeout(undo, action.forMs);
}

/** Returns how it is undone, where it is. */
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
      if (action.kind === 'occupy') return foreigners.occupy(slot, action.way);
      foreigners.keep(slot);
      return undefined;
    }
    case 'relate':
      related.take(action.slot, action.way);
      return undefined;
    case 'rotate':
      people.rotate(action.provider);
      return undefined;
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
    case 'withdraw':
      return performOnBinding(world, action);
  }
}

type OfBinding = Extract<
  KbindAction,
  { kind: 'unbind' | 'shorten' | 'adopt' | 'drop-rule' | 'disconnect' | 'mislead' | 'withdraw' }
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
      for (const [index, { provider }] of ACTIVATIONS.entries())
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
    case 'withdraw':
      people.withdraw(action.api, true);
      return () => {
        people.withdraw(action.api, false);
      };
  }
}

/** What a konnector is asked to delete where it takes another cluster for the provider, it may leave. */
function dropObject(world: KbindWorld, object: number, orphan: boolean): void {
  const api = world.wishes.slots[object]?.api ?? 0;
  if (world.mayBeMistaken(APIS[api]?.provider ?? '')) world.wishes.copyMayStay(object);
  world.users.drop(object, orphan);
}

/** Waits until everything is in step; says what is not when the time is up. */
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

/** Everything is unbound, and the Connections go: what the bindings had goes with them, and nothing else. */
async function checkUnbinding(world: KbindWorld): Promise<void> {
  const { time, people } = world;
  world.trace.add(time.monotonic(), 'PEACE all is unbound');
  for (const provider of PROVIDERS) people.disconnect(provider);
  const left = (): readonly string[] => {
    const { objects } = world.cluster(CONSUMER);
    return [
      ...ACTIVATIONS.filter(
        (one) => objects.get(bindingsOf(one), { namespace: one.namespace ?? '', name: one.name }) !== undefined,
      ).map(({ name, namespace = '' }) => `binding ${namespace}/${name}`),
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
  for (const [index, { plural, group }] of APIS.entries()) {
    const isThere = consumer.objects.get(CRDS, { namespace: '', name: `${plural}.${group}` }) !== undefined;
    const goes = ACTIVATIONS.some(({ apis, namespace }) => namespace === undefined && apis.includes(index));
    if (isThere === goes)
      yield { invariant: 'unbinding ends', what: `the CRD of ${plural} is ${isThere ? '' : 'not '}there` };
  }
  for (const slot of world.wishes.slots) {
    const { wanted, copyMayStay } = world.wishes.of(slot.object);
    const object = at(consumer, slot);
    const copy = at(world.cluster(APIS[slot.api]?.provider ?? ''), slot);
    if (copy !== undefined && !copyMayStay && !world.foreigners.isForeign(copy))
      yield { invariant: 'unbinding ends', what: `the copy of object ${slot.object} is still there` };
    const isOfBinding = slot.activation === undefined || ACTIVATIONS[slot.activation]?.namespace !== undefined;
    if (isOfBinding && wanted !== undefined && (object === undefined || object.finalizers.includes(SYNCER)))
      yield { invariant: 'unbinding ends', what: `object ${slot.object} went, or is held` };
  }
}

function violateAll(world: KbindWorld, findings: Iterable<Finding>): void {
  for (const { invariant, what } of findings) world.violate(invariant, what);
}
