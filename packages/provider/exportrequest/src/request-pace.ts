import type { KubeObject } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { WriteBudget, type WriteBudgetOptions } from '@hawser/controller';
import type { EventMessage, EventRecorder } from '@hawser/telemetry';

export interface RequestPaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  /** Default: 200 looks at once, then five a second. */
  readonly pace?: WriteBudgetOptions | undefined;
  /** Number of the consumer's unanswered requests. */
  readonly pendingOf: (consumer: string) => number;
}

/** Limits looks at the unanswered requests of one consumer, to keep other consumers from waiting. */
export interface RequestPace {
  /**
   * Milliseconds until the pending request is looked at; 0: now, and the look counts. An Event, `RequestsPaced`,
   * informs one request of a waiting consumer.
   */
  deferral(request: KubeObject): number;
  /** A consumer with many pending requests yields to others: a thousand requests must not delay a single one. */
  priorityOf(request: KubeObject): 'background' | 'normal';
}

/** With more pending requests than this, a consumer yields to others. */
const patience = 16;
/** More than binding everything needs; each look may cost a review, a status and an Event. */
const usualPace: WriteBudgetOptions = { burst: 200, refillMs: 200 };
/** Interval for reporting a consumer that keeps exceeding its limit. */
const reportAgainMs = 600_000;

/** The namespace of the requests identifies the consumer. */
export function createRequestPace({
  clock,
  random,
  events,
  pace = usualPace,
  pendingOf,
}: RequestPaceOptions): RequestPace {
  const looks = new WriteBudget(pace);
  const words = new WriteBudget({ burst: 1, refillMs: reportAgainMs });
  return {
    deferral(request) {
      const {
        apiVersion,
        kind,
        metadata: { namespace: consumer = '', name, uid },
      } = request;
      const now = clock.monotonic();
      const waitMs = looks.waitMs(consumer, now);
      if (waitMs === 0) {
        looks.spend(consumer, now);
        return 0;
      }
      if (words.waitMs(consumer, now) === 0) {
        words.spend(consumer, now);
        events.record({ apiVersion, kind, namespace: consumer, name, uid }, pacedEvent(consumer, pace));
      }
      // Waiting requests return one by one, so waiting costs little.
      return waitMs + pace.refillMs * pendingOf(consumer) * random();
    },
    priorityOf: ({ metadata: { namespace = '' } }) => (pendingOf(namespace) > patience ? 'background' : 'normal'),
  };
}

function pacedEvent(consumer: string, { burst, refillMs }: WriteBudgetOptions): EventMessage {
  return {
    type: 'Warning',
    reason: 'RequestsPaced',
    message: `Consumer "${consumer}" makes more requests than are looked at: ${burst} times at once, then once each ${refillMs} ms. Its requests wait for their turn, this one among them; those of others do not. The consumer has to make fewer requests, and to stop what makes them again and again.`,
  };
}
