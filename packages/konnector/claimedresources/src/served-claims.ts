import { canonical } from '@hawser/json';
import type { BindingPolicy } from '@hawser/konnector-sync';

import type { Claim } from './claim.js';
import type { ClaimSync } from './claim-sync.js';

interface Served {
  readonly sync: ClaimSync;
  /** The claims, what pauses them and their policies, to see whether they have changed. */
  claims: string;
  bindings: ReadonlySet<string>;
}

/** What the claims on a resource are served by: what there is of their bindings. */
export interface ClaimTerms {
  readonly claims: readonly Claim[];
  /** By binding. */
  readonly policies: ReadonlyMap<string, BindingPolicy>;
  /** By binding: namespaces that its operator has opened. */
  readonly opened: ReadonlyMap<string, readonly string[]>;
}

/** The syncs that run, one for each claimed resource, by its name. */
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

  /** The bindings whose claims on a resource are served. */
  bindingsOf(name: string): Iterable<string> {
    return this.#served.get(name)?.bindings ?? [];
  }

  /** True once everything that is claimed was looked at; false where nothing is. */
  get surveyed(): boolean {
    return this.#served.size > 0 && this.syncs.every(({ surveyed }) => surveyed);
  }

  /** How many objects have come to the consumer by the claims of a binding, on all resources. */
  copies(binding: string): number {
    return this.syncs.reduce((sum, sync) => sum + sync.copies(binding), 0);
  }

  open(name: string, sync: ClaimSync): void {
    this.#served.set(name, { sync, claims: '', bindings: new Set() });
  }

  /** Hands the claims on a resource to its sync, if they are not the ones that it serves. */
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

  /** Serves a resource no more. */
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
