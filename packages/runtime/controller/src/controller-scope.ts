import { type Client, type KubeObject, isApiError } from '@hawser/client';
import type { Informer, InformerHandle, InformerSpec } from '@hawser/informer';
import type { Cluster, ControllerContext } from './controller.js';
import { createQueue } from './keyed-queue.js';
import { missingRight } from './missing-right.js';
import { type Obstacle, createObstacles } from './obstacles.js';
import type { Queue, QueueOptions } from './queue.js';
import type { Owned, Scope } from './scope.js';
import { Ticker } from './ticker.js';
import { type ToKeys, type WatchOptions, handlerOf } from './watches.js';

/** The part of the context that a scope needs. */
export type ScopeContext = Pick<ControllerContext, 'clusters' | 'clock' | 'logger' | 'metrics' | 'random' | 'signal'>;

/** The scope of one run. */
export class ControllerScope implements Scope {
  readonly #controller: string;
  readonly #ctx: ScopeContext;
  readonly #abort = new AbortController();
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #owned: Owned[] = [];
  readonly #informers: InformerHandle<KubeObject>[] = [];
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(controller: string, ctx: ScopeContext) {
    this.#controller = controller;
    this.#ctx = ctx;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  cache<T extends KubeObject>({ informers }: Pick<Cluster, 'informers'>, spec: InformerSpec): InformerHandle<T> {
    return this.informer(informers.acquire<T>(spec));
  }

  informer<T extends KubeObject>(handle: InformerHandle<T>): InformerHandle<T> {
    this.#informers.push(handle);
    this.own(() => {
      handle.release();
    });
    return handle;
  }

  async synced(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.synced(this.signal)));
  }

  queue<Q extends Queue>(queue: Q): Q {
    // The end of the context ends everything at once, also a drain.
    const hurry = (): void => void queue.stop(0);
    this.#ctx.signal.addEventListener('abort', hurry, { once: true });
    this.own(() => {
      this.#ctx.signal.removeEventListener('abort', hurry);
    });
    this.own(() => queue.stop(...(this.#ctx.signal.aborted ? [0] : [])));
    return queue;
  }

  openQueue(options: Omit<QueueOptions, 'clock' | 'random' | 'logger' | 'metrics' | 'ready'>): Queue {
    const { clock, random, logger, metrics } = this.#ctx;
    const clients = Object.values(this.#ctx.clusters).map(({ client }) => client);
    const obstacles = createObstacles({
      clock,
      random,
      release: (keys) => {
        queue.release(keys);
      },
    });
    const queue = createQueue({
      recoveries: clients.map(({ recovery }) => recovery),
      ...options,
      clock,
      random,
      logger,
      metrics,
      ready: this.ready,
      async reconcile(key, signal) {
        const result = await options.reconcile(key, signal);
        if (result.kind !== 'error') obstacles.left(key);
        return result;
      },
      onFailure(key, error, failures) {
        const right = missingRightOf(error, clients);
        if (right !== undefined) obstacles.met(key, right);
        options.onFailure?.(key, error, failures);
      },
    });
    this.own(() => {
      obstacles.close();
    });
    return this.queue(queue);
  }

  watch<T extends KubeObject>(
    informer: Informer<T>,
    queue: Queue,
    toKeys: ToKeys<T>,
    options: WatchOptions<T> = {},
  ): void {
    this.own(informer.addHandler(handlerOf(queue, toKeys, options)));
  }

  onChange<T extends KubeObject>(informer: Informer<T>, changed: (object: T) => void): void {
    this.own(
      informer.addHandler({
        onAdd: (object) => {
          changed(object);
        },
        onUpdate: (_, object) => {
          changed(object);
        },
        onDelete: (object) => {
          changed(object);
        },
      }),
    );
  }

  own<T extends Owned>(owned: T): T {
    this.#owned.push(owned);
    // The scope has ended, so close it here. Not at once: its opener still works with it.
    if (this.#closed) this.#closing = this.#dispose(this.#closing);
    return owned;
  }

  every(ms: number, tick: () => void | Promise<void>, jitter = 0): void {
    const { clock, random, logger } = this.#ctx;
    const onError = (error: unknown): void => {
      logger.error('A regular task of a controller failed.', { controller: this.#controller, error });
    };
    this.own(new Ticker({ clock, random, ms, jitter, tick, onError }));
  }

  /** The setup has succeeded. */
  markReady(): void {
    this.#ready.resolve(undefined);
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** Disposes of everything, the last first. Resolves when nothing is left; never rejects. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing ??= this.#dispose(undefined);
    let seen: Promise<void> | undefined;
    while (seen !== this.#closing) {
      seen = this.#closing;
      await seen;
    }
  }

  async #dispose(before: Promise<void> | undefined): Promise<void> {
    await before;
    for (let last = this.#owned.pop(); last !== undefined; last = this.#owned.pop()) {
      try {
        await (typeof last === 'function' ? last() : last.close());
      } catch (error) {
        // Still close the others.
        this.#ctx.logger.error('Something that a controller owned could not be closed.', {
          controller: this.#controller,
          error,
        });
      }
    }
  }
}

/** The right that an error, or its cause, reports missing on one of these clusters. */
function missingRightOf(error: unknown, clients: readonly Client[]): Obstacle | undefined {
  const refusal = isApiError(error) ? error : error instanceof Error ? error.cause : undefined;
  const client = isApiError(refusal) ? clients.find(({ name }) => name === refusal.request.cluster) : undefined;
  return client === undefined ? undefined : missingRight(refusal, client);
}
