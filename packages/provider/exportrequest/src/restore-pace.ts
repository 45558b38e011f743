import { type KubeObject, objectKey } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { WriteBudget, type WriteBudgetOptions } from '@hawser/controller';
import type { EventMessage, Told } from '@hawser/telemetry';

/** Paces how often an export that its consumer let go of is given back: each turn takes all its rights away, or gives them all, which are many writes for the one that the consumer made. */
export interface RestorePace {
  /** Milliseconds until the export may be given back; 0: now, and that is counted. An Event, `RestorePaced`, tells that it has to wait. */
  deferral(found: KubeObject): number;
}

/** 10 times at once, then once a minute. */
export const usualRestores: WriteBudgetOptions = { burst: 10, refillMs: 60_000 };
export const restorePacedEvent: EventMessage = {
  type: 'Warning',
  reason: 'RestorePaced',
  message:
    'The consumer has let go of this export and taken it up again so often that its rights come back only once a minute. The consumer has to see what does that; nothing else is to be done.',
};

/** @param pace Default: 10 times at once, then once a minute. */
export function createRestorePace({
  clock,
  told,
  pace = usualRestores,
}: {
  readonly clock: Clock;
  readonly told: Told;
  readonly pace?: WriteBudgetOptions | undefined;
}): RestorePace {
  const restores = new WriteBudget(pace);
  return {
    deferral(found) {
      const key = objectKey(found);
      const waitMs = restores.waitMs(key, clock.monotonic());
      if (waitMs > 0) {
        const {
          apiVersion,
          kind,
          metadata: { namespace, name, uid },
        } = found;
        told.tell(key, { apiVersion, kind, namespace, name, uid }, restorePacedEvent);
        return waitMs;
      }
      restores.spend(key, clock.monotonic());
      told.forget(key);
      return 0;
    },
  };
}
