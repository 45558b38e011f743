import {
  type Client,
  isApiError,
  isConflict,
  isNotFound,
  isRefusal,
  isTerminating,
  type KubeObject,
  objectKey,
} from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import { commitStatus, conditionTypes, type Dialect, getCondition } from '@hawser/kube-bind';
import type { ConsumerConclusion } from './decide-consumer.js';
import { type Batch, type Conclusion, finalizer } from './decision.js';
import { type ExportObject, resourcesOf } from './export-object.js';
import type { ExportMemories, ExportMemory } from './export-memories.js';
import type { Left, LeftCounts } from './left.js';
import type { Attempt } from './observed.js';
import { type ExportOutcome, heldCondition, leftCondition, withExportOutcome, withLeft } from './outcome.js';
import type { ProviderCaches } from './provider-caches.js';

const fieldManager = 'hawser-withdrawnobjects';

/** The one place that writes. Judges nothing; failures are thrown as the client's ApiError. */
export class Actor {
  readonly #ctx: ControllerContext<'provider'>;
  readonly #client: Client;
  readonly #dialect: Dialect;
  readonly #caches: ProviderCaches;
  readonly #memories: ExportMemories;
  readonly #counts: LeftCounts;
  readonly #gauge;
  readonly #deletions;
  /** Copies that are left, by consumer. */
  readonly #totals = new Map<string, number>();

  constructor(
    ctx: ControllerContext<'provider'>,
    dialect: Dialect,
    caches: ProviderCaches,
    memories: ExportMemories,
    counts: LeftCounts,
  ) {
    this.#ctx = ctx;
    this.#client = ctx.clusters.provider.client;
    this.#dialect = dialect;
    this.#caches = caches;
    this.#memories = memories;
    this.#counts = counts;
    this.#gauge = ctx.metrics.gauge({
      name: 'hawser_provider_withdrawn_objects',
      help: 'Copies of consumers that are left of exports that have ended.',
      labels: ['dialect'],
    });
    this.#deletions = ctx.metrics.counter({
      name: 'hawser_provider_withdrawn_objects_deleted_total',
      help: 'Copies that were deleted because their export had ended.',
      labels: ['dialect'],
    });
  }

  /** Deletes the copies of a batch, each by its uid and as it was read, until the API server refuses one. */
  async deleteCopies({ copies }: Batch, memory: ExportMemory, signal: AbortSignal): Promise<Omit<Attempt, 'turn'>> {
    let deleted = 0;
    for (const { resource, key, id, uid, resourceVersion } of copies) {
      try {
        await this.#client.delete(resource, key, { preconditions: { uid, resourceVersion }, signal });
      } catch (error) {
        // Another client has changed or deleted the copy: it is read again.
        if (isConflict(error) || isNotFound(error)) continue;
        if (isRefusal(error)) return { deleted, refused: error.message };
        throw error;
      }
      deleted++;
      memory.deleted++;
      memory.budget.spend(id);
      this.#deletions.inc({ dialect: this.#dialect.name });
    }
    return { deleted, refused: undefined };
  }

  /** `found`: the export as it was decided about. */
  async concludeExport(
    found: ExportObject,
    conclusion: Exclude<Conclusion, { type: 'wait' }>,
    signal: AbortSignal,
  ): Promise<void> {
    switch (conclusion.type) {
      case 'tellExport':
        return this.#tellExport(found, conclusion.outcome, signal);
      case 'setFinalizer':
        return this.#setFinalizer(found, true, signal);
      case 'dropFinalizer':
        return this.#setFinalizer(found, false, signal);
      case 'tellDeleted':
        this.#tellDeleted(found, conclusion.count);
    }
  }

  async concludeConsumer(
    clusterNamespace: string,
    conclusion: Extract<ConsumerConclusion, { type: 'tellLeft' | 'forgetLeft' }>,
    signal: AbortSignal,
  ): Promise<void> {
    switch (conclusion.type) {
      case 'forgetLeft':
        this.#tally(clusterNamespace, 0);
        return;
      case 'tellLeft':
        return this.#tellLeft(clusterNamespace, conclusion.left, signal);
    }
  }

  /** What was counted of the resources of an export is not true any more. */
  recount(found: ExportObject): void {
    for (const resource of resourcesOf(found)) this.#counts.forget(resource);
  }

  async #tellExport(found: ExportObject, outcome: ExportOutcome, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ctx;
    const mutate = (status: ExportObject['status'], now: number): NonNullable<ExportObject['status']> => {
      const conditions = withExportOutcome(status?.conditions, outcome, now);
      return conditions === status?.conditions ? { ...status } : { ...status, conditions };
    };
    const written = await commitStatus(
      this.#client,
      this.#dialect.resources.apiServiceExports,
      found,
      (status) => mutate(status, clock.now()),
      { clock, random, signal },
    );
    if (written === undefined || written === found) return;
    this.#caches.exports.observe(written);
    const held = heldCondition(outcome);
    if (held !== undefined && getCondition(found.status?.conditions, held.type)?.reason !== held.reason)
      this.#record(found, 'Warning', held.reason, held.message);
    const invalid = getCondition(written.status?.conditions, conditionTypes.policiesValid);
    if (
      invalid === undefined ||
      getCondition(found.status?.conditions, conditionTypes.policiesValid)?.message === invalid.message
    )
      return;
    this.#record(found, 'Warning', 'UnknownPolicyValue', invalid.message ?? '');
  }

  /** Sees to it that the finalizer is there, or is not. */
  async #setFinalizer(found: ExportObject, wanted: boolean, signal: AbortSignal): Promise<void> {
    const {
      namespace,
      name,
      uid,
      resourceVersion,
      finalizers: current = [],
    } = this.#caches.exports.get(objectKey(found))?.metadata ?? found.metadata;
    if (current.includes(finalizer) === wanted || uid !== found.metadata.uid) return;
    const next = wanted ? [...current, finalizer] : current.filter((one) => one !== finalizer);
    const patch = { metadata: { uid, resourceVersion, finalizers: next } };
    try {
      const after = await this.#client.patch<ExportObject>(
        this.#dialect.resources.apiServiceExports,
        { namespace, name },
        { type: 'merge', patch },
        { fieldManager, signal },
      );
      this.#caches.exports.observe(after);
    } catch (error) {
      // Without its last finalizer it is gone at once.
      if (isApiError(error) && error.code === 'NotFound') return;
      throw error;
    }
  }

  #tellDeleted(found: ExportObject, count: number): void {
    this.recount(found);
    const copies = count === 1 ? 'copy' : 'copies';
    const were = count === 1 ? 'was' : 'were';
    this.#record(
      found,
      'Normal',
      'WithdrawnObjectsDeleted',
      `This export has ended, and ${count} ${copies} of its consumer's objects ${were} deleted, as the policy for withdrawn objects says. None is left.`,
    );
    this.#memories.forget(found.metadata.uid);
  }

  async #tellLeft(clusterNamespace: string, left: ReadonlyMap<string, Left>, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ctx;
    this.#tally(
      clusterNamespace,
      [...left.values()].reduce((sum, { count }) => sum + count, 0),
    );
    const binding = this.#caches.clusterBindings.get({
      namespace: clusterNamespace,
      name: this.#dialect.names.clusterBinding,
    });
    if (binding === undefined || isTerminating(binding)) return;
    const written = await commitStatus(
      this.#client,
      this.#dialect.resources.clusterBindings,
      binding,
      (status) => {
        const conditions = withLeft(status.conditions, left, clock.now());
        return conditions === status.conditions ? status : { ...status, conditions };
      },
      { clock, random, signal },
    );
    if (written === undefined || written === binding) return;
    this.#caches.clusterBindings.observe(written);
    const condition = leftCondition(left);
    if (condition === undefined || getCondition(binding.status?.conditions, condition.type) !== undefined) return;
    this.#record(binding, 'Normal', condition.reason, condition.message);
  }

  #record(
    { metadata: { namespace, name, uid }, kind }: KubeObject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const regarding = {
      apiVersion: this.#dialect.apiVersion,
      kind: kind === 'ClusterBinding' ? kind : 'APIServiceExport',
      namespace,
      name,
      uid,
    };
    this.#ctx.clusters.provider.events.record(regarding, { type, reason, message });
  }

  #tally(clusterNamespace: string, count: number): void {
    if (count === 0) this.#totals.delete(clusterNamespace);
    else this.#totals.set(clusterNamespace, count);
    this.#gauge.set(
      [...this.#totals.values()].reduce((sum, one) => sum + one, 0),
      { dialect: this.#dialect.name },
    );
  }
}
