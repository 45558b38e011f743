import {
  type Controller,
  type Reconciler,
  type Setup,
  WriteBudget,
  controller,
  createEfforts,
} from '@hawser/controller';
import { type ProviderConnection, type SchemaOutcomes, fillInformers } from '@hawser/konnector-connection';
import type { SchemaPolicy } from '@hawser/schemagate';
import { BindingActor } from './binding-actor.js';
import { BindingCaches } from './binding-caches.js';
import { BindingObserver } from './binding-observer.js';
import type { CRDPolicy } from './crd-policy.js';
import { type Round, type RoundDecision, decideRound } from './decide-round.js';
import type { Attempt } from './observed.js';

export interface ServiceBindingOptions {
  readonly connection: ProviderConnection;
  /** Policy for CRDs. Default: nothing in protected groups, and no conversion webhooks. */
  readonly policy?: CRDPolicy | undefined;
  /** Policy for changed schemas if the binding's annotation `hawser.dev/schema-update` is absent. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /**
   * A controller rewrites stored objects when the storage version of a CRD moves (`@hawser/storedversions`). A version
   * that the provider drops then stays in the CRD until no object is stored in it. Default: no; the API server refuses
   * such a change.
   */
  readonly migratesStoredVersions?: boolean | undefined;
  /** Record the accepted claims on the binding. Default true; false where the dialect's bindings have them. */
  readonly recordsConsent?: boolean | undefined;
  /** Receives the outcome of each schema. Default: none. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Bindings processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Binds the exports of one provider (spec/konnector.md §7.4). Installs a CRD on the consumer for each exported resource
 * and keeps it in step. Reports `Connected`, `SchemaInSync`, `Ready`, the schemas, the claims and the provider's name
 * on each APIServiceBinding.
 *
 * Never writes a CRD that the binding does not own. Writes nothing when nothing differs.
 */
export function createServiceBinding(options: ServiceBindingOptions): Controller<'consumer' | 'provider'> {
  const { recordsConsent = true, concurrency } = options;
  return controller('servicebinding', (setup: Setup<'consumer' | 'provider'>): Reconciler<Round, RoundDecision> => {
    const attempts = new Map<string, Attempt>();
    /** Limits the writes that a provider can cause by changing its schemas, its exports or its name. */
    const paces = { budget: new WriteBudget(), undone: createEfforts(setup.clock, setup.random) };
    const caches = new BindingCaches(setup, options.connection);
    const observer = new BindingObserver(setup, options, caches, attempts, paces);
    const actor = new BindingActor(setup, options, caches, attempts, paces);
    return {
      concurrency,
      filled: (signal) => fillInformers([caches.bindings, caches.crds, caches.exports, caches.clusterBindings], signal),
      observe: (key, signal) => observer.observe(key, signal),
      decide: (round) => decideRound(round, recordsConsent),
      decided: (key, _, decision) => {
        actor.follow(key, decision);
      },
      act: (action, signal) => actor.act(action, signal),
    };
  });
}
