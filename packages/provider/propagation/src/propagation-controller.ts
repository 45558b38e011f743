import { isOutage } from '@hawser/client';
import { type Controller, controller, type Reconciler, type Setup } from '@hawser/controller';
import { controllerName, type Dialect } from '@hawser/kube-bind';
import type { SchemaPolicy } from '@hawser/schemagate';
import { Actor } from './act.js';
import { Assessor } from './assessor.js';
import { decide, type PropagationDecision } from './decide.js';
import { Observer, type Seen } from './observe.js';
import { PropagationCaches } from './propagation-caches.js';
import { RolloutTurns } from './rollout-turns.js';
import { createStoredObjects } from './stored-objects.js';
import { createTally } from './tally.js';
import { WaitingExports } from './waiting-exports.js';

export interface PropagationOptions {
  /** Dialect of the exports. */
  readonly dialect: Dialect;
  /** Policy if neither the export nor its request has one. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /**
   * Delay before stored objects that do not fit a changed schema are checked again, in milliseconds. Default 10 min.
   */
  readonly recheckMs?: number | undefined;
  /** APIServiceExports processed at a time. Default 16. */
  readonly concurrency?: number | undefined;
}

/**
 * Propagates changes of exported CRDs to every consumer, by policy. Safe changes flow at once. Breaking changes are
 * held and reported in the condition `SchemaUpdateHeld` of the APIServiceExport, in an Event and in a metric. The only
 * writer of existing BoundSchemas; `createExportController` notifies konnectors.
 */
export function createPropagationController(options: PropagationOptions): Controller<'provider'> {
  const { dialect, schemaPolicy = 'Safe', recheckMs = 600_000, concurrency = 16 } = options;
  return controller(
    controllerName('propagation', dialect),
    (setup: Setup<'provider'>): Reconciler<Seen, PropagationDecision> => {
      const waiting = new WaitingExports();
      const caches = new PropagationCaches(setup, dialect, waiting);
      const stored = createStoredObjects(caches.client, dialect, setup.clock, recheckMs * 0.7);
      const tally = createTally(setup.metrics, dialect);
      const assessor = new Assessor(caches, dialect, schemaPolicy);
      const turns = new RolloutTurns(caches, assessor, waiting);
      const observer = new Observer({ ...setup, caches, assessor, turns, stored, waiting, recheckMs });
      const actor = new Actor({ ...setup, dialect, caches, tally });
      return {
        concurrency,
        observe: (key, signal, before) => observer.observe(key, signal, before),
        lastLook: (observed) => observer.lastLook(observed),
        decide,
        decided: (key, _, { held }) => {
          if (held !== undefined) tally.set(key, held);
        },
        act: (action, signal, { key }) => actor.act(action, key, signal),
        setAside(error, action, { failed }) {
          if (isOutage(error) || action.type === 'tellHolds') return false;
          failed.add(action.boundSchema.metadata.name);
          return true;
        },
      };
    },
  );
}
