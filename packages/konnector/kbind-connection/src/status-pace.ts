import type { WriteBudgetOptions } from '@hawser/controller';

/** How often the status of one object is written: two konnectors that both lead for a moment, as after a restore of the Lease, must not answer each other as fast as the API server allows. */
export const statusPace: WriteBudgetOptions = { burst: 10, refillMs: 4_000 };
