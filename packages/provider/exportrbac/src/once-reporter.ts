import type { ControllerContext } from '@hawser/controller';
import type { EventMessage, ObjectReference } from '@hawser/telemetry';

/** Reports a lasting state once, not with every look. */
export class OnceReporter {
  readonly #ctx: ControllerContext<'provider'>;
  readonly #messages = new Map<string, string>();

  constructor(ctx: ControllerContext<'provider'>) {
    this.#ctx = ctx;
  }

  report(key: string, regarding: ObjectReference, event: EventMessage): void {
    if (this.#messages.get(key) === event.message) return;
    this.#messages.set(key, event.message);
    this.#ctx.logger.warn(event.message, { reason: event.reason, regarding: regarding.name });
    this.#ctx.clusters.provider.events.record(regarding, event);
  }

  /** Forgets a state that has ended. */
  forget(key: string): void {
    this.#messages.delete(key);
  }
}
