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
  /** Of both sides. */
  readonly dialect: Dialect;
  /** Whether objects that were made on the provider, in a place of this consumer, come to the consumer. Default false. */
  readonly adoptsFromProvider?: boolean | undefined;
  /** Objects of one resource that are written at the same time. */
  readonly concurrency?: number | undefined;
  /** What has become of the schemas, from the controller that installs CRDs. Default: not known, and not reported. */
  readonly outcomes?: SchemaOutcomes | undefined;
  /** Of all exports of all connections of this process. Default: of this connection's. */
  readonly writers?: WriterShares | undefined;
  /** How long problems of objects are gathered before the binding's condition is written. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** How long the provider may take to assign a namespace before that is a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** When to look again at a resource that has no place for copies on the provider: the first time; then ever less often. Default 15 000 ms. */
  readonly placeRetryMs?: number | undefined;
  /** For all bindings; what else an operator may ask for stands in annotations of the binding. */
  readonly orphans?: OrphanOptions | undefined;
  /** How often the same field of a copy is put back within a minute before it counts as contested. Default 5. */
  readonly contestedAfter?: number | undefined;
}

/** An object whose writes keep being refused, and where it belongs. */
export interface ParkedObject extends DeadLetter {
  readonly binding: string;
  /** `databases.example.com`. */
  readonly resource: string;
}

/** The controller of a connection's exports, and a view of its syncs for `why`, `plan` and health. */
export interface APIServiceExportController extends Controller<'consumer' | 'provider'> {
  syncs(): readonly (RunningSync & { readonly export: string })[];
  /** The objects of all bindings whose writes keep being refused, with reason, who must act, since when, and when they are tried again. */
  deadLetters(): readonly ParkedObject[];
  /** Resolves when nothing is in flight any more for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
}

const NAME = 'apiserviceexport';

/**
 * Runs one sync per resource of each APIServiceExport that this connection's bindings bind, and reports the consumer's state back to the
 * provider: `Connected` and `ConsumerInSync` on the export, the CRD's conditions and stored versions on each BoundSchema
 * (`spec/konnector.md §7.5`).
 *
 * A sync runs only where this connection serves the binding and the binding owns the CRD. A BoundSchema that cannot be read leaves its sync running.
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
