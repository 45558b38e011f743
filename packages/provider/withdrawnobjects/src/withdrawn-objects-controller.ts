import { isOutage } from '@hawser/client';
import { type Controller, controller, type Setup } from '@hawser/controller';
import { controllerName, type Dialect, type WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import { Actor } from './act.js';
import { decideLook, openQuestion, type SeenConsumer } from './decide-look.js';
import { ExportMemories } from './export-memories.js';
import { type ExportObject, hasEnded, resourcesOf } from './export-object.js';
import { createLeftCounts, type LeftCounts } from './left.js';
import { createLeftGauge } from './left-gauge.js';
import { LiveReader } from './live-reader.js';
import { ConsumerLook } from './look.js';
import type { ExportSettings } from './observed.js';
import { ProviderCaches } from './provider-caches.js';

export interface WithdrawnObjectsOptions {
  /** Dialect of the exports. */
  readonly dialect: Dialect;
  /** Policy for the copies of an ended export without an annotation. Default `Keep`. */
  readonly policy?: WithdrawnObjectsPolicy | undefined;
  /** Minimum time after the end of an export before a copy is deleted, in milliseconds. Default 1 min. */
  readonly graceMs?: number | undefined;
  /**
   * Copies of one export that may be deleted within a minute; if there are more, none is deleted before approval.
   * Default 10.
   */
  readonly deletionsPerMinute?: number | undefined;
  /** Interval for counting what is left, in milliseconds. Default 10 min. */
  readonly recheckMs?: number | undefined;
  /** Interval for checking whether deleted copies are gone, in milliseconds. Default 5 s. */
  readonly goneCheckMs?: number | undefined;
  /** Consumers processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Handles the copies of an ended export: withdrawn, because its consumer has unbound it or given up its request, or
 * deleted.
 *
 * Under `Keep` it deletes nothing and reports the copies in condition `ObjectsLeft` of the ClusterBinding. Under
 * `Delete` it deletes copies that are proven to be of exactly that consumer, within a budget; a finalizer keeps a
 * deleted export until they are gone. It deletes nothing of exports that went without that finalizer. It never touches
 * claimed objects and namespaces.
 */
export function createWithdrawnObjectsController(options: WithdrawnObjectsOptions): Controller<'provider'> {
  const { dialect, policy = 'Keep', graceMs = 60_000, recheckMs = 600_000, goneCheckMs = 5_000, concurrency } = options;
  const settings: ExportSettings = { dialect, policy, graceMs, recheckMs, goneCheckMs };
  return controller(controllerName('withdrawnobjects', dialect), (setup: Setup<'provider'>) => {
    const { clock, random } = setup;
    const caches = new ProviderCaches(setup, dialect);
    const memory = remember(setup, caches, recheckMs, options.deletionsPerMinute);
    const reader = new LiveReader(setup.clusters.provider.client, dialect);
    const ports = { clock, caches, ...memory, reader, countAgainMs: () => recheckMs * (1 - 0.2 * random()) };
    const actor = new Actor({ ...setup, dialect, policy, caches, reader, ...memory });
    const gauge = createLeftGauge(setup.metrics, dialect);
    return {
      concurrency,
      fieldManager: 'hawser-withdrawnobjects',
      // One round per batch of copies.
      rounds: Infinity,
      observe: (key, signal, before: Observed | undefined) =>
        learn(before?.look ?? new ConsumerLook(ports, key), settings, signal),
      decide: ({ seen }) => decideLook(seen, settings),
      decided: (key, _, { leftCount }) => {
        if (leftCount !== undefined) gauge.set(key, leftCount);
      },
      act: (action, signal, { look }) => actor.act(action, look, signal),
      setAside: (error, action, { look }) => !isOutage(error) && look.failed(action),
    };
  });
}

interface Observed {
  readonly look: ConsumerLook;
  readonly seen: SeenConsumer;
}

/** Asks until no question is open. */
async function learn(look: ConsumerLook, settings: ExportSettings, signal: AbortSignal): Promise<Observed> {
  for (;;) {
    const seen = look.seen();
    const question = openQuestion(seen, settings);
    if (question === undefined) return { look, seen };
    await look.ask(question, signal);
  }
}

interface Memory {
  readonly memories: ExportMemories;
  readonly counts: LeftCounts;
  readonly recount: (found: ExportObject) => void;
}

/** Creates the memory of this process. Knowledge of an export that ends, stands again or goes is outdated. */
function remember(
  { clock, clusters: { provider }, scope }: Setup<'provider'>,
  caches: ProviderCaches,
  recheckMs: number,
  deletionsPerMinute: number | undefined,
): Memory {
  const { client } = provider;
  const memories = new ExportMemories(clock, deletionsPerMinute);
  const counts = createLeftCounts({ client, clock, freshMs: recheckMs * 0.7, whose: (copy) => caches.whose(copy) });
  const recount = (found: ExportObject): void => {
    for (const resource of resourcesOf(found)) counts.forget(resource);
  };
  scope.own(
    caches.exports.addHandler({
      onUpdate: (before, after) => {
        if (hasEnded(before) !== hasEnded(after)) recount(after);
      },
      onDelete(last) {
        recount(last);
        memories.forget(last.metadata.uid);
      },
    }),
  );
  return { memories, counts, recount };
}
