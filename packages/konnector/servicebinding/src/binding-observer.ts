import type { Efforts, Setup, WriteBudget } from '@hawser/controller';
import { createTurns } from '@hawser/schemagate';
import type { BindingCaches } from './binding-caches.js';
import type { Round } from './decide-round.js';
import { type Observer, observe } from './observe.js';
import type { Attempt } from './observed.js';
import { Readings } from './readings.js';
import type { ServiceBindingOptions } from './servicebinding.js';
import { WantedCRDs } from './wanted-crds.js';

/**
 * Limit of rounds. The first reads stored objects; a further one follows each change of the schema, or of the binding's
 * terms, meanwhile.
 */
const maxRounds = 5;
/** Delay after that many rounds. */
const breathMs = 1_000;

/** Rates of writes for bindings, by name. */
export interface Paces {
  readonly budget: WriteBudget;
  /** Status writes whose answer lacked the content. */
  readonly undone: Efforts;
}

/** Observes bindings of one connection. */
export class BindingObserver {
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #caches: BindingCaches;
  readonly #budget: WriteBudget;
  readonly #undone: Efforts;
  readonly #observer: Observer;

  constructor(
    setup: Setup<'consumer' | 'provider'>,
    { connection, policy, schemaPolicy = 'Safe', migratesStoredVersions = false }: ServiceBindingOptions,
    caches: BindingCaches,
    attempts: ReadonlyMap<string, Attempt>,
    { budget, undone }: Paces,
  ) {
    this.#setup = setup;
    this.#caches = caches;
    this.#budget = budget;
    this.#undone = undone;
    this.#observer = {
      connection,
      sources: caches,
      wantedCRDs: new WantedCRDs(policy),
      attempts,
      schemaPolicy,
      migrates: migratesStoredVersions,
      inTurn: createTurns(),
    };
  }

  async observe(key: string, signal: AbortSignal): Promise<Round> {
    const { clock, clusters } = this.#setup;
    const readings = new Readings();
    for (let round = 1; round <= maxRounds; round++) {
      const binding = this.#caches.served(key);
      if (binding === undefined) return { kind: 'notServed' };
      const waitMs = this.#budget.waitMs(key, clock.monotonic());
      if (waitMs > 0) return { kind: 'waiting', waitMs };
      const time = clusters.consumer.client.serverTime?.now() ?? clock.now();
      const observed = await observe(this.#observer, binding, readings, clock.monotonic(), time, signal);
      const { hasSynced: watched } = this.#caches.schemas;
      if (readings.takeReads() === 0) return { kind: 'served', observed, watched, undoneMs: this.#undone.waits(key) };
    }
    return { kind: 'waiting', waitMs: breathMs };
  }
}
