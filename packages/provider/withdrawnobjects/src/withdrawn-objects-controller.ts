import type { KubeObject } from '@hawser/client';
import { type Controller, createController } from '@hawser/controller';
import { controllerName, type Dialect, type WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import { Actor } from './act.js';
import { ConsumerRun, type ConsumerRunPorts } from './consumer-run.js';
import { hasEnded } from './export-object.js';
import { ExportMemories } from './export-memories.js';
import { createLeftCounts } from './left.js';
import { LiveReader } from './live-reader.js';
import { ProviderCaches } from './provider-caches.js';

export interface WithdrawnObjectsOptions {
  /** Whose exports. */
  readonly dialect: Dialect;
  /** What becomes of the copies of an export that ends where its annotation does not say it. Default `Keep`. */
  readonly policy?: WithdrawnObjectsPolicy | undefined;
  /** How long an export has to have ended before a copy is deleted, in milliseconds. Default 1 min. */
  readonly graceMs?: number | undefined;
  /** Copies of one export that may be deleted within a minute; where there are more, none is deleted before they are approved. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** How often what is left is counted again, in milliseconds. Default 10 min. */
  readonly recheckMs?: number | undefined;
  /** How soon it is looked whether copies that were deleted are gone, in milliseconds. Default 5 s. */
  readonly goneCheckMs?: number | undefined;
  /** Consumers that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Sees to the copies that are on the provider when an export has ended: withdrawn, since its consumer has unbound it or given up its request, or deleted.
 *
 * Under `Keep` nothing is deleted, and the condition `ObjectsLeft` of the ClusterBinding says what there is. Under `Delete` copies go that are proven to be of exactly that consumer, within a budget;
 * a finalizer keeps an export that is deleted until they are gone. Of exports that went without that finalizer nothing is ever deleted. Claimed objects and namespaces are never touched.
 */
export function createWithdrawnObjectsController(options: WithdrawnObjectsOptions): Controller<'provider'> {
  const {
    dialect,
    policy = 'Keep',
    graceMs = 60_000,
    recheckMs = 600_000,
    goneCheckMs = 5_000,
    concurrency = 4,
  } = options;
  const name = controllerName('withdrawnobjects', dialect);

  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client } = ctx.clusters.provider;
    const caches = new ProviderCaches(ctx.clusters.provider, scope, dialect);
    const memories = new ExportMemories(clock, options.deletionsPerMinute);
    const counts = createLeftCounts({ client, clock, freshMs: recheckMs * 0.7, whose: (copy) => caches.whose(copy) });
    const actor = new Actor(ctx, dialect, caches, memories, counts);
    const ports: ConsumerRunPorts = {
      clock,
      logger,
      caches,
      memories,
      counts,
      actor,
      reader: new LiveReader(client, dialect),
      settings: { dialect, policy, graceMs, recheckMs, goneCheckMs },
      countAgainMs: () => recheckMs * (1 - 0.2 * random()),
    };
    const queue = scope.openQueue({
      name,
      concurrency,
      reconcile: (clusterNamespace, signal) => new ConsumerRun(ports, clusterNamespace).run(signal),
    });

    scope.onChange(caches.exports, ({ metadata: { namespace = '' } }: KubeObject) => {
      queue.add(namespace);
    });
    scope.own(
      caches.exports.addHandler({
        onUpdate: (before, after) => {
          if (hasEnded(before) !== hasEnded(after)) actor.recount(after);
        },
        onDelete(last) {
          actor.recount(last);
          memories.forget(last.metadata.uid);
        },
      }),
    );
    // A consumer whose export went while this process did not look. Its heartbeats say nothing about that.
    scope.own(
      caches.clusterBindings.addHandler({
        onAdd: ({ metadata: { namespace = '' } }) => {
          queue.add(namespace, { priority: 'background' });
        },
      }),
    );
    await scope.synced();
  });
}
