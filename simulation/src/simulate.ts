import type { Logger } from '@hawser/telemetry';
import { admissionFaults } from './admission.js';
import { scheduleFaults } from './fault-driver.js';
import {
  type Violation,
  bundleInStep,
  claimedSecretsStay,
  deletionsAreDone,
  inStep,
  memoryStays,
  monstersAreGone,
  quiet,
  rightsInStep,
  schemasInStep,
  standstillIsReported,
  statusesInStep,
  twoWritesEach,
  unbound,
} from './invariants.js';
import { heapInUse, isWeighed } from './memory.js';
import { monsterKinds } from './monsters.js';
import type { Binding } from './names.js';
import { type Schedule, drawSchedule } from './schedule.js';
import { SeededRandom } from './seeded-random.js';
import { simulateCoreKbind } from './core-kbind/simulate-core-kbind.js';
import { type DialectName, type Settings, drawSettings, isLongRun } from './settings.js';
import { TWINS_MACHINE, type Twin, hasTwin } from './twin.js';
import type { UserAction } from './user-action.js';
import { World } from './world.js';

export interface SimulationOptions {
  readonly seed: number;
  /** Virtual length of the part with faults. Default one hour. */
  readonly hours?: number;
  /** Default 24. */
  readonly objects?: number;
  /** Replaces the schedule from the seed: a part of it, to narrow down a failure. */
  readonly schedule?: Schedule | undefined;
  /** Replaces the dialect from the seed. */
  readonly dialect?: DialectName | undefined;
  /** Replaces the settings from the seed. */
  readonly settings?: Settings | undefined;
  /** Number of trace lines in the result. Default 0. */
  readonly keepTrace?: number;
  readonly logger?: ((process: string) => Logger) | undefined;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly schedule: Schedule;
  readonly settings: Settings;
  /** Equal for two identical runs, request by request. */
  readonly digest: string;
  readonly trace: readonly string[];
  readonly requests: number;
  /** Time from the last fault until in step, in virtual milliseconds. */
  readonly convergedMs: number | undefined;
  readonly virtualMs: number;
}

const HOUR_MS = 3_600_000;
/** Limit after the last fault. Back-off is capped at five minutes. */
const IN_STEP_WITHIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 10_000;
/** Longer than any back-off. */
const SETTLE_MS = 7 * 60_000;
const REAPPLY_EVERY_MS = 20_000;
/** In a run of a day, people and pipelines look less often. */
const REAPPLY_EVERY_MS_OF_LONG_RUNS = 60_000;
const QUIET_FOR_MS = 10 * 60_000;
/** Number of objects written while webhooks meddle. */
const WRITTEN_IN_PEACE = 8;
/** Longer than the time until a retry is reported. */
const REPORTED_WITHIN_MS = 5 * 60_000;
/** For changes that need no new watch. */
const SEEN_WITHIN_MS = 60_000;
const UNBOUND_WITHIN_MS = 15 * 60_000;

/** One run, from empty clusters to the last invariant. The same options give the same run. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, hours = 1, objects = 24 } = options;
  const settings = options.settings ?? drawSettings({ seed, hours, objects, dialect: options.dialect });
  if (settings.dialect === 'core.kbind.io') return simulateCoreKbind(options, settings);
  const heapInTheBeginning = isWeighed(seed, hours) ? heapInUse() : undefined;
  const world = new World({ seed, objects, settings, keepTrace: options.keepTrace ?? 0, logger: options.logger });
  const endMs = hours * HOUR_MS;
  const schedule =
    options.schedule ??
    drawSchedule({ seed, endMs, objects, names: world.names, settings: { ...settings, twins: hasTwin(settings) } });
  const setUp = world.installation.setUp().catch((error: unknown) => {
    world.accounts.violate('the simulation itself', `set-up failed: ${String(error)}`);
  });
  for (const machine of [...world.names.machines, ...(world.twin === undefined ? [] : [TWINS_MACHINE])])
    world.startProcess(machine);
  scheduleFaults(world, schedule.faults);
  for (const action of schedule.actions)
    world.time.setTimeout(() => {
      take(world, action);
    }, action.at);
  keepApplied(world, isLongRun(hours) ? REAPPLY_EVERY_MS_OF_LONG_RUNS : REAPPLY_EVERY_MS);
  // Events after the first violation show nothing new, and may be many.
  await world.time.runUntil(endMs, () => world.accounts.violations.length > 0);
  // Time no longer passes for an unfinished setup.
  if (world.accounts.violations.length === 0) await setUp;
  world.twin?.clear();
  const convergedMs = await convergence(world, endMs);
  if (world.accounts.violations.length === 0) await checkQuiet(world, heapInTheBeginning, settings);
  if (world.accounts.violations.length === 0) await checkPropagation(world, settings);
  if (world.accounts.violations.length === 0 && settings.webhooks === true) await checkAdmission(world, seed);
  if (world.accounts.violations.length === 0 && settings.defaults === true) await checkDefaults(world);
  if (world.accounts.violations.length === 0 && world.twin !== undefined) await checkTwin(world, world.twin);
  if (world.accounts.violations.length === 0 && settings.monsters === true) await checkMonsters(world);
  if (world.accounts.violations.length === 0 && settings.repoints === true) await checkRepointing(world);
  if (world.accounts.violations.length === 0 && settings.bundle !== 'None') await checkBundles(world, settings.bundle);
  if (world.accounts.violations.length === 0) await checkUnbinding(world);
  for (const process of world.processes) process.kill();
  return {
    seed,
    schedule,
    settings,
    convergedMs,
    violations: world.accounts.violations,
    digest: world.trace.digest(),
    trace: world.trace.lines(),
    requests: world.accounts.requests,
    virtualMs: world.time.monotonic(),
  };
}

function keepApplied(world: World, everyMs: number): void {
  world.time.setTimeout(() => {
    world.users.reapply();
    world.usersOfSecrets.reapply();
    world.installation.reapply();
    world.bystanders.reapply();
    world.monsters.reapply();
    world.twin?.reapply();
    for (const hostile of world.hostileConsumers.values()) hostile.reapply();
    keepApplied(world, everyMs);
  }, everyMs);
}

function take(world: World, action: UserAction): void {
  world.trace.add(
    world.time.monotonic(),
    `USER ${action.kind} ${'binding' in action ? action.binding : action.object}${'way' in action ? ` ${action.way}` : ''}`,
  );
  const { users, installation, schemas, time } = world;
  switch (action.kind) {
    case 'unbind':
      if (!installation.usable(action.binding)) return;
      world.mayBeOrphanedOf(action.binding);
      installation.unbind(action.binding);
      time.setTimeout(() => {
        installation.bind(action.binding);
      }, action.forMs);
      return;
    case 'unbind-by-command':
      if (!installation.usable(action.binding)) return;
      world.mayBeOrphanedOf(action.binding);
      installation.unbindByCommand(action.binding);
      time.setTimeout(() => {
        installation.bind(action.binding);
      }, action.forMs);
      return;
    case 'delete-crd':
      world.mayBeOrphanedOf(action.binding);
      if (installation.deleteCrd(action.binding))
        time.setTimeout(() => {
          installation.letGo(action.binding, action.way);
        }, action.forMs);
      return;
    case 'make-monster': {
      const monster = { name: `monster-${action.at}`, binding: action.binding, kind: action.monster };
      if (world.monsters.make(monster))
        time.setTimeout(() => {
          world.monsters.remove(monster);
        }, action.forMs);
      return;
    }
    case 'repoint':
      if (installation.repoint(action.binding))
        time.setTimeout(() => {
          installation.repointBack(action.binding);
        }, action.forMs);
      return;
    case 'withdraw': {
      const site = installation.site(world.bindingAt(action.binding).provider);
      site.withdraw();
      time.setTimeout(() => {
        site.offerAgain();
      }, action.forMs);
      return;
    }
    case 'grow-claims':
      installation.growClaims(action.binding, action.way, action.forMs);
      return;
    case 'attempt':
      world.hostileConsumers.get(world.bindingAt(action.binding).provider)?.attempt(action.way, action.forMs);
      return;
    case 'unbundle':
      installation.unbundle(action.binding);
      time.setTimeout(() => {
        installation.bundle(action.binding);
      }, action.forMs);
      return;
    case 'add-field':
      schemas.addField(action.binding);
      return;
    case 'narrow':
      if (schemas.narrow(action.binding))
        time.setTimeout(() => {
          schemas[action.approved ? 'approve' : 'takeBack'](action.binding);
        }, action.forMs);
      return;
    case 'create':
    case 'update':
    case 'delete':
    case 'recreate':
    case 'tamper':
      users[action.kind](action.object);
      return;
    case 'create-secret':
      world.usersOfSecrets.create(action.object);
      return;
    case 'update-secret':
      world.usersOfSecrets.update(action.object);
      return;
    case 'delete-secret':
      world.usersOfSecrets.delete(action.object);
      return;
    case 'recreate-secret':
      world.usersOfSecrets.recreate(action.object);
      return;
    case 'tamper-secret':
      world.usersOfSecrets.tamper(action.object);
      return;
    case 'tamper-connection':
      world.tamperWithConnection(action.object);
      return;
    case 'back-up':
      world.bystanders.backUp(action.object);
      return;
    case 'make-child': {
      const remove = world.bystanders.makeChild(action.object);
      if (remove !== undefined) time.setTimeout(remove, action.forMs);
    }
  }
}

/** Waits until everything is in step; returns the differences at the timeout. */
async function convergence(world: World, endMs: number): Promise<number | undefined> {
  const deadline = endMs + IN_STEP_WITHIN_MS;
  for (;;) {
    if (world.accounts.violations.length > 0) return undefined;
    const findings = differences(world);
    if (findings.length === 0) return world.time.monotonic() - endMs;
    if (world.time.monotonic() >= deadline) {
      world.accounts.violateAll(findings);
      return undefined;
    }
    await world.time.runUntil(world.time.monotonic() + LOOK_EVERY_MS);
  }
}

/** Checks rights last: it takes long. */
function differences(world: World): readonly Finding[] {
  const found = [...differencesOfObjects(world)];
  return found.length > 0 ? found : [...rightsDiffer(world)];
}

function* rightsDiffer(world: World): Generator<Finding> {
  for (const binding of world.names.bindings.keys()) yield* rightsInStep(world.rights(binding));
}

interface Finding {
  readonly invariant: string;
  readonly what: string;
}

function* differencesOfObjects(world: World): Generator<Finding> {
  yield* monstersAreGone([...world.monsters.left(), ...(world.twin?.left() ?? [])]);
  for (const binding of world.names.bindings.keys()) {
    const { provider } = world.bindingAt(binding);
    const { consumer } = world.names;
    const sides = { binding, originals: world.samples(consumer, binding), copies: world.samples(provider, binding) };
    yield* inStep(world.model, sides);
    yield* statusesInStep(world.model, sides);
    yield* deletionsAreDone(world.model, sides);
    for (const model of [world.credentials, world.connections]) {
      const [home, away] = model.home === 'consumer' ? [consumer, provider] : [provider, consumer];
      const secrets = { binding, originals: world.secrets(home, model), copies: world.secrets(away, model) };
      yield* inStep(model, secrets);
      yield* deletionsAreDone(model, secrets);
    }
    const bundle = world.installation.bundleOf(binding);
    if (bundle !== undefined) yield* bundleInStep(bundle);
    yield* schemasInStep(world.schemas, binding, world.schemasOf(binding));
  }
}

async function checkQuiet(
  world: World,
  heapInTheBeginning: number | undefined,
  { credential }: Settings,
): Promise<void> {
  let writes: readonly string[] = [];
  // A replaced token is removed at its time: then checks once more.
  for (let times = 0; times < 3 && (times === 0 || writes.some(isOfCredentials)); times++) {
    await world.time.runUntil(world.time.monotonic() + SETTLE_MS);
    world.accounts.takeWrites();
    const before = heapInTheBeginning === undefined ? undefined : heapInUse();
    await world.time.runUntil(world.time.monotonic() + QUIET_FOR_MS);
    if (before !== undefined && heapInTheBeginning !== undefined)
      world.accounts.violateAll(memoryStays(before, heapInUse(), heapInTheBeginning));
    // Expiring tokens are refreshed, and the consumer gets the new ones, whatever else happens.
    writes = world.accounts
      .takeWrites()
      .filter(
        (write) =>
          credential === 'Legacy' || !(isOfCredentials(write) || /^machine-\S+ \S+ POST \S+\/events$/u.test(write)),
      );
  }
  world.accounts.violateAll(quiet(writes, QUIET_FOR_MS));
  world.accounts.violateAll(differences(world));
}

/** The path of a created object names only its collection. */
function isOfCredentials(write: string): boolean {
  return /\/(?:serviceaccounts\/kube-binder|secrets\/kube-binder|secrets\/kubeconfig)|^machine-\S+ \S+ POST \S+\/namespaces\/cluster-[^/]+\/secrets$/u.test(
    write,
  );
}

/** After an action of people without faults. */
async function comesInStep(world: World): Promise<void> {
  const { time, accounts } = world;
  const deadline = time.monotonic() + IN_STEP_WITHIN_MS;
  while (differences(world).length > 0 && time.monotonic() < deadline)
    await time.runUntil(time.monotonic() + LOOK_EVERY_MS);
  accounts.violateAll(differences(world));
}

/** In step and quiet, gives each API one more field. */
async function checkPropagation(world: World, { rollout }: Settings): Promise<void> {
  const { names, time, schemas, installation, accounts } = world;
  for (const index of names.bindings.keys()) schemas.addField(index);
  installation.reapply();
  await comesInStep(world);
  await time.runUntil(time.monotonic() + LOOK_EVERY_MS);
  const writes = accounts
    .takeWrites()
    .filter((write) => /^machine-.*\/(?:boundschemas|apiserviceexports)\//u.test(write));
  // With roll-out steps, further writes report who waits, and for whom.
  if (rollout.length === 0) accounts.violateAll(twoWritesEach(writes, names.consumers.length * names.bindings.length));
}

async function checkUnbinding(world: World): Promise<void> {
  const { names } = world;
  const before = names.bindings.map(({ provider }, index) => world.samples(provider, index));
  const secretsBefore = names.clusters.map((cluster) => world.claimedSecrets(cluster));
  for (const index of names.bindings.keys()) world.installation.unbind(index);
  const isServed = ({ group, plural }: Binding): boolean =>
    world.cluster(names.consumer).serves({ group, resource: plural });
  await world.time.runUntil(world.time.monotonic() + UNBOUND_WITHIN_MS, () => !names.bindings.some(isServed));
  await world.time.runUntil(world.time.monotonic() + SETTLE_MS);
  for (const [index, binding] of names.bindings.entries()) {
    world.accounts.violateAll(
      unbound(
        isServed(binding),
        world.samples(names.consumer, index),
        before[index] ?? [],
        world.samples(binding.provider, index),
      ),
    );
    const bundle = world.installation.bundleOf(index);
    if (bundle !== undefined) world.accounts.violateAll(bundleInStep(bundle));
  }
  world.accounts.violateAll(rightsDiffer(world));
  for (const [index, cluster] of names.clusters.entries())
    world.accounts.violateAll(claimedSecretsStay(cluster, secretsBefore[index] ?? [], world.claimedSecrets(cluster)));
}

/** In step, webhooks meddle on one side. Objects out of step are reported; when the webhooks stop, all come in step. */
async function checkAdmission(world: World, seed: number): Promise<void> {
  const { names, time, accounts, users, model } = world;
  const random = SeededRandom.stream(seed, 'webhooks in peace');
  const webhook = random.pick(admissionFaults);
  const clusters = random.chance(0.5) ? [names.consumer] : names.providers;
  world.trace.add(time.monotonic(), `PEACE ${webhook} in ${clusters.join(', ')}`);
  for (const cluster of clusters) world.cluster(cluster).webhooks.add(webhook);
  for (const { object } of model.slots.slice(0, WRITTEN_IN_PEACE))
    users[model.of(object).wanted === undefined ? 'create' : 'update'](object);
  await time.runUntil(time.monotonic() + REPORTED_WITHIN_MS);
  if (accounts.violations.length === 0) accounts.violateAll(standstills(world));
  for (const cluster of clusters) world.cluster(cluster).webhooks.remove(webhook);
  await comesInStep(world);
}

/**
 * In step, a webhook of the consumer sets a value of objects at a konnector's first write. Their copies get it, too,
 * and soon, although no status triggers a further look at them.
 */
async function checkDefaults(world: World): Promise<void> {
  const { names, time, users, model, accounts } = world;
  const { webhooks } = world.cluster(names.consumer);
  world.trace.add(time.monotonic(), `PEACE sets-field in ${names.consumer}`);
  const slots = model.slots.slice(0, WRITTEN_IN_PEACE);
  for (const { object } of slots) if (model.of(object).wanted !== undefined) users.delete(object);
  await comesInStep(world);
  world.operatorsRest = true;
  webhooks.add('sets-field');
  for (const { object } of slots) users.create(object);
  await time.runUntil(time.monotonic() + SEEN_WITHIN_MS);
  for (const binding of names.bindings.keys())
    accounts.violateAll(
      inStep(model, {
        binding,
        originals: world.samples(names.consumer, binding),
        copies: world.samples(world.bindingAt(binding).provider, binding),
      }),
    );
  webhooks.remove('sets-field');
  world.operatorsRest = false;
  for (const provider of names.providers) world.operatorLists(provider);
  await comesInStep(world);
}

/**
 * In step, users of another cluster with the same kubeconfig want the consumer's objects. They get a report, and the
 * consumer's objects stay unchanged, also when the others delete theirs.
 */
async function checkTwin(world: World, twin: Twin): Promise<void> {
  const { time, accounts, model } = world;
  world.trace.add(time.monotonic(), 'PEACE twin');
  const made = twin.makeAll();
  // If the API was missing when the consumer's users wanted to make them, there are none.
  if (made.length === 0 && twin.slots.some(({ object }) => model.of(object).wanted !== undefined))
    accounts.violate('the simulation itself', 'the other cluster with the same kubeconfig could make nothing');
  await time.runUntil(time.monotonic() + REPORTED_WITHIN_MS);
  for (const name of made)
    accounts.violateAll(
      standstillIsReported(`${name} of the other cluster has no copy, and does not say why`, twin.isReported(name)),
    );
  accounts.violateAll(differences(world));
  twin.clear();
  await comesInStep(world);
  twin.unbind();
  await time.runUntil(
    time.monotonic() + UNBOUND_WITHIN_MS,
    () => !twin.cluster.serves({ group: twin.binding.group, resource: twin.binding.plural }),
  );
  await comesInStep(world);
}

/**
 * In step, users make difficult objects. Those that cannot be handled are reported, all others come in step, and each
 * goes when it is deleted.
 */
async function checkMonsters(world: World): Promise<void> {
  const { names, time, accounts, users, model, monsters } = world;
  world.trace.add(time.monotonic(), 'PEACE monsters');
  const made = [...names.bindings.keys()]
    .flatMap((binding) => monsterKinds.map((kind) => ({ binding, kind, name: `${kind}-in-peace` })))
    .filter((monster) => monsters.make(monster));
  await time.runUntil(time.monotonic() + LOOK_EVERY_MS);
  for (const { object } of model.slots.slice(0, WRITTEN_IN_PEACE))
    users[model.of(object).wanted === undefined ? 'create' : 'update'](object);
  await time.runUntil(time.monotonic() + REPORTED_WITHIN_MS);
  for (const { binding, kind, name } of made) {
    const hasCopy = world.samples(world.bindingAt(binding).provider, binding).some((copy) => copy.name === name);
    if (kind === 'large' && !hasCopy) accounts.violate('in step', `${name} has no copy`);
    if (kind !== 'large')
      accounts.violateAll(
        standstillIsReported(
          `${name} of ${world.bindingAt(binding).name} is nested too deeply, and neither it nor its binding says so`,
          world.isReportedOf({ binding, name }),
        ),
      );
  }
  await comesInStep(world);
  for (const monster of made) monsters.remove(monster);
  await comesInStep(world);
}

/**
 * In step, a Secret leads to another provider. It stays so, the binding reports the fault, and all continues when the
 * Secret is right again.
 */
async function checkRepointing(world: World): Promise<void> {
  const { names, time, installation, accounts } = world;
  world.trace.add(time.monotonic(), 'PEACE another kubeconfig');
  for (const index of names.bindings.keys()) installation.repoint(index);
  await time.runUntil(time.monotonic() + REPORTED_WITHIN_MS);
  for (const { name } of names.bindings)
    accounts.violateAll(
      standstillIsReported(
        `the Secret of binding ${name} leads to another provider, and the binding does not say so`,
        world.bindingReports(name, 'ProviderIdentityChanged'),
      ),
    );
  for (const index of names.bindings.keys()) installation.repointBack(index);
  await comesInStep(world);
}

function* standstills(world: World): Generator<Finding> {
  for (const { object, what } of world.notInStep())
    yield* standstillIsReported(`${what}, and neither it nor its binding says why`, world.isReported(object));
}

/**
 * APIs that a provider withdraws are unbound. Then bundles go: APIs also bound by hand stay, with all that belongs to
 * them.
 */
async function checkBundles(world: World, bundle: 'Whole' | 'Beside'): Promise<void> {
  const { names, installation } = world;
  for (const { provider } of names.bindings) installation.site(provider).withdraw();
  await comesInStep(world);
  if (bundle === 'Whole') return;
  for (const { provider } of names.bindings) installation.site(provider).offerAgain();
  await comesInStep(world);
  for (const index of names.bindings.keys()) installation.unbundle(index);
  await comesInStep(world);
}
