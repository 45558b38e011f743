import { type Controller, createController } from '@hawser/controller';
import type { ProviderConnection, SchemaOutcomes } from '@hawser/konnector-connection';
import type { SchemaPolicy } from '@hawser/schemagate';
import type { CRDPolicy } from './crd-policy.js';
import { RunningBindings } from './running-bindings.js';

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

const name = 'servicebinding';

/**
 * Binds the exports of one provider (spec/konnector.md §7.4): installs a CRD on the consumer for each exported resource and keeps it in step,
 * and reports `Connected`, `SchemaInSync`, `Ready`, the schemas, the claims and the provider's name on each APIServiceBinding.
 *
 * A CRD that is not owned by the binding is never written. Nothing is written when nothing differs.
 */
export function createServiceBinding(options: ServiceBindingOptions): Controller<'consumer' | 'provider'> {
  return createController<'consumer' | 'provider'>(name, (ctx, scope) =>
    new RunningBindings(options, name, ctx, scope).fill(),
  );
}
