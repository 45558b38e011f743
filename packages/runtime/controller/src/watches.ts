import { type KubeObject, objectKey } from '@hawser/client';
import type { InformerHandler } from '@hawser/informer';
import { equal } from '@hawser/json';
import type { Priority, Queue } from './queue.js';

/** Kind of a change. */
export type ChangeKind = 'create' | 'update' | 'delete';

/** Maps a changed object to keys. For an update, also called with the object before it. */
export type ToKeys<T extends KubeObject> = (object: T, change: ChangeKind) => string | readonly string[] | undefined;

/** The object's own key: `namespace/name`, or `name`. controller-runtime's `For`. */
export const toOwnKey = (object: KubeObject): string => objectKey(object);

/** The key of the controlling owner of that kind, in the namespace of the object. controller-runtime's `Owns`. */
export function toOwnerKey(kind: string): ToKeys<KubeObject> {
  return ({ metadata }) => {
    const owner = metadata.ownerReferences?.find((one) => one.controller === true && one.kind === kind);
    return owner === undefined ? undefined : objectKey({ namespace: metadata.namespace, name: owner.name });
  };
}

/**
 * For {@link WatchOptions.changed}: the spec has changed. Like controller-runtime's `GenerationChangedPredicate`, but
 * also compares contents: after a restored backup, another spec may have the same generation.
 */
export const generationChanged = (before: KubeObject, after: KubeObject): boolean =>
  before.metadata.generation !== after.metadata.generation || !equal(specOf(before), specOf(after));

const specOf = (object: KubeObject & { readonly spec?: unknown }): unknown => object.spec;

export interface WatchOptions<T extends KubeObject> {
  /** Selects the updates that count. Default: all. */
  readonly changed?: ((before: T, after: T) => boolean) | undefined;
  /**
   * Selects the updates that may cure a failed try, and end its back-off. `true`: all, creations and deletions too,
   * also for keys that the object concerned before. Default: none.
   */
  readonly cures?: true | ((before: T, after: T) => boolean) | undefined;
  /** Whether objects present at the start count. Default true. */
  readonly initial?: boolean | undefined;
  /** Priority for all keys, or for each; the object is the one that led to the key. Default `normal`. */
  readonly priority?: Priority | ((key: string, object: T) => Priority) | undefined;
}

/** Returns a handler that enqueues the keys of every change. */
export function handlerOf<T extends KubeObject>(
  queue: Queue,
  toKeys: ToKeys<T>,
  { changed = () => true, cures = () => false, initial = true, priority = 'normal' }: WatchOptions<T>,
): InformerHandler<T> {
  const add = (object: T, change: ChangeKind, resetBackoff = cures === true): void => {
    for (const key of [toKeys(object, change) ?? []].flat())
      queue.add(key, { priority: typeof priority === 'string' ? priority : priority(key, object), resetBackoff });
  };
  return {
    onAdd(object, isInitial) {
      if (initial || !isInitial) add(object, 'create');
    },
    onUpdate(before, after) {
      if (!changed(before, after)) return;
      if (toKeys !== toOwnKey) add(before, 'update');
      add(after, 'update', cures === true || cures(before, after));
    },
    onDelete: (last) => {
      add(last, 'delete');
    },
  };
}
