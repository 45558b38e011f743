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
  /** The user's wanted `spec.value`; undefined: no object. */
  wanted: number | undefined;
  /** All values that a user ever wanted there. */
  readonly ever: Set<number>;
  /** Number of deletions that users requested. */
  deletions: number;
  /**
   * Another cause than a user removed the consumer's object, or brought its copy back: a lost cluster, a backup, an
   * unbound API. People then judge the rest on the provider, and no program may delete it.
   */
  orphan: boolean;
}

const NAME = 'object-';

/** Name of an API's object, on both sides. */
export function nameOfObject(object: number): string {
  return `${NAME}${object}`;
}

/** The object with that name. */
export function objectNamed(name: string): number {
  return Number(name.slice(NAME.length));
}

export interface ModelOptions {
  readonly count: number;
  readonly names: Names;
  /** Name of one of them. */
  readonly noun?: string;
  /** The side of the owners; the other one has the copies. Default: the consumer. */
  readonly home?: 'consumer' | 'provider';
  readonly nameOf?: (object: number) => string;
}

/** People's wishes, without any action of the system: the reference for both clusters. */
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

  /** The slot of that name. */
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

  /** A person removes its copy by hand. */
  copyIsRemoved(object: number): void {
    this.#at(object).deletions++;
  }

  /** For any change of the object without a user's will. A deletion under way may be carried out once more. */
  mayBeOrphaned(object: number): void {
    const asked = this.#at(object);
    asked.orphan = true;
    if (asked.wanted === undefined) asked.deletions++;
  }

  /** Current wishes, for {@link restore}. */
  snapshot(): readonly (number | undefined)[] {
    return this.#asked.map(({ wanted }) => wanted);
  }

  /**
   * Their cluster has its state of then, and so do their wishes, as far as they know. Later changes count as no
   * person's deletion.
   */
  restore(snapshot: readonly (number | undefined)[], binding?: number): void {
    for (const slot of this.slots) {
      if (binding !== undefined && slot.binding !== binding) continue;
      this.#at(slot.object).wanted = snapshot[slot.object];
      this.mayBeOrphaned(slot.object);
    }
  }

  /** The wanted objects, by number. */
  wanted(): readonly Slot[] {
    return this.slots.filter(({ object }) => this.#at(object).wanted !== undefined);
  }

  #at(object: number): Asked {
    const asked = this.#asked[object];
    if (asked === undefined) throw new Error(`there is no object ${object}`);
    return asked;
  }
}
