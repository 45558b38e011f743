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
  /** How many requests of the consumer are not answered yet. */
  readonly pendingOf: (consumer: string) => number;
}

/** Paces how often the requests of one consumer are looked at that are not answered yet, so that other consumers do not wait for it. */
export interface RequestPace {
  /** Milliseconds until the pending request is looked at; 0: now, and that look is counted. An Event, `RequestsPaced`, tells one request of a consumer that has to wait. */
  deferral(request: KubeObject): number;
  /** A consumer with many pending requests waits for others, too: whoever asks a thousand times does not hold up whoever asks once. */
  priorityOf(request: KubeObject): 'background' | 'normal';
}

/** More pending requests than these, and the consumer waits for others. */
const patience = 16;
/** More than anybody needs who binds all that there is; each look may cost a review, a status and an Event. */
const usualPace: WriteBudgetOptions = { burst: 200, refillMs: 200 };
/** A consumer that goes on asking too often is told of again after this time. */
const tellAgainMs = 600_000;

/** The consumer is the namespace of its requests. */
export function createRequestPace({
  clock,
  random,
  events,
  pace = usualPace,
  pendingOf,
}: RequestPaceOptions): RequestPace {
  const looks = new WriteBudget(pace);
  const words = new WriteBudget({ burst: 1, refillMs: tellAgainMs });
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
      // Those that wait come one by one, so that their waiting costs little.
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
