import { type Names, namespaces } from './names.js';

/** One object that somebody may want: number `object` of the schedule. */
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

const NAME = 'object-';

/** Of an object of an API, on both sides. */
export function nameOfObject(object: number): string {
  return `${NAME}${object}`;
}

/** The object that is called that. */
export function objectNamed(name: string): number {
  return Number(name.slice(NAME.length));
}

export interface ModelOptions {
  readonly count: number;
  readonly names: Names;
  /** What one of them is called. */
  readonly noun?: string;
  /** The side on which people want them; the other one has the copies. Default: the consumer. */
  readonly home?: 'consumer' | 'provider';
  readonly nameOf?: (object: number) => string;
}

/** What people asked for, and nothing that the system did: what both clusters are compared with. */
export class Model {
  readonly slots: readonly Slot[];
  readonly noun: string;
  readonly home: 'consumer' | 'provider';
  readonly #asked: Asked[];
  #values = 0;

  constructor({ count, names, noun = 'object', home = 'consumer', nameOf = nameOfObject }: ModelOptions) {
    this.noun = noun;
    this.home = home;
    this.slots = Array.from({ length: count }, (_, object) => ({
      object,
      binding: object % names.bindings.length,
      namespace: namespaces[(object >> 1) % namespaces.length] ?? '',
      name: nameOf(object),
    }));
    this.#asked = this.slots.map(() => ({ wanted: undefined, ever: new Set(), deletions: 0, orphan: false }));
  }

  /** The one of that name. */
  named(name: string): Slot | undefined {
    return this.slots.find((slot) => slot.name === name);
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

  /** Somebody removes its copy by hand. */
  copyIsRemoved(object: number): void {
    this.#at(object).deletions++;
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

  /** Their cluster is as it was then: so is what they want, as far as anybody knows. What came or went since is nobody's deletion. */
  restore(snapshot: readonly (number | undefined)[], binding?: number): void {
    for (const slot of this.slots) {
      if (binding !== undefined && slot.binding !== binding) continue;
      this.#at(slot.object).wanted = snapshot[slot.object];
      this.mayBeOrphaned(slot.object);
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
