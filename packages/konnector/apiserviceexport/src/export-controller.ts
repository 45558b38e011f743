import { type Controller, createController } from '@hawser/controller';
import type { Dialect } from '@hawser/kube-bind';
import type { ProviderConnection, SchemaOutcomes } from '@hawser/konnector-connection';
import type { WriterShares } from '@hawser/konnector-sync';
import type { DeadLetter } from '@hawser/pair';

import type { OrphanOptions } from './binding-policies.js';
import { RunningExports } from './running-exports.js';
import type { RunningSync } from './sync-set.js';

export interface APIServiceExportOptions {
  readonly connection: ProviderConnection;
  /** Dialect of both sides. */
  readonly dialect: Dialect;
  /** Whether to create provider-made objects in this consumer's place on the consumer too. Default false. */
  readonly adoptsFromProvider?: boolean | undefined;
  /** Objects of one resource written in parallel. */
  readonly concurrency?: number | undefined;
  /** Outcome of each schema, from the controller that installs CRDs. Default: unknown and not reported. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Shared by all exports of all connections of this process. Default: this connection only. */
  readonly writers?: WriterShares | undefined;
  /** How long to gather problems of objects before writing the binding's condition. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** Time the provider has to assign a namespace before it becomes a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** First retry of a resource without a place for copies on the provider; then back-off. Default 15 000 ms. */
  readonly scopeRetryMs?: number | undefined;
  /** For all bindings; annotations of a binding carry the operator's other requests. */
  readonly orphans?: OrphanOptions | undefined;
  /** How often per minute the same field of a copy is reset before it counts as contested. Default 5. */
  readonly contestedAfter?: number | undefined;
}

/** An object whose writes keep failing, and its resource and binding. */
export interface ParkedObject extends DeadLetter {
  readonly binding: string;
  /** `databases.example.com`. */
  readonly resource: string;
}

/** Controller of a connection's exports; exposes its syncs for `why`, `plan` and health. */
export interface APIServiceExportController extends Controller<'consumer' | 'provider'> {
  syncs(): readonly (RunningSync & { readonly export: string })[];
  /** Lists objects of all bindings whose writes keep failing: reason, who must act, since when, and next retry. */
  deadLetters(): readonly ParkedObject[];
  /** Resolves when nothing is in flight for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
}

const NAME = 'apiserviceexport';

/**
 * Runs one sync per resource of each bound APIServiceExport, and reports the consumer's state to the provider. The
 * reports: `Connected` and `ConsumerInSync` on the export, the CRD's conditions and stored versions on each BoundSchema
 * (`spec/konnector.md §7.5`).
 *
 * A sync runs only where this connection serves the binding and the binding owns the CRD. A BoundSchema that cannot be
 * read leaves its sync running.
 */
export function createAPIServiceExport(options: APIServiceExportOptions): APIServiceExportController {
  let running: RunningExports | undefined;
  const controller = createController<'consumer' | 'provider'>(NAME, async (ctx, scope) => {
    running = new RunningExports(options, NAME, ctx, scope);
    await running.synced();
  });

  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    released: async (binding) => {
      await running?.released(binding);
    },
    deadLetters: () => running?.deadLetters() ?? [],
    syncs: () => running?.syncs() ?? [],
  };
}
