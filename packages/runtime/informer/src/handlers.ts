import type { KubeObject } from '@hawser/client';
import type { CacheKey } from './cache-key.js';
import type { InformerHandler, Subscription } from './informer.js';

/** What happened to one object. */
export type ObjectChange =
  | { readonly kind: 'add'; readonly key: CacheKey; readonly object: KubeObject; readonly initial: boolean }
  | { readonly kind: 'update'; readonly key: CacheKey; readonly before: KubeObject; readonly after: KubeObject }
  | { readonly kind: 'delete'; readonly key: CacheKey; readonly last: KubeObject; readonly witnessed: boolean };

/** What a handler is told. */
export type Change = ObjectChange | { readonly kind: 'restored' };

interface Member {
  readonly handler: InformerHandler<KubeObject>;
  /** Whose handler it is. */
  readonly of: object;
  /** Changes up to this number were part of its replay. */
  readonly joinedAt: number;
  open: boolean;
}

/** A change, in the order in which they came. */
interface Numbered {
  readonly change: Change;
  readonly number: number;
  /** Who has observed it; undefined: the server told of it. */
  readonly by: object | undefined;
}

/**
 * The handlers of one informer, in the order in which they came. Every handler sees every change once and in the same order: a change that a
 * handler itself causes waits until all have seen the present one.
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
      this.#tellAll(next);
    });
  }

  /** Tells `handler`, which is one `of`, about `present` as adds, and about every change from now on. */
  add(
    handler: InformerHandler<KubeObject>,
    present: readonly (readonly [CacheKey, KubeObject])[],
    of: object = handler,
  ): Subscription {
    const member: Member = { handler, of, joinedAt: this.#number, open: true };
    this.#members.add(member);
    this.#exclusively(() => {
      for (const [key, object] of present) this.#tell(member, { kind: 'add', key, object, initial: true }, false);
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

  /** Runs `tell` and then, unless a caller further up does so, whatever was caused meanwhile. */
  #exclusively(tell: () => void): void {
    const outermost = !this.#busy;
    this.#busy = true;
    tell();
    if (!outermost) return;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#tellAll(next);
    this.#busy = false;
  }

  #tellAll({ change, number, by }: Numbered): void {
    for (const member of this.#members) if (member.joinedAt < number) this.#tell(member, change, by === member.of);
  }

  #tell(member: Member, change: Change, own: boolean): void {
    if (!member.open) return;
    try {
      const returned: unknown = call(member.handler, change, own);
      // An async function is a legal handler; its rejection would otherwise end the process.
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
