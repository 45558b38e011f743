import type { WriteBudgetOptions } from '@hawser/controller';
import type { EventMessage } from '@hawser/telemetry';

/** How often an export that its consumer let go of is given back: 10 times at once, then once a minute. Each turn takes all its rights away, or gives them all, which are many writes for the one that the consumer made. */
export const usualRestores: WriteBudgetOptions = { burst: 10, refillMs: 60_000 };
export const restorePacedEvent: EventMessage = {
  type: 'Warning',
  reason: 'RestorePaced',
  message:
    'The consumer has let go of this export and taken it up again so often that its rights come back only once a minute. The consumer has to see what does that; nothing else is to be done.',
};
