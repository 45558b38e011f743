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
  /** What may be installed. Default: nothing in protected groups, and no conversion webhooks. */
  readonly policy?: CRDPolicy | undefined;
  /** What becomes of changed schemas where the binding's annotation `hawser.dev/schema-update` does not say. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /**
   * Somebody has objects stored anew when the storage version of a CRD moves (`@hawser/storedversions`): a version that the provider drops stays in the CRD until no object is stored in it.
   * Default: no, so that the API server refuses such a change.
   */
  readonly migratesStoredVersions?: boolean | undefined;
  /** Write down on the binding to which claims somebody has agreed. Default true; false where the dialect's bindings say so themselves. */
  readonly recordsConsent?: boolean | undefined;
  /** Told what has become of each schema. Default: nobody. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Bindings that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Binds the exports of one provider (spec/konnector.md §7.4): installs a CRD on the consumer for each exported resource and keeps it in step,
 * and reports `Connected`, `SchemaInSync`, `Ready`, the schemas, the claims and the provider's name on each APIServiceBinding.
 *
 * A CRD that is not owned by the binding is never written. Nothing is written when nothing differs.
 */
export function createServiceBinding(options: ServiceBindingOptions): Controller<'consumer' | 'provider'> {
  const { recordsConsent = true, concurrency } = options;
  return controller('servicebinding', (setup: Setup<'consumer' | 'provider'>): Reconciler<Round, RoundDecision> => {
    const attempts = new Map<string, Attempt>();
    /** What a provider can make us write, by changing its schemas, its exports or its name. */
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
