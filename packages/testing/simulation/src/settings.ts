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
}

export interface LeaseSettings {
  readonly durationSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retryPeriodSeconds: number;
}

/** Longer than the defaults, and in long runs still longer, so that a simulated day is not made of renewals. */
const LEASE: LeaseSettings = { durationSeconds: 120, renewDeadlineSeconds: 80, retryPeriodSeconds: 16 };
const LEASE_OF_LONG_RUNS: LeaseSettings = { durationSeconds: 360, renewDeadlineSeconds: 240, retryPeriodSeconds: 96 };
const LONG_RUN_HOURS = 6;

export function drawSettings({ seed, hours, objects }: { readonly seed: number; readonly hours: number; readonly objects: number }): Settings {
  return {
    isolation: SeededRandom.stream(seed, 'isolation').pick(['None', 'Prefixed', 'Namespaced'] as const),
    pageSize: SeededRandom.stream(seed, 'pages').pick([Math.ceil(objects / 8), Math.ceil(objects / 3), 500]),
    lease: isLongRun(hours) ? LEASE_OF_LONG_RUNS : LEASE,
    admission: SeededRandom.stream(seed, 'admission').pick(['Exported', 'Template'] as const),
    credential: SeededRandom.stream(seed, 'credential').pick(['Legacy', 'Rotating'] as const),
    tokenLifeSeconds: isLongRun(hours) ? 8 * 3_600 : 3_600,
  };
}
