import { type Place, type Provider, type Scenario, type Slot, providersOf, slotsFor } from './scenario.js';

interface Asked {
  /** Wanted `spec.value`; undefined: no object. */
  wanted: number | undefined;
  /** All values that a user ever wanted there. */
  readonly ever: Set<number>;
  /** Objects up to this value may go. */
  objectGivenUp: number;
  /** The same for copies, except one that is to stay. */
  copyGivenUp: number;
  /** Its deletion is to keep its copy. */
  orphan: boolean;
  /** Providers where nothing proves that the left copy may go: people have to judge. */
  readonly mayStay: Set<Provider>;
  /** Label value of a routed API's object. */
  place: Place;
}

/** Users' wishes for objects, without any action of the system. */
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

  /** Changes its label. */
  relabel(object: number, place: Place): void {
    this.#at(object).place = place;
  }

  want(object: number): void {
    const asked = this.#at(object);
    asked.wanted = ++this.#last;
    asked.ever.add(asked.wanted);
    asked.orphan = false;
  }

  /** A user deletes it. `orphan`: its copy stays. */
  drop(object: number, orphan = false): void {
    const asked = this.#at(object);
    asked.wanted = undefined;
    asked.orphan = orphan;
    asked.objectGivenUp = this.#last;
    if (orphan) this.copyMayStay(object);
    else asked.copyGivenUp = this.#last;
  }

  /** Its current object and copy may go, as the person who deletes a binding wants, without a request of its user. */
  giveUp(object: number, what: { readonly object: boolean }): void {
    const asked = this.#at(object);
    if (what.object) asked.objectGivenUp = this.#last;
    asked.copyGivenUp = this.#last;
  }

  /** Makes the wish differ from earlier ones, as if its user had changed it. */
  renew(object: number): void {
    if (this.#at(object).wanted !== undefined) this.want(object);
  }

  /** Only at these providers, if given. */
  copyMayStay(object: number, ...providers: readonly Provider[]): void {
    const { mayStay } = this.#at(object);
    const { api = 0 } = this.slots[object] ?? {};
    for (const provider of providers.length === 0 ? providersOf(api) : providers) mayStay.add(provider);
  }

  /** Object and copy were seen to belong together: the copy goes with the object. */
  isProven(object: number, provider: Provider): void {
    this.#at(object).mayStay.delete(provider);
  }

  #at(object: number): Asked {
    const asked = this.#asked[object];
    if (asked === undefined) throw new Error(`there is no object ${object}`);
    return asked;
  }
}
