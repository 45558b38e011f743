import { InformerError } from './informer-error.js';

interface Waiter {
  readonly owner: object;
  readonly settle: (error: Error | undefined) => void;
}

/** Promises that wait for the first complete list. */
export class SyncWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves by {@link SyncWaiters.resolveAll}; rejects when `signal` aborts, or when the owner gives up. */
  wait(owner: object, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiter.settle(asError(signal?.reason));
      };
      const waiter: Waiter = {
        owner,
        settle: (error) => {
          this.#waiters.delete(waiter);
          signal?.removeEventListener('abort', onAbort);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  resolveAll(): void {
    for (const waiter of this.#waiters) waiter.settle(undefined);
  }

  rejectOf(owner: object): void {
    for (const waiter of this.#waiters) if (waiter.owner === owner) waiter.settle(stopped());
  }

  rejectAll(): void {
    for (const waiter of this.#waiters) waiter.settle(stopped());
  }
}

function stopped(): InformerError {
  return new InformerError('Stopped', 'the informer was stopped before it had a complete list');
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
