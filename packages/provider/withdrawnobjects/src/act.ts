import { isConflict, isNotFound, isRefusal, objectKey } from '@hawser/client';
import { type Setup, writesUndone } from '@hawser/controller';
import type { Dialect, WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import { confirmRelease } from './confirm-release.js';
import type { ConsumerAction } from './decide-look.js';
import { type Batch, finalizer } from './decision.js';
import type { ExportMemories, ExportMemory } from './export-memories.js';
import type { ExportObject } from './export-object.js';
import type { LiveReader } from './live-reader.js';
import type { ConsumerLook } from './look.js';
import type { Attempt } from './observed.js';
import { type ExportOutcome, leftEvents, outcomeEvents, withExportOutcome, withLeft } from './outcome.js';
import type { ProviderCaches } from './provider-caches.js';

export interface ActorParts extends Pick<Setup<'provider'>, 'clock' | 'clusters' | 'logger' | 'metrics'> {
  readonly dialect: Dialect;
  /** Of exports without an annotation. */
  readonly policy: WithdrawnObjectsPolicy;
  readonly reader: LiveReader;
  readonly caches: ProviderCaches;
  readonly memories: ExportMemories;
  /** The counts for the resources of an export are outdated. */
  readonly recount: (found: ExportObject) => void;
}

/** The only place that writes. Decides nothing; throws failures as the client's ApiError. */
export class Actor {
  readonly #parts: ActorParts;
  readonly #deletions;

  constructor(parts: ActorParts) {
    this.#parts = parts;
    this.#deletions = parts.metrics.counter({
      name: 'hawser_provider_withdrawn_objects_deleted_total',
      help: 'Copies that were deleted because their export had ended.',
      labels: ['dialect'],
    });
  }

  async act(action: ConsumerAction, look: ConsumerLook, signal: AbortSignal): Promise<void> {
    switch (action.type) {
      case 'deleteCopies': {
        const { found, batch } = action;
        const { memory } = look.of(found);
        const attempt = await this.#deleteCopies(batch, memory, signal);
        look.of(found).tried(batch, attempt);
        const { deleted } = attempt;
        const key = objectKey(found);
        if (deleted > 0) this.#parts.logger.info('Copies of an export that has ended are deleted.', { key, deleted });
        return;
      }
      case 'tellExport':
        return this.#reportExport(action.found, action.outcome, signal);
      case 'setFinalizer':
        return this.#setFinalizer(action.found, true, look, signal);
      case 'dropFinalizer':
        await confirmRelease(this.#parts, action.found, signal);
        return this.#setFinalizer(action.found, false, look, signal);
      case 'tellDeleted':
        this.#reportDeleted(action.found, action.count);
        look.of(action.found).memory.deleted = 0;
        return;
      case 'tellLeft':
        return this.#reportLeft(action, signal);
      case 'fail':
        return look.fail();
    }
  }

  /** Deletes the copies of a batch, each by uid and version as read, until the API server refuses one. */
  async #deleteCopies({ copies }: Batch, memory: ExportMemory, signal: AbortSignal): Promise<Omit<Attempt, 'turn'>> {
    const { clusters, dialect } = this.#parts;
    let deleted = 0;
    for (const { resource, key, id, uid, resourceVersion } of copies) {
      try {
        await clusters.provider.client.delete(resource, key, { preconditions: { uid, resourceVersion }, signal });
      } catch (error) {
        // Another client has changed or deleted the copy: it is read again.
        if (isConflict(error) || isNotFound(error)) continue;
        if (isRefusal(error)) return { deleted, refused: error.message };
        throw error;
      }
      deleted++;
      memory.deleted++;
      memory.budget.spend(id);
      this.#deletions.inc({ dialect: dialect.name });
    }
    return { deleted, refused: undefined };
  }

  async #reportExport(found: ExportObject, outcome: ExportOutcome, signal: AbortSignal): Promise<void> {
    const { caches, clock } = this.#parts;
    const { exports } = caches;
    await exports.commitStatus(
      found,
      (status) => {
        const conditions = withExportOutcome(status.conditions, outcome, clock.now());
        return conditions === status.conditions ? status : { ...status, conditions };
      },
      signal,
      outcomeEvents(found.status?.conditions, outcome),
    );
  }

  async #setFinalizer(found: ExportObject, wanted: boolean, look: ConsumerLook, signal: AbortSignal): Promise<void> {
    const { caches } = this.#parts;
    const others = (found.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = wanted ? [...others, finalizer] : others;
    const after = await caches.exports.patch(found, { metadata: { finalizers } }, signal);
    if ((after.metadata.finalizers?.includes(finalizer) ?? false) === wanted) return;
    look.of(found).isUndone = true;
    caches.exports.recordEvent(found, writesUndone(`a change of finalizer ${finalizer}`));
  }

  #reportDeleted(found: ExportObject, count: number): void {
    const { caches, memories, recount } = this.#parts;
    recount(found);
    const copies = count === 1 ? 'copy' : 'copies';
    const were = count === 1 ? 'was' : 'were';
    caches.exports.recordEvent(found, {
      type: 'Normal',
      reason: 'WithdrawnObjectsDeleted',
      message: `This export has ended, and ${count} ${copies} of its consumer's objects ${were} deleted, as the policy for withdrawn objects says. None is left.`,
    });
    memories.forget(found.metadata.uid);
  }

  async #reportLeft(
    { binding, left }: Extract<ConsumerAction, { readonly type: 'tellLeft' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { caches, clock } = this.#parts;
    await caches.clusterBindings.commitStatus(
      binding,
      (status) => {
        const conditions = withLeft(status.conditions, left, clock.now());
        return conditions === status.conditions ? status : { ...status, conditions };
      },
      signal,
      leftEvents(binding.status?.conditions, left),
    );
  }
}
