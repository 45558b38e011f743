import { AsyncLocalStorage } from 'node:async_hooks';

import { type KubeObject, type ObjectKey, type Resource, type UnstructuredObject, objectKey } from '@hawser/client';

import type { PlannedWrite } from './planned-write.js';

/** A write that is due. `Purpose`: its reason; absent: for the whole. */
export interface RehearsedWrite<Side, Purpose = never> extends PlannedWrite<Side> {
  readonly purpose?: Purpose | undefined;
}

/** An object after the noted writes. */
export type Known =
  | {
      readonly kind: 'present';
      readonly object: UnstructuredObject;
      /** It exists only in the rehearsal. */
      readonly made: boolean;
    }
  | { readonly kind: 'gone' };

/** Newer than any version of a server, to keep caches at a write that they have seen. */
const VERSION_BASE = 8_000_000_000_000_000_000n;

/** State of all objects after the writes of a rehearsal, over all clients. */
export class RehearsedWorld<Side, Purpose = never> {
  /** In order. */
  readonly writes: RehearsedWrite<Side, Purpose>[] = [];
  readonly #nameOf: (side: Side) => string;
  readonly #purposes = new AsyncLocalStorage<Purpose>();
  readonly #known = new Map<string, Known>();
  /** The last pending write of each object: the next one sees its result. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #versions = 0n;

  /** `nameOf`: the same text for the same side. */
  constructor(nameOf: (side: Side) => string) {
    this.#nameOf = nameOf;
  }

  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
    return this.#purposes.run(purpose, work);
  }

  /** Undefined: no write changed it. */
  known(side: Side, resource: Resource, key: ObjectKey): Known | undefined {
    return this.#known.get(this.#idOf(side, resource, key));
  }

  note(side: Side, write: Omit<PlannedWrite, 'side'>): void {
    this.writes.push({ side, purpose: this.#purposes.getStore(), ...write });
  }

  /** Answers with the object. An object in deletion disappears with its last finalizer. */
  changed(side: Side, resource: Resource, key: ObjectKey, object: UnstructuredObject): UnstructuredObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const before = this.known(side, resource, key);
    const made = before?.kind === 'present' && before.made;
    this.remember(
      side,
      resource,
      key,
      deletionTimestamp !== undefined && finalizers.length === 0 ? { kind: 'gone' } : { kind: 'present', object, made },
    );
    return object;
  }

  remember(side: Side, resource: Resource, key: ObjectKey, known: Known): void {
    this.#known.set(this.#idOf(side, resource, key), known);
  }

  /** Runs the writes of one object one after the other. */
  inTurn<T>(side: Side, resource: Resource, key: ObjectKey, work: () => Promise<T>): Promise<T> {
    const id = this.#idOf(side, resource, key);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work, work);
    this.#turns.set(id, turn);
    return turn;
  }

  /** Gives the object a new version. */
  renewed<T extends KubeObject>(object: T): T {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(VERSION_BASE + ++this.#versions) } };
  }

  #idOf(side: Side, { group, resource }: Resource, key: ObjectKey): string {
    return `${this.#nameOf(side)}|${group}/${resource}|${objectKey(key)}`;
  }
}
