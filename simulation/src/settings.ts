import { SeededRandom } from './seeded-random.js';

/** Whether the length of time matters more than the density of events. */
export function isLongRun(hours: number): boolean {
  return hours > LONG_RUN_HOURS;
}

/** A seed's decisions about a run besides its schedule. A recorded run states them instead of drawing them. */
export interface Settings {
  readonly isolation: 'None' | 'Prefixed' | 'Namespaced';
  /** Number of objects in one page of a list. */
  readonly pageSize: number;
  /** Lease settings in seconds. */
  readonly lease: LeaseSettings;
  /** What a consumer may request. */
  readonly admission: 'Exported' | 'Template';
  /** Whether its token expires; in seconds. */
  readonly credential: 'Legacy' | 'Rotating';
  readonly tokenLifeSeconds: number;
  /** Whether the providers claim Secrets. */
  readonly claims: boolean;
  /**
   * Whether the consumer binds all offers of a provider in a bundle: instead of by hand, or beside an API bound by
   * hand.
   */
  readonly bundle: 'None' | 'Whole' | 'Beside';
  /** Whether people and operators make objects with our marks that are no copies. Absent, in older runs: no. */
  readonly bystanders?: boolean;
  /** Whether people of the consumer unbind and bind with commands, and delete CRDs. Absent, in older runs: no. */
  readonly byHand?: boolean;
  /** Whether clusters have webhooks that meddle. Absent, in older runs: no. */
  readonly webhooks?: boolean;
  /** Whether one of the consumers tries to get more than it was given. Absent, in older runs: no. */
  readonly hostile?: boolean;
  /** Whether webhooks set a field of the objects. Absent, in older runs: no. */
  readonly defaults?: boolean;
  /** Whether users make deeply nested or large objects. Absent, in older runs: no. */
  readonly monsters?: boolean;
  /**
   * Whether a person puts the kubeconfig of another provider into the Secret of a binding. Absent, in older runs: no.
   */
  readonly repoints?: boolean;
  /** Whether providers later claim more than was agreed to. Absent, in older runs: no. */
  readonly grows?: boolean;
  /** Whether another cluster has the consumer's kubeconfig. Absent, in older runs: no. */
  readonly twins?: boolean;
  /** Whether the two konnectors share the work. Absent, in older runs: no. */
  readonly shared?: boolean;
  /** Whether an API is routed to both providers, with `core.kbind.io`. Absent, in older runs: no. */
  readonly routes?: boolean;
  /**
   * Dialect of the run. Absent: kube-bind. With `core.kbind.io`, only pages, Lease, webhooks and routes of the other
   * settings count.
   */
  readonly dialect?: 'core.kbind.io' | undefined;
  /** The consumers' roll-out steps, each by its place; empty: schemas reach all of them at once. */
  readonly rollout: readonly Tier[];
}

/** Steps of a roll-out, first to last. Consumers of the last step have no label. */
export const tiers = ['canary', 'gold', 'rest'] as const;
export type Tier = (typeof tiers)[number];

export interface LeaseSettings {
  readonly durationSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retryPeriodSeconds: number;
}

/** Longer than the defaults, and in long runs still longer: a simulated day then does not consist of renewals. */
const LEASE: LeaseSettings = { durationSeconds: 120, renewDeadlineSeconds: 80, retryPeriodSeconds: 16 };
const LEASE_OF_LONG_RUNS: LeaseSettings = { durationSeconds: 360, renewDeadlineSeconds: 240, retryPeriodSeconds: 96 };
const LONG_RUN_HOURS = 6;
/** The consumer with a cluster comes first, in the middle, or last. */
const ROLLOUTS: readonly (readonly Tier[])[] = [
  [],
  [],
  [],
  [],
  [],
  [],
  [],
  [],
  ['canary', 'gold', 'rest'],
  ['gold', 'canary', 'rest', 'canary'],
  ['rest', 'canary', 'gold'],
];
const SHARE_WITH_CLAIMS = 0.35;
const SHARE_WITH_BYSTANDERS = 0.4;
const SHARE_BY_HAND = 0.4;
const SHARE_WITH_WEBHOOKS = 0.3;
const SHARE_WITH_DEFAULTS = 0.2;
const SHARE_WITH_REPOINTS = 0.2;
const SHARE_WITH_MONSTERS = 0.15;
/** Never with claims, bundles and roll-outs. */
const SHARE_WITH_TWINS = 0.3;
const SHARE_WITH_HOSTILE_CONSUMER = 0.35;
const SHARE_THAT_SHARES = 0.25;
const SHARE_OF_CORE_KBIND = 1 / 3;
const SHARE_WITH_ROUTES = 0.5;
/** Never with bundles, commands and twins: bindings that people make do not record agreements there. */
const SHARE_WITH_GROWING_CLAIMS = 0.4;

export type DialectName = 'kube-bind.io' | 'core.kbind.io';

export function drawSettings({
  seed,
  hours,
  objects,
  dialect = SeededRandom.stream(seed, 'dialect').chance(SHARE_OF_CORE_KBIND) ? 'core.kbind.io' : 'kube-bind.io',
}: {
  readonly seed: number;
  readonly hours: number;
  readonly objects: number;
  /** Replaces the dialect from the seed. */
  readonly dialect?: DialectName | undefined;
}): Settings {
  return {
    ...(dialect === 'core.kbind.io' ? { dialect } : {}),
    isolation: SeededRandom.stream(seed, 'isolation').pick(['None', 'Prefixed', 'Namespaced'] as const),
    pageSize: SeededRandom.stream(seed, 'pages').pick([Math.ceil(objects / 8), Math.ceil(objects / 3), 500]),
    lease: isLongRun(hours) ? LEASE_OF_LONG_RUNS : LEASE,
    admission: SeededRandom.stream(seed, 'admission').pick(['Exported', 'Template'] as const),
    credential: SeededRandom.stream(seed, 'credential').pick(['Legacy', 'Rotating'] as const),
    claims: SeededRandom.stream(seed, 'claims').chance(SHARE_WITH_CLAIMS),
    bystanders: SeededRandom.stream(seed, 'bystanders').chance(SHARE_WITH_BYSTANDERS),
    webhooks: SeededRandom.stream(seed, 'webhooks').chance(SHARE_WITH_WEBHOOKS),
    hostile: SeededRandom.stream(seed, 'hostile').chance(SHARE_WITH_HOSTILE_CONSUMER),
    byHand: SeededRandom.stream(seed, 'by hand').chance(SHARE_BY_HAND),
    defaults: SeededRandom.stream(seed, 'defaults').chance(SHARE_WITH_DEFAULTS),
    twins: SeededRandom.stream(seed, 'with twins').chance(SHARE_WITH_TWINS),
    monsters: SeededRandom.stream(seed, 'any monsters').chance(SHARE_WITH_MONSTERS),
    grows: SeededRandom.stream(seed, 'growing claims').chance(SHARE_WITH_GROWING_CLAIMS),
    repoints: SeededRandom.stream(seed, 'misled').chance(SHARE_WITH_REPOINTS),
    bundle: SeededRandom.stream(seed, 'bundle').pick([
      'None',
      'None',
      'None',
      'None',
      'None',
      'None',
      'Whole',
      'Beside',
    ] as const),
    shared: SeededRandom.stream(seed, 'two konnectors by shards').chance(SHARE_THAT_SHARES),
    routes: SeededRandom.stream(seed, 'routed by labels').chance(SHARE_WITH_ROUTES),
    rollout: SeededRandom.stream(seed, 'rollout').pick(ROLLOUTS),
    tokenLifeSeconds: isLongRun(hours) ? 8 * 3_600 : 3_600,
  };
}
