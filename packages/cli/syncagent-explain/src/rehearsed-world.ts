import { AsyncLocalStorage } from 'node:async_hooks';

import { type KubeObject, type ObjectKey, type Resource, type UnstructuredObject, objectKey } from '@hawser/client';

import { type Place, placeId } from './place.js';
import type { Purpose, RehearsedWrite } from './rehearsal.js';

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
export class RehearsedWorld {
  /** In their order. */
  readonly writes: RehearsedWrite[] = [];
  readonly #purposes = new AsyncLocalStorage<Purpose>();
  readonly #known = new Map<string, Known>();
  /** The last write of each object that is under way: one sees what the one before has made. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #versions = 0n;

  during<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
    return this.#purposes.run(purpose, work);
  }

  /** Undefined: nothing was written to it. */
  known(place: Place, resource: Resource, key: ObjectKey): Known | undefined {
    return this.#known.get(idOf(place, resource, key));
  }

  note(place: Place, write: Omit<RehearsedWrite, 'side' | 'purpose'>): void {
    this.writes.push({ side: place, purpose: this.#purposes.getStore(), ...write });
  }

  /** Answers with the object. One that was being deleted is gone with its last finalizer. */
  changed(place: Place, resource: Resource, key: ObjectKey, object: UnstructuredObject): UnstructuredObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const before = this.known(place, resource, key);
    const made = before?.kind === 'present' && before.made;
    this.remember(
      place,
      resource,
      key,
      deletionTimestamp !== undefined && finalizers.length === 0 ? { kind: 'gone' } : { kind: 'present', object, made },
    );
    return object;
  }

  remember(place: Place, resource: Resource, key: ObjectKey, known: Known): void {
    this.#known.set(idOf(place, resource, key), known);
  }

  /** One write of an object after the other. */
  inTurn<T>(place: Place, resource: Resource, key: ObjectKey, work: () => Promise<T>): Promise<T> {
    const id = idOf(place, resource, key);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work, work);
    this.#turns.set(id, turn);
    return turn;
  }

  /** With a version that nobody has seen. */
  renewed<T extends KubeObject>(object: T): T {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(VERSION_BASE + ++this.#versions) } };
  }
}

function idOf(place: Place, { group, resource }: Resource, key: ObjectKey): string {
  return `${placeId(place)}|${group}/${resource}|${objectKey(key)}`;
}
