import { type Client, isConflict, isNotFound, isRefusal } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { createDeletionBudget, type DeletionBudget } from '@hawser/controller';
import { type CustomResourceDefinition, type Dialect, hawserAnnotations, type WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import type { Place } from './belonging.js';
import { type Copy, survey, withProof } from './copies.js';
import { type ExportObject, isolationOf } from './export-object.js';
import { isEndedLive, isPlaceLive } from './proof.js';

/** What was found, and done, about the copies of an export that has ended. */
export interface Cleaned {
  /** All that was there, by name of the CRD. */
  readonly copies: ReadonlyMap<string, readonly Copy[]>;
  readonly deleted: number;
  /** In the API server's words. */
  readonly refused: string | undefined;
}

export interface Cleaner {
  /** Milliseconds until the copies of this export may be looked at; 0: now. It is given time to be restored, and its rights to go. */
  waitMs(found: ExportObject): number;
  clean(found: ExportObject, crds: readonly CustomResourceDefinition[], places: readonly Place[], signal: AbortSignal): Promise<Cleaned>;
  /** Of the export, once it was cleaned. */
  budget(found: ExportObject): DeletionBudget;
  /** How many copies of it were deleted so far. */
  deleted(found: ExportObject): number;
  /** It stands again, or is gone. */
  forget(uid: string | undefined): void;
}

export interface CleanerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly provider: WithdrawnObjectsPolicy;
  readonly graceMs: number;
  readonly deletionsPerMinute: number | undefined;
}

interface Memory {
  readonly since: number;
  readonly budget: DeletionBudget;
  ids: ReadonlySet<string>;
  deleted: number;
}

/** Deletes copies of exports that have ended: those that are proven to be the consumer's, each by its uid and as it was read, and no more within a minute than the budget has. */
export function createCleaner({ client, clock, dialect, provider, graceMs, deletionsPerMinute }: CleanerOptions): Cleaner {
  const memories = new Map<string, Memory>();
  const memoryOf = ({ metadata: { uid = '' } }: ExportObject): Memory => {
    const memory = memories.get(uid) ?? { since: clock.monotonic(), budget: createDeletionBudget({ clock, perMinute: deletionsPerMinute }), ids: new Set<string>(), deleted: 0 };
    memories.set(uid, memory);
    return memory;
  };

  return {
    waitMs: (found) => Math.max(0, memoryOf(found).since + graceMs - clock.monotonic()),
    budget: (found) => memoryOf(found).budget,
    deleted: (found) => memoryOf(found).deleted,
    forget: (uid = '') => { memories.delete(uid); },
    async clean(found, crds, places, signal) {
      const clusterNamespace = found.metadata.namespace ?? '';
      const prefix = isolationOf(found) === 'Prefixed' ? `${clusterNamespace}-` : '';
      const all: (readonly [string, Copy])[] = [];
      try {
        for (const crd of crds) for (const copy of await survey(client, dialect, { clusterNamespace, places, crd, prefix }, signal)) all.push([crd.metadata.name, copy]);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return { copies: new Map(), deleted: 0, refused: error.message };
      }
      const proven = withProof(all.map(([, copy]) => copy));
      const copies = Map.groupBy(proven, (_, at) => all[at]?.[0] ?? '');
      const memory = memoryOf(found);
      const allowed = allowedOf(memory, proven, found.metadata.annotations?.[hawserAnnotations.approveDeletions]);
      const { deleted, refused } = await deleteThose(found, copies, allowed, memory, signal);
      memory.deleted += deleted;
      return { copies, deleted, refused };
    },
  };

  async function deleteThose(found: ExportObject, copies: ReadonlyMap<string, readonly Copy[]>, allowed: ReadonlySet<Copy>, { budget }: Memory, signal: AbortSignal): Promise<Omit<Cleaned, 'copies'>> {
    let deleted = 0;
    const clusterNamespace = found.metadata.namespace ?? '';
    for (const [resource, some] of copies) {
      for (const [place, those] of Map.groupBy(some.filter((copy) => allowed.has(copy)), (copy) => copy.place)) {
        // For each place anew: the one before may have taken its time.
        if (!await isEndedLive(client, dialect, found, resource, provider, signal)) return { deleted, refused: undefined };
        if (place !== undefined && !await isPlaceLive(client, dialect, clusterNamespace, place, signal)) continue;
        for (const { resource: kind, key, id, uid, resourceVersion } of those) {
          try {
            await client.delete(kind, key, { preconditions: { uid, resourceVersion }, signal });
            deleted++;
          } catch (error) {
            // Somebody else has changed or deleted it: looked at again.
            if (isConflict(error) || isNotFound(error)) continue;
            if (isRefusal(error)) return { deleted, refused: error.message };
            throw error;
          }
          budget.spend(id);
        }
      }
    }
    return { deleted, refused: undefined };
  }
}

/** All that is to go is known to the budget before it is asked about any. */
function allowedOf(memory: Memory, proven: readonly Copy[], approved: string | undefined): ReadonlySet<Copy> {
  const { budget } = memory;
  const mayGo = proven.filter(({ obstacle, isGoing }) => obstacle === undefined && !isGoing);
  const ids = new Set(mayGo.map(({ id }) => id));
  for (const id of memory.ids) if (!ids.has(id)) budget.withdraw(id);
  for (const { id, uid } of mayGo) budget.waits(id, uid);
  memory.ids = ids;
  budget.approve(approved ?? '');
  return new Set(mayGo.filter(({ id }) => budget.answer(id) === 'allowed'));
}
