import type { Names } from './names.js';

/** The API owner's changes to its CRD. */
export interface ApiSchema {
  /** Optional fields that were added. */
  readonly fields: number;
  /** The largest allowed value; a decrease is a breaking change. */
  readonly limit: number;
}

const FIRST_LIMIT = 1_000_000;

/** Schemas that API owners want for their consumers, and the approved ones among their breaking changes. */
export class ApiSchemas {
  readonly #wanted: ApiSchema[];
  /** The schema before a breaking change, while unapproved. */
  readonly #before = new Map<number, ApiSchema>();
  /** For each API: limits that consumers may get, and those that the consumer has accepted. */
  readonly #approved: readonly { readonly provider: Set<number>; readonly consumer: Set<number> }[];

  constructor({ bindings }: Names) {
    this.#wanted = bindings.map(() => ({ fields: 0, limit: FIRST_LIMIT }));
    this.#approved = bindings.map(() => ({ provider: new Set([FIRST_LIMIT]), consumer: new Set([FIRST_LIMIT]) }));
  }

  of(binding: number): ApiSchema {
    const wanted = this.#wanted[binding];
    if (wanted === undefined) throw new Error(`there is no binding ${binding}`);
    return wanted;
  }

  /** Whether a breaking change waits for a decision. */
  undecided(binding: number): boolean {
    return this.#before.has(binding);
  }

  addField(binding: number): void {
    const { fields, limit } = this.of(binding);
    this.#wanted[binding] = { fields: fields + 1, limit };
  }

  /** Makes a breaking change. Returns whether it was possible: one at a time. */
  narrow(binding: number): boolean {
    if (this.undecided(binding)) return false;
    const { fields, limit } = this.of(binding);
    this.#before.set(binding, { fields, limit });
    this.#wanted[binding] = { fields, limit: limit - 1 };
    return true;
  }

  approve(binding: number): void {
    if (this.#before.delete(binding)) this.#approved[binding]?.provider.add(this.of(binding).limit);
  }

  /** Takes back the breaking change; later fields stay. */
  takeBack(binding: number): void {
    const before = this.#before.get(binding);
    if (before !== undefined) this.#wanted[binding] = { fields: this.of(binding).fields, limit: before.limit };
    this.#before.delete(binding);
  }

  /** The consumer accepts all changes that the provider has approved so far. */
  accept(binding: number): void {
    for (const limit of this.#approved[binding]?.provider ?? []) this.#approved[binding]?.consumer.add(limit);
  }

  isApproved(binding: number, side: 'consumer' | 'provider', { limit }: ApiSchema): boolean {
    return this.#approved[binding]?.[side].has(limit) === true;
  }
}
