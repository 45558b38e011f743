import type { Queue } from '@hawser/controller';

/** A namespace for a consumer, not reported to it yet. */
export interface PendingNamespace {
  readonly clusterNamespace: string;
  /** Name of the APIServiceNamespace. */
  readonly consumerNamespace: string;
  readonly namespace: string;
}

/** Grants a consumer its rights in a namespace. */
export interface NamespaceRights {
  /**
   * Resolves once the consumer has all permitted rights of its exports in that namespace; then `status.namespace` can
   * be written. A konnector that learns of a namespace earlier is refused there, and retries only after its back-off.
   * @throws {ApiError} if a request failed.
   */
  ensure(pending: PendingNamespace, signal: AbortSignal): Promise<void>;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** Namespaces without a `status.namespace` pointing to them yet, and the calls that await their rights. */
export class PendingNamespaces implements NamespaceRights {
  /** Of the cluster namespaces; none while the controller does not run. */
  #consumers: Queue | undefined;
  readonly #pending = new Map<string, Map<string, PendingNamespace>>();
  readonly #waiters = new Map<string, Waiter[]>();

  /** Grants through this queue from now on. */
  begin(consumers: Queue): void {
    this.#consumers = consumers;
  }

  async ensure(one: PendingNamespace, signal: AbortSignal): Promise<void> {
    if (this.#consumers === undefined) throw new Error('the controller of rights does not run');
    this.add(one);
    const granted = this.wait(one.clusterNamespace, signal);
    this.#consumers.add(one.clusterNamespace, { priority: 'urgent', resetBackoff: true });
    await granted;
  }

  /** Pending namespaces of one consumer. */
  of(clusterNamespace: string): readonly PendingNamespace[] {
    return [...(this.#pending.get(clusterNamespace)?.values() ?? [])];
  }

  add(pending: PendingNamespace): void {
    const ofConsumer = this.#pending.get(pending.clusterNamespace) ?? new Map<string, PendingNamespace>();
    this.#pending.set(pending.clusterNamespace, ofConsumer.set(pending.consumerNamespace, pending));
  }

  /** Forgets a namespace that is assigned or no longer wanted. */
  forget(clusterNamespace: string, consumerNamespace: string): void {
    const ofConsumer = this.#pending.get(clusterNamespace);
    ofConsumer?.delete(consumerNamespace);
    if (ofConsumer?.size === 0) this.#pending.delete(clusterNamespace);
  }

  wait(clusterNamespace: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiter.reject(signal.reason);
      };
      const over = (): void => {
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve: () => {
          over();
          resolve();
        },
        reject: (error) => {
          over();
          reject(
            error instanceof Error ? error : new Error('the rights of a namespace are not granted', { cause: error }),
          );
        },
      };
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      const waiting = this.#waiters.get(clusterNamespace) ?? [];
      this.#waiters.set(clusterNamespace, waiting);
      waiting.push(waiter);
    });
  }

  /** Returns the current waiters: grants from here on count for them. */
  takeWaiters(clusterNamespace: string): readonly Waiter[] {
    const waiting = this.#waiters.get(clusterNamespace) ?? [];
    this.#waiters.delete(clusterNamespace);
    return waiting;
  }

  /** Ends all waiting: nothing more will be granted. */
  close(): void {
    this.#consumers = undefined;
    const reason = new Error('the controller of rights has ended');
    for (const waiting of this.#waiters.values()) for (const waiter of waiting) waiter.reject(reason);
    this.#waiters.clear();
  }
}
