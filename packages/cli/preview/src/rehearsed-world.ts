import { AsyncLocalStorage } from 'node:async_hooks';

import { type KubeObject, type ObjectKey, type Resource, type UnstructuredObject, objectKey } from '@hawser/client';

import type { PlannedWrite } from './planned-write.js';

/** A write that would be sent. `Purpose`: what for; absent: for everything. */
export interface RehearsedWrite<Side, Purpose = never> extends PlannedWrite<Side> {
  readonly purpose?: Purpose | undefined;
}

/** An object as it is after the writes that were noted. */
export type Known =
  | {
      readonly kind: 'present';
      readonly object: UnstructuredObject;
      /** It exists only here. */
      readonly made: boolean;
    }
  | { readonly kind: 'gone' };

/** Newer than any version that a server gives, so that a cache that has seen a write stays with it. */
const VERSION_BASE = 8_000_000_000_000_000_000n;

/** What the writes of a rehearsal have made of all objects, over all clients. */
export class RehearsedWorld<Side, Purpose = never> {
  /** In their order. */
  readonly writes: RehearsedWrite<Side, Purpose>[] = [];
  readonly #nameOf: (side: Side) => string;
  readonly #purposes = new AsyncLocalStorage<Purpose>();
  readonly #known = new Map<string, Known>();
  /** The last write of each object that is under way: one sees what the one before has made. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #versions = 0n;

  /** `nameOf`: the same text for the same side. */
  constructor(nameOf: (side: Side) => string) {
    this.#nameOf = nameOf;
  }

  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
    return this.#purposes.run(purpose, work);
  }

  /** Undefined: nothing was written to it. */
  known(side: Side, resource: Resource, key: ObjectKey): Known | undefined {
    return this.#known.get(this.#idOf(side, resource, key));
  }

  note(side: Side, write: Omit<PlannedWrite, 'side'>): void {
    this.writes.push({ side, purpose: this.#purposes.getStore(), ...write });
  }

  /** Answers with the object. One that was being deleted is gone with its last finalizer. */
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

  /** One write of an object after the other. */
  inTurn<T>(side: Side, resource: Resource, key: ObjectKey, work: () => Promise<T>): Promise<T> {
    const id = this.#idOf(side, resource, key);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work, work);
    this.#turns.set(id, turn);
    return turn;
  }

  /** With a version that nobody has seen. */
  renewed<T extends KubeObject>(object: T): T {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(VERSION_BASE + ++this.#versions) } };
  }

  #idOf(side: Side, { group, resource }: Resource, key: ObjectKey): string {
    return `${this.#nameOf(side)}|${group}/${resource}|${objectKey(key)}`;
  }
}
