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
  const { dialect, policy = 'Keep', graceMs = 60_000, recheckMs = 600_000, goneCheckMs = 5_000, concurrency } = options;
  const settings: ExportSettings = { dialect, policy, graceMs, recheckMs, goneCheckMs };
  return controller(controllerName('withdrawnobjects', dialect), (setup: Setup<'provider'>) => {
    const { clock, random } = setup;
    const caches = new ProviderCaches(setup, dialect);
    const memory = remember(setup, caches, recheckMs, options.deletionsPerMinute);
    const reader = new LiveReader(setup.clusters.provider.client, dialect);
    const ports = { clock, caches, ...memory, reader, countAgainMs: () => recheckMs * (1 - 0.2 * random()) };
    const actor = new Actor({ ...setup, dialect, caches, ...memory });
    const gauge = createLeftGauge(setup.metrics, dialect);
    return {
      concurrency,
      fieldManager: 'hawser-withdrawnobjects',
      // As many as there are batches of copies.
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

/** Asks for as long as a question is open. */
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

/** What this process remembers. What was known of an export that ends, stands again or goes is not true any more. */
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
