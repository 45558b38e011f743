import { type Names, namespaces } from './names.js';

/** One object that a user may want: number `object` of the schedule. */
export interface Slot {
  readonly object: number;
  /** Index of the binding that offers its API. */
  readonly binding: number;
  readonly namespace: string;
  readonly name: string;
}

interface Asked {
  /** `spec.value` of what the user wants; undefined: nothing. */
  wanted: number | undefined;
  /** Everything that a user ever wanted there. */
  readonly ever: Set<number>;
  /** Users asked for deletions so often. */
  deletions: number;
  /**
   * Something other than a user made the consumer's object go, or made its copy come back: a lost cluster, a backup, an API that was unbound. What is
   * left on the provider then is for people to judge, and nothing may delete it.
   */
  orphan: boolean;
}

/** What the users asked for, and nothing that the system did: what both clusters are compared with. */
export class Model {
  readonly slots: readonly Slot[];
  readonly #asked: Asked[];
  #values = 0;

  constructor(objects: number, names: Names) {
    this.slots = Array.from({ length: objects }, (_, object) => ({
      object, binding: object % names.bindings.length, namespace: namespaces[(object >> 1) % namespaces.length] ?? '', name: `object-${object}`,
    }));
    this.#asked = this.slots.map(() => ({ wanted: undefined, ever: new Set(), deletions: 0, orphan: false }));
  }

  of(object: number): Readonly<Asked> {
    return this.#at(object);
  }

  /** A value that was never used before. */
  nextValue(): number {
    return ++this.#values;
  }

  want(object: number, value: number): void {
    const asked = this.#at(object);
    asked.wanted = value;
    asked.ever.add(value);
  }

  unwant(object: number): void {
    const asked = this.#at(object);
    asked.wanted = undefined;
    asked.deletions++;
  }

  /** For whatever became of the object without a user's will. A deletion that was under way may be carried out once more. */
  mayBeOrphaned(object: number): void {
    const asked = this.#at(object);
    asked.orphan = true;
    if (asked.wanted === undefined) asked.deletions++;
  }

  /** What is wanted now, for {@link restore}. */
  snapshot(): readonly (number | undefined)[] {
    return this.#asked.map(({ wanted }) => wanted);
  }

  /** The users' cluster is as it was then: so is what they want, as far as anybody knows. What came or went since is nobody's deletion. */
  restore(snapshot: readonly (number | undefined)[]): void {
    for (const [object, asked] of this.#asked.entries()) {
      asked.wanted = snapshot[object];
      this.mayBeOrphaned(object);
    }
  }

  /** The objects that are wanted, by number. */
  wanted(): readonly Slot[] {
    return this.slots.filter(({ object }) => this.#at(object).wanted !== undefined);
  }

  #at(object: number): Asked {
    const asked = this.#asked[object];
    if (asked === undefined) throw new Error(`there is no object ${object}`);
    return asked;
  }
}
