import { type AdmissionFault, admissionFaults } from './admission.js';
import type { KbindAction } from './core-kbind/plan.js';
import type { Fault, LinkFaultKind } from './fault.js';
import { WAITS_MS, growthWays } from './growing-claims.js';
import { attemptWays } from './hostile-consumer.js';
import { monsterKinds } from './monsters.js';
import { type Names, namespaces } from './names.js';
import { SeededRandom } from './seeded-random.js';
import type { Settings } from './settings.js';
import { SHARED } from './twin.js';
import type { UserAction } from './user-action.js';

/** All actions and faults of one run. The rest follows from the seed. */
export interface Schedule {
  readonly actions: readonly UserAction[];
  /** People's actions with `core.kbind.io`, in place of the others. */
  readonly kbindActions?: readonly KbindAction[] | undefined;
  readonly faults: readonly Fault[];
}

export interface ScheduleOptions {
  readonly seed: number;
  /** End of the last fault and the last action, in virtual milliseconds. */
  readonly endMs: number;
  readonly objects: number;
  readonly names: Names;
  readonly settings: Pick<
    Settings,
    | 'bundle'
    | 'byHand'
    | 'claims'
    | 'bystanders'
    | 'hostile'
    | 'webhooks'
    | 'defaults'
    | 'monsters'
    | 'repoints'
    | 'twins'
    | 'grows'
  >;
}

/** Time without actions, for the system to come up. */
const BEGIN_MS = 60_000;
const MEAN_BETWEEN_ACTIONS_MS = 20_000;
const MEAN_BETWEEN_SECRET_ACTIONS_MS = 60_000;
const MEAN_BETWEEN_BUNDLE_ACTIONS_MS = 400_000;
const MEAN_BETWEEN_FAULTS_MS = 150_000;
const MEAN_BETWEEN_BYSTANDERS_MS = 90_000;
const MEAN_BETWEEN_WEBHOOKS_MS = 900_000;
const MEAN_BETWEEN_COMMANDS_MS = 900_000;
const MEAN_BETWEEN_REPOINTS_MS = 900_000;
const MEAN_BETWEEN_MONSTERS_MS = 600_000;
const MEAN_BETWEEN_SHARED_MS = 120_000;
const MEAN_BETWEEN_ATTEMPTS_MS = 240_000;
const MEAN_BETWEEN_GROWTHS_MS = 600_000;

/** Draws a run before it begins: leaving out a part does not change the others. */
export function drawSchedule(options: ScheduleOptions): Schedule {
  const {
    bundle,
    claims,
    bystanders = false,
    byHand = false,
    hostile = false,
    webhooks = false,
    defaults = false,
    monsters = false,
    repoints = false,
    twins = false,
    grows = false,
  } = options.settings;
  // Draws each from random numbers of its own: other parts of a run do not affect it.
  const actions = [
    ...drawActions(options),
    ...(claims ? drawSecretActions(options) : []),
    ...(bundle === 'None' ? [] : drawBundleActions(options)),
    ...(bystanders ? drawBystanders(options) : []),
    ...(hostile ? drawAttempts(options) : []),
    // A bundle binds again what a command has unbound.
    ...(byHand && bundle === 'None' ? drawCommands(options) : []),
    ...(repoints ? drawRepoints(options) : []),
    ...(monsters ? drawMonsters(options) : []),
    ...(twins ? drawShared(options) : []),
    // Bindings that people make do not record agreements by a bundle, a command or another cluster.
    ...(grows && bundle === 'None' && !byHand && !twins ? drawGrowths(options) : []),
  ];
  return {
    actions: actions.sort((a, b) => a.at - b.at),
    faults: [
      ...drawFaults(options),
      ...(webhooks ? drawWebhooks(options, admissionFaults, 'webhook faults') : []),
      ...(defaults ? drawWebhooks(options, ['sets-field'], 'webhooks that set fields') : []),
    ].sort((a, b) => a.at - b.at),
  };
}

/** Instants from the beginning to the end, `mean` apart on average. */
export function* instants(random: SeededRandom, endMs: number, mean: number): Generator<number> {
  for (let at = BEGIN_MS; ;) {
    at += Math.ceil(-Math.log(1 - random.next()) * mean);
    if (at >= endMs) return;
    yield at;
  }
}

function drawActions({ seed, endMs, objects, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'actions');
  const actions: UserAction[] = Array.from({ length: objects }, (_, object) => ({
    at: BEGIN_MS + random.between(0, 30_000),
    kind: 'create',
    object,
  }));
  // A run of a day does not do 24 times as much as one of an hour: coincidences matter.
  const mean = Math.max(MEAN_BETWEEN_ACTIONS_MS, endMs / 600);
  for (const at of instants(random, endMs, mean)) {
    const object = random.between(0, objects - 1);
    const dice = random.next();
    if (dice < 0.45) actions.push({ at, kind: 'update', object });
    else if (dice < 0.6) actions.push({ at, kind: 'delete', object });
    else if (dice < 0.8) actions.push({ at, kind: 'create', object });
    else if (dice < 0.9) actions.push({ at, kind: 'recreate', object });
    else if (dice < 0.96) actions.push({ at, kind: 'tamper', object });
    else if (dice < 0.98)
      actions.push({ at, kind: 'add-field', binding: random.between(0, names.bindings.length - 1) });
    else if (dice < 0.99)
      actions.push({
        at,
        forMs: Math.min(endMs - at, random.between(1_000, 300_000)),
        kind: 'narrow',
        binding: random.between(0, names.bindings.length - 1),
        approved: random.chance(0.5),
      });
    else
      actions.push({
        at,
        kind: 'unbind',
        forMs: random.between(1_000, 120_000),
        binding: random.between(0, names.bindings.length - 1),
      });
  }
  return actions;
}

function drawSecretActions({ seed, endMs, objects }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'secrets');
  const secrets = secretsFor(objects);
  const actions: UserAction[] = Array.from({ length: secrets }, (_, object) => ({
    at: BEGIN_MS + random.between(0, 30_000),
    kind: 'create-secret',
    object,
  }));
  for (const at of instants(random, endMs, Math.max(MEAN_BETWEEN_SECRET_ACTIONS_MS, endMs / 100))) {
    const object = random.between(0, secrets - 1);
    const dice = random.next();
    if (dice < 0.3) actions.push({ at, kind: 'update-secret', object });
    else if (dice < 0.5) actions.push({ at, kind: 'delete-secret', object });
    else if (dice < 0.7) actions.push({ at, kind: 'create-secret', object });
    else if (dice < 0.85) actions.push({ at, kind: 'recreate-secret', object });
    else if (dice < 0.93) actions.push({ at, kind: 'tamper-secret', object });
    else actions.push({ at, kind: 'tamper-connection', object: random.between(0, objects - 1) });
  }
  return actions;
}

function drawBundleActions({ seed, endMs, names, settings: { bundle } }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'bundles');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_BUNDLE_ACTIONS_MS, endMs / 12))].map((at) => {
    const kind = random.chance(0.6) || bundle === 'Whole' ? 'withdraw' : 'unbundle';
    return {
      at,
      forMs: Math.min(endMs - at, random.between(1_000, 300_000)),
      kind,
      binding: random.between(0, names.bindings.length - 1),
    };
  });
}

function drawBystanders({ seed, endMs, objects }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'objects of others');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_BYSTANDERS_MS, endMs / 60))].map((at) => {
    const object = random.between(0, objects - 1);
    return random.chance(0.5)
      ? { at, kind: 'back-up', object }
      : { at, forMs: Math.min(endMs - at, random.between(10_000, 600_000)), kind: 'make-child', object };
  });
}

function drawCommands({ seed, endMs, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'commands');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_COMMANDS_MS, endMs / 8))].map((at) => {
    const common = {
      at,
      forMs: Math.min(endMs - at, random.between(1_000, 200_000)),
      binding: random.between(0, names.bindings.length - 1),
    };
    return random.chance(0.6)
      ? { ...common, kind: 'unbind-by-command' }
      : { ...common, kind: 'delete-crd', way: random.pick(['release', 'unbind'] as const) };
  });
}

function drawAttempts({ seed, endMs, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'attempts');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_ATTEMPTS_MS, endMs / 24))].flatMap(
    (at): readonly UserAction[] => {
      const binding = random.between(0, names.bindings.length - 1);
      const way = random.pick(attemptWays);
      const forMs = Math.min(
        endMs - at,
        way === 'comes-back' ? random.between(420_000, 600_000) : random.between(30_000, 200_000),
      );
      const attempt = { at, forMs, kind: 'attempt', binding, way } as const;
      // The change that it must not have.
      return way === 'all-changes'
        ? [
            attempt,
            {
              at: at + Math.floor(forMs / 4),
              forMs: Math.floor(forMs / 2),
              kind: 'narrow',
              binding,
              approved: random.chance(0.5),
            },
          ]
        : [attempt];
    },
  );
}

/** Number of users' Secrets beside so many objects, if Secrets are claimed. */
export function secretsFor(objects: number): number {
  return Math.ceil(objects / 4);
}

function drawFaults({ seed, endMs, names }: ScheduleOptions): readonly Fault[] {
  const random = SeededRandom.stream(seed, 'faults');
  const faults: Fault[] = [];
  const mean = Math.max(MEAN_BETWEEN_FAULTS_MS, endMs / 200);
  for (const at of instants(random, endMs, mean)) {
    const fault = drawFault(
      random,
      at,
      Math.min(endMs - at, random.pick([500, 5_000, 30_000, 120_000, 400_000])),
      names,
    );
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

/** Objects that users of another cluster want, too. Empty without such a cluster. */
function drawShared({ seed, endMs, objects, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'objects that two clusters have');
  const shared = sharedAfter(objects, names);
  const actions: UserAction[] = shared.map((object) => ({
    at: BEGIN_MS + random.between(0, 30_000),
    kind: 'create',
    object,
  }));
  for (const at of instants(random, endMs, Math.max(MEAN_BETWEEN_SHARED_MS, endMs / 30)))
    actions.push({ at, kind: 'update', object: random.pick(shared) });
  return actions;
}

/** The objects of the first API after that many. */
export function sharedAfter(objects: number, { bindings }: Pick<Names, 'bindings'>): readonly number[] {
  const first = Math.ceil(objects / bindings.length) * bindings.length;
  return Array.from({ length: SHARED }, (_, index) => first + index * bindings.length);
}

function drawMonsters({ seed, endMs, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'objects that are hard to handle');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_MONSTERS_MS, endMs / 8))].map((at) => ({
    at,
    forMs: Math.min(endMs - at, random.between(10_000, 600_000)),
    kind: 'make-monster',
    binding: random.between(0, names.bindings.length - 1),
    monster: random.pick(monsterKinds),
  }));
}

function drawRepoints({ seed, endMs, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'kubeconfigs of another provider');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_REPOINTS_MS, endMs / 8))].map((at) => ({
    at,
    forMs: Math.min(endMs - at, random.between(5_000, 400_000)),
    kind: 'repoint',
    binding: random.between(0, names.bindings.length - 1),
  }));
}

function drawGrowths({ seed, endMs, names }: ScheduleOptions): readonly UserAction[] {
  const random = SeededRandom.stream(seed, 'claims that grow');
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_GROWTHS_MS, endMs / 12))].map((at) => ({
    at,
    forMs: Math.min(endMs - at, WAITS_MS + random.between(60_000, 600_000)),
    kind: 'grow-claims',
    binding: random.between(0, names.bindings.length - 1),
    way: random.pick(growthWays),
  }));
}

function drawWebhooks(
  { seed, endMs, names }: ScheduleOptions,
  faults: readonly AdmissionFault[],
  stream: string,
): readonly Fault[] {
  const random = SeededRandom.stream(seed, stream);
  return [...instants(random, endMs, Math.max(MEAN_BETWEEN_WEBHOOKS_MS, endMs / 8))].map((at) => ({
    at,
    forMs: Math.min(endMs - at, random.pick([5_000, 60_000, 400_000])),
    target: 'admission',
    cluster: random.pick(names.clusters),
    webhook: random.pick(faults),
  }));
}

function drawFault(random: SeededRandom, at: number, forMs: number, names: Names): Fault | undefined {
  const dice = random.next();
  const machine = random.pick(names.machines);
  const cluster = random.pick(names.clusters);
  if (dice < 0.5) return { at, forMs, target: 'link', machine, cluster, fault: drawLinkFault(random) };
  if (dice < 0.57) return { at, target: 'compaction', cluster };
  if (dice < 0.63) return { at, forMs, target: 'restart', cluster };
  if (dice < 0.66)
    return {
      at,
      forMs: Math.min(forMs, 30_000),
      target: 'restore',
      cluster,
      ageMs: Math.min(at - BEGIN_MS, random.pick([10_000, 60_000, 300_000])),
    };
  if (dice < 0.72)
    return { at, forMs, target: 'skew', machine, ms: random.pick([-3_600_000, -20_000, 20_000, 3_600_000]) };
  if (dice < 0.79) return { at, forMs: Math.min(forMs, 60_000), target: 'stall', machine };
  if (dice < 0.92)
    return { at, forMs, target: 'kill', machine, afterRequests: random.between(0, 12), sent: random.chance(0.5) };
  if (dice < 0.95) return { at, forMs: Math.min(forMs, 60_000), target: 'steal-lease' };
  if (dice < 0.963)
    return { at, forMs: Math.min(forMs, 60_000), target: 'revoke', cluster: random.pick(names.providers) };
  if (dice < 0.978) return { at, target: 'replace-token', cluster: random.pick(names.providers) };
  if (dice < 0.988)
    return { at, target: 'drop-namespace', cluster: random.pick(names.providers), namespace: random.pick(namespaces) };
  return { at, forMs: Math.min(forMs, 60_000), target: 'rebuild-consumer' };
}

/** A temporary network fault. */
export function drawLinkFault(random: SeededRandom): LinkFaultKind {
  const share = random.pick([0.05, 0.3, 1]);
  switch (random.between(0, 7)) {
    case 0:
      return { kind: 'latency', ms: random.pick([20, 300, 4_000]) };
    case 1:
      return { kind: 'partition' };
    case 2:
      return { kind: 'reset', share, where: 'before' };
    case 3:
      return { kind: 'reset', share: Math.min(share, 0.5), where: 'after' };
    case 4:
      return { kind: 'reset', share: Math.min(share, 0.5), where: 'mid-body' };
    case 5:
      return { kind: 'refuse', share, status: random.pick([401, 403, 429, 500, 503] as const) };
    case 6:
      return { kind: 'silent-watches' };
    default:
      return { kind: 'late-events', ms: random.pick([500, 5_000, 30_000]) };
  }
}
