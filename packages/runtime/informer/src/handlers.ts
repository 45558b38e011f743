import type { KubeObject } from '@hawser/client';
import type { CacheKey } from './cache-key.js';
import type { InformerHandler, Subscription } from './informer.js';

/** A change of one object. */
export type ObjectChange =
  | { readonly kind: 'add'; readonly key: CacheKey; readonly object: KubeObject; readonly initial: boolean }
  | { readonly kind: 'update'; readonly key: CacheKey; readonly before: KubeObject; readonly after: KubeObject }
  | { readonly kind: 'delete'; readonly key: CacheKey; readonly last: KubeObject; readonly witnessed: boolean };

/** The input of a handler. */
export type Change = ObjectChange | { readonly kind: 'restored' };

interface Member {
  readonly handler: InformerHandler<KubeObject>;
  /** The share that the handler belongs to. */
  readonly of: object;
  /** The replay covered the changes up to this number. */
  readonly joinedAt: number;
  open: boolean;
}

/** A change with its number; numbers grow in order of arrival. */
interface Numbered {
  readonly change: Change;
  readonly number: number;
  /** The share that observed it; undefined: it came from the server. */
  readonly by: object | undefined;
}

/**
 * The handlers of one informer, in order of registration. Every handler sees every change once and in the same order. A
 * change caused by a handler waits until all handlers have seen the present one.
 */
export class Handlers {
  readonly #members = new Set<Member>();
  readonly #waiting: Numbered[] = [];
  #number = 0;
  #busy = false;

  /** `onError` must not throw. */
  constructor(private readonly onError: (error: unknown, change: Change) => void) {}

  deliver(change: Change, by?: object): void {
    const next: Numbered = { change, number: ++this.#number, by };
    if (this.#busy) {
      this.#waiting.push(next);
      return;
    }
    this.#exclusively(() => {
      this.#notifyAll(next);
    });
  }

  /** Adds `handler` of the share `of`. Delivers `present` as adds, then every change from now on. */
  add(
    handler: InformerHandler<KubeObject>,
    present: readonly (readonly [CacheKey, KubeObject])[],
    of: object = handler,
  ): Subscription {
    const member: Member = { handler, of, joinedAt: this.#number, open: true };
    this.#members.add(member);
    this.#exclusively(() => {
      for (const [key, object] of present) this.#notify(member, { kind: 'add', key, object, initial: true }, false);
    });
    return {
      close: () => {
        member.open = false;
        this.#members.delete(member);
      },
    };
  }

  clear(): void {
    for (const member of this.#members) member.open = false;
    this.#members.clear();
    this.#waiting.length = 0;
  }

  /** Runs `run`, then the changes caused meanwhile, unless a caller further up does that. */
  #exclusively(run: () => void): void {
    const outermost = !this.#busy;
    this.#busy = true;
    run();
    if (!outermost) return;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#notifyAll(next);
    this.#busy = false;
  }

  #notifyAll({ change, number, by }: Numbered): void {
    for (const member of this.#members) if (member.joinedAt < number) this.#notify(member, change, by === member.of);
  }

  #notify(member: Member, change: Change, own: boolean): void {
    if (!member.open) return;
    try {
      const returned: unknown = call(member.handler, change, own);
      // An async handler is legal; its rejection would otherwise end the process.
      if (isThenable(returned))
        returned.then(undefined, (error: unknown) => {
          this.onError(error, change);
        });
    } catch (error) {
      this.onError(error, change);
    }
  }
}

function call(handler: InformerHandler<KubeObject>, change: Change, own: boolean): unknown {
  switch (change.kind) {
    case 'add':
      return handler.onAdd?.(change.object, change.initial, change.key, own);
    case 'update':
      return handler.onUpdate?.(change.before, change.after, change.key, own);
    case 'delete':
      return handler.onDelete?.(change.last, change.witnessed, change.key, own);
    case 'restored':
      return handler.onRestored?.();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
