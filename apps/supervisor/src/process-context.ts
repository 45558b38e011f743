import type { Clock, Random } from '@hawser/clock';
import type { Logger, Metrics } from '@hawser/telemetry';

/** What every part of the process shares. Made once, in the executable. */
export interface ProcessContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
