import type { WriteBudgetOptions } from '@hawser/controller';
import type { EventMessage } from '@hawser/telemetry';

/**
 * Rate limit for restoring an export that its consumer gave up: 10 times at once, then once a minute. Each change
 * removes or grants all its rights: many writes for one write of the consumer.
 */
export const usualRestores: WriteBudgetOptions = { burst: 10, refillMs: 60_000 };
export const restorePacedEvent: EventMessage = {
  type: 'Warning',
  reason: 'RestorePaced',
  message:
    'The consumer has let go of this export and taken it up again so often that its rights come back only once a minute. The consumer has to see what does that; nothing else is to be done.',
};
