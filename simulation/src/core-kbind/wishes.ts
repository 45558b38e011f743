import { type Place, type Provider, type Scenario, type Slot, providersOf, slotsFor } from './scenario.js';

interface Asked {
  /** `spec.value` of what is wanted; undefined: nothing. */
  wanted: number | undefined;
  /** Everything that a user ever wanted there. */
  readonly ever: Set<number>;
  /** Objects up to this value may go. */
  objectGivenUp: number;
  /** The same of copies: not where one is to stay. */
  copyGivenUp: number;
  /** It is to be deleted so that its copy stays. */
  orphan: boolean;
  /** Where nothing can prove that the copy that is left may go: people have to judge. */
  readonly mayStay: Set<Provider>;
  /** Of a routed API: what its label says. */
  place: Place;
}

/** What users want of objects, and nothing that the system did. */
export class Wishes {
  readonly slots: readonly Slot[];
  readonly #asked: readonly Asked[];
  #last = 0;

  constructor(objects: number, scenario: Pick<Scenario, 'routes'>) {
    this.slots = slotsFor(objects, scenario);
    this.#asked = this.slots.map(({ object }) => ({
      wanted: undefined,
      ever: new Set(),
      objectGivenUp: 0,
      copyGivenUp: 0,
      orphan: false,
      mayStay: new Set(),
      place: object % 2 === 0 ? 'a' : 'b',
    }));
  }

  of(object: number): Readonly<Omit<Asked, 'ever' | 'mayStay'>> & {
    readonly ever: ReadonlySet<number>;
    readonly mayStay: ReadonlySet<string>;
  } {
    return this.#at(object);
  }

  /** Its label changes. */
  place(object: number, place: Place): void {
    this.#at(object).place = place;
  }

  want(object: number): void {
    const asked = this.#at(object);
    asked.wanted = ++this.#last;
    asked.ever.add(asked.wanted);
    asked.orphan = false;
  }

  /** A user deletes it. `orphan`: and its copy stays. */
  drop(object: number, orphan = false): void {
    const asked = this.#at(object);
    asked.wanted = undefined;
    asked.orphan = orphan;
    asked.objectGivenUp = this.#last;
    if (orphan) this.copyMayStay(object);
    else asked.copyGivenUp = this.#last;
  }

  /** What is there of it now goes, as whoever deletes a binding wants it, though its user has not asked. */
  giveUp(object: number, what: { readonly object: boolean }): void {
    const asked = this.#at(object);
    if (what.object) asked.objectGivenUp = this.#last;
    asked.copyGivenUp = this.#last;
  }

  /** What is wanted is told from what went before, as if its user had changed it. */
  renew(object: number): void {
    if (this.#at(object).wanted !== undefined) this.want(object);
  }

  /** With a provider of that one alone. */
  copyMayStay(object: number, ...providers: readonly Provider[]): void {
    const { mayStay } = this.#at(object);
    const { api = 0 } = this.slots[object] ?? {};
    for (const provider of providers.length === 0 ? providersOf(api) : providers) mayStay.add(provider);
  }

  /** Object and copy were seen to be of each other: with the object the copy goes. */
  isProven(object: number, provider: Provider): void {
    this.#at(object).mayStay.delete(provider);
  }

  #at(object: number): Asked {
    const asked = this.#asked[object];
    if (asked === undefined) throw new Error(`there is no object ${object}`);
    return asked;
  }
}
