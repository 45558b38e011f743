import { type Controller, ControllerError, createController, done, park, type Result } from '@hawser/controller';
import { controllerName, type Dialect } from '@hawser/kube-bind';
import type { SchemaPolicy } from '@hawser/schemagate';
import { Assessor } from './assessor.js';
import type { Hold } from './hold.js';
import { PropagationCaches, resourcesOf } from './propagation-caches.js';
import { RolloutTurns } from './rollout-turns.js';
import { Settler } from './settler.js';
import { createStoredObjects } from './stored-objects.js';
import { createTally } from './tally.js';
import { tellHolds } from './tell-holds.js';
import { WaitingExports } from './waiting-exports.js';
import { wakeExports } from './wake-exports.js';

export interface PropagationOptions {
  /** Whose exports. */
  readonly dialect: Dialect;
  /** What becomes of changes where neither the export nor its request says it. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** How often stored objects that do not fit a changed schema are looked at again, in milliseconds. Default 10 min. */
  readonly recheckMs?: number | undefined;
  /** APIServiceExports that are worked on at a time. Default 16. */
  readonly concurrency?: number | undefined;
}

/**
 * Carries changes of exported CRDs to every consumer that has them, by policy: what is safe flows at once, what breaks something is held and told in the condition
 * `SchemaUpdateHeld` of the APIServiceExport, in an Event and in a metric. The only writer of BoundSchemas that exist; `createExportController` tells konnectors.
 */
export function createPropagationController(options: PropagationOptions): Controller<'provider'> {
  const { dialect, schemaPolicy = 'Safe', recheckMs = 600_000, concurrency = 16 } = options;
  const name = controllerName('propagation', dialect);
  return createController<'provider'>(name, async (ctx, scope) => {
    const caches = new PropagationCaches(ctx, scope, dialect);
    const stored = createStoredObjects(caches.client, dialect, ctx.clock, recheckMs * 0.7);
    const tally = createTally(ctx.metrics, dialect);
    const waiting = new WaitingExports();
    const assessor = new Assessor(caches, dialect, schemaPolicy);
    const turns = new RolloutTurns(caches, assessor, waiting);
    const settler = new Settler({ dialect, logger: ctx.logger, caches, assessor, turns, stored, tally });
    const queue = scope.openQueue({ name, concurrency, reconcile });
    wakeExports(scope, caches, waiting, queue);
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      waiting.forget(key);
      const found = caches.lasting(key);
      if (found === undefined) {
        stored.forget(key);
        tally.set(key, []);
        return done;
      }
      const held: Hold[] = [];
      for (const resource of new Set(resourcesOf(found))) {
        const settled = await settler.settle(key, resource, signal);
        if (settled === 'again') throw new ControllerError('NotSettled', name);
        if (settled !== undefined) held.push(settled);
      }
      tally.set(key, held);
      await tellHolds(ctx, caches, found, held, signal);
      if (held.length === 0) return done;
      return held.some(({ until }) => until === 'again')
        ? { kind: 'requeue', afterMs: recheckMs * (1 - 0.2 * ctx.random()), priority: 'background' }
        : park;
    }
  });
}
