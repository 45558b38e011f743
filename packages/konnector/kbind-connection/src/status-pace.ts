import type { WriteBudgetOptions } from '@hawser/controller';

/**
 * Limits status writes per object: two konnectors that both lead for a moment, as after a restored Lease, must not
 * loop.
 */
export const statusPace: WriteBudgetOptions = { burst: 10, refillMs: 4_000 };
