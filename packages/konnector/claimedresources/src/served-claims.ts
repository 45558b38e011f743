import { canonical } from '@hawser/json';
import type { Claim } from './claim.js';
import type { ClaimSync } from './claim-sync.js';
import type { Policies } from './policies.js';

interface Served {
  readonly sync: ClaimSync;
  /** Claims, pauses and policies as text, to detect changes. */
  claims: string;
  bindings: ReadonlySet<string>;
}

/** Input for the claims on a resource, from its bindings. */
export interface ClaimTerms {
  readonly claims: readonly Claim[];
  /** By binding. */
  readonly policies: Policies;
  /** By binding: namespaces that its operator has opened. */
  readonly opened: ReadonlyMap<string, readonly string[]>;
}

/** The running syncs, one per claimed resource, by its name. */
export class ServedClaims {
  readonly #served = new Map<string, Served>();

  sync(name: string): ClaimSync | undefined {
    return this.#served.get(name)?.sync;
  }

  get syncs(): readonly ClaimSync[] {
    return [...this.#served.values()].map(({ sync }) => sync);
  }

  /** The syncs that serve claims of a binding. */
  syncsOf(binding: string): readonly ClaimSync[] {
    return [...this.#served.values()].filter(({ bindings }) => bindings.has(binding)).map(({ sync }) => sync);
  }

  /** The bindings with served claims on a resource. */
  bindingsOf(name: string): Iterable<string> {
    return this.#served.get(name)?.bindings ?? [];
  }

  /** True once every claimed object was processed; false without claims. */
  get surveyed(): boolean {
    return this.#served.size > 0 && this.syncs.every(({ surveyed }) => surveyed);
  }

  /** Number of objects on the consumer from a binding's claims, over all resources. */
  copies(binding: string): number {
    return this.syncs.reduce((sum, sync) => sum + sync.copies(binding), 0);
  }

  open(name: string, sync: ClaimSync): void {
    this.#served.set(name, { sync, claims: '', bindings: new Set() });
  }

  /** Passes the claims on a resource to its sync if they differ from the served ones. */
  setClaims(name: string, { claims, policies, opened }: ClaimTerms): void {
    const one = this.#served.get(name);
    if (one === undefined) return;
    const isMeant = ([binding]: readonly [string, unknown]): boolean =>
      claims.some((claim) => claim.binding === binding);
    const meant = new Map([...policies].filter(isMeant));
    const text = JSON.stringify([canonical(claims), [...meant], [...opened].filter(isMeant)]);
    if (text === one.claims) return;
    one.sync.setClaims(claims, meant);
    one.claims = text;
    one.bindings = new Set(claims.map(({ binding }) => binding));
  }

  get names(): readonly string[] {
    return [...this.#served.keys()];
  }

  /** Stops serving a resource. */
  async drop(name: string): Promise<void> {
    const one = this.#served.get(name);
    this.#served.delete(name);
    await one?.sync.stop();
  }

  async idle(): Promise<void> {
    await Promise.all(this.syncs.map((sync) => sync.idle()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.syncs.map((sync) => sync.stop()));
    this.#served.clear();
  }
}
