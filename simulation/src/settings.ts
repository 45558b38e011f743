import { SeededRandom } from './seeded-random.js';

/** Whether time in between matters more than how much happens at once. */
export function isLongRun(hours: number): boolean {
  return hours > LONG_RUN_HOURS;
}

/** What a seed decides about a run besides its schedule. A run that is to stay the same says it instead of drawing it. */
export interface Settings {
  readonly isolation: 'None' | 'Prefixed' | 'Namespaced';
  /** How many objects the servers give in one page of a list. */
  readonly pageSize: number;
  /** In seconds. */
  readonly lease: LeaseSettings;
  /** What a consumer may ask for. */
  readonly admission: 'Exported' | 'Template';
  /** Whether its token expires; in seconds. */
  readonly credential: 'Legacy' | 'Rotating';
  readonly tokenLifeSeconds: number;
  /** Whether the providers claim Secrets. */
  readonly claims: boolean;
  /** Whether the consumer binds all that a provider offers in a bundle: instead of binding it by hand, or beside an API that it has bound by hand. */
  readonly bundle: 'None' | 'Whole' | 'Beside';
  /** Whether people and operators make objects that bear our marks and are nobody's copy. Absent, in older runs: no. */
  readonly bystanders?: boolean;
  /** Whether people of the consumer unbind and bind with commands, and delete CRDs. Absent, in older runs: no. */
  readonly byHand?: boolean;
  /** Whether clusters have webhooks that meddle. Absent, in older runs: no. */
  readonly webhooks?: boolean;
  /** Whether one of the consumers tries to get more than it was given. Absent, in older runs: no. */
  readonly hostile?: boolean;
  /** Whether webhooks give a field of the objects a value. Absent, in older runs: no. */
  readonly defaults?: boolean;
  /** Whether users make objects that are nested deeply, or large. Absent, in older runs: no. */
  readonly monsters?: boolean;
  /** Whether somebody puts the kubeconfig of another provider into the Secret of a binding. Absent, in older runs: no. */
  readonly repoints?: boolean;
  /** Whether providers claim more later than was agreed to. Absent, in older runs: no. */
  readonly grows?: boolean;
  /** Whether another cluster has the consumer's kubeconfig. Absent, in older runs: no. */
  readonly twins?: boolean;
  /** Whether the two konnectors share the work. Absent, in older runs: no. */
  readonly shared?: boolean;
  /** Whether an API is routed to both providers, where `core.kbind.io` is spoken. Absent, in older runs: no. */
  readonly routes?: boolean;
  /** Which dialect is spoken. Absent: that of kube-bind. Where it is `core.kbind.io`, of the other settings only the pages, the Lease, the webhooks and the routes count. */
  readonly dialect?: 'core.kbind.io' | undefined;
  /** The steps of roll-outs in which the consumers are, each by its place; empty: schemas reach all of them at once. */
  readonly rollout: readonly Tier[];
}

/** Steps of a roll-out, first to last. Those of the last one have no label. */
export const tiers = ['canary', 'gold', 'rest'] as const;
export type Tier = (typeof tiers)[number];

export interface LeaseSettings {
  readonly durationSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retryPeriodSeconds: number;
}

/** Longer than the defaults, and in long runs still longer, so that a simulated day is not made of renewals. */
const LEASE: LeaseSettings = { durationSeconds: 120, renewDeadlineSeconds: 80, retryPeriodSeconds: 16 };
const LEASE_OF_LONG_RUNS: LeaseSettings = { durationSeconds: 360, renewDeadlineSeconds: 240, retryPeriodSeconds: 96 };
const LONG_RUN_HOURS = 6;
/** The consumer whose cluster there is comes first, in the middle, or last. */
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
/** With claims, bundles and roll-outs there is none. */
const SHARE_WITH_TWINS = 0.3;
const SHARE_WITH_HOSTILE_CONSUMER = 0.35;
const SHARE_THAT_SHARES = 0.25;
const SHARE_OF_CORE_KBIND = 1 / 3;
const SHARE_WITH_ROUTES = 0.5;
/** With bundles, commands and twins there is none: what is agreed to there is not said on bindings that people make. */
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
  /** In place of the one that the seed determines. */
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
