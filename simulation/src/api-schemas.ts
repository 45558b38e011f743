import type { Names } from './names.js';

/** What the owner of an API has made of its CRD. */
export interface ApiSchema {
  /** Optional fields that were added. */
  readonly fields: number;
  /** The largest value that is allowed; a smaller one than before breaks something. */
  readonly limit: number;
}

const FIRST_LIMIT = 1_000_000;

/** What the owners of the APIs want their consumers to have, and which of their breaking changes somebody has approved. */
export class ApiSchemas {
  readonly #wanted: ApiSchema[];
  /** The one before, while a breaking change is not approved. */
  readonly #before = new Map<number, ApiSchema>();
  /** Of each API: limits that a consumer may be given, and those that it has accepted. */
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

  /** Whether it waits for somebody's word. */
  undecided(binding: number): boolean {
    return this.#before.has(binding);
  }

  addField(binding: number): void {
    const { fields, limit } = this.of(binding);
    this.#wanted[binding] = { fields: fields + 1, limit };
  }

  /** A change that breaks something. Returns whether it can be made: one at a time. */
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

  /** The breaking change is taken back; fields that came since stay. */
  takeBack(binding: number): void {
    const before = this.#before.get(binding);
    if (before !== undefined) this.#wanted[binding] = { fields: this.of(binding).fields, limit: before.limit };
    this.#before.delete(binding);
  }

  /** The consumer accepts what the provider has approved up to now. */
  accept(binding: number): void {
    for (const limit of this.#approved[binding]?.provider ?? []) this.#approved[binding]?.consumer.add(limit);
  }

  isApproved(binding: number, side: 'consumer' | 'provider', { limit }: ApiSchema): boolean {
    return this.#approved[binding]?.[side].has(limit) === true;
  }
}
