import { isTerminating, objectKey } from '@hawser/client';
import { hawserAnnotations, releasedBecause, withdrawnObjectsPolicyOf } from '@hawser/kube-bind';
import { type Copy, withProof } from './copies.js';
import { type Batch, type Conclusion, type Decision, finalizer, type Step } from './decision.js';
import { type ExportObject, hasEnded } from './export-object.js';
import { type Left, mostExamples } from './left.js';
import type { ExportSettings, ObservedExport, Turn } from './observed.js';
import type { ExportOutcome } from './outcome.js';
import { isProvenEnded, isProvenOwner, needsProof } from './proof.js';

type Copies = ReadonlyMap<string, readonly Copy[]>;

/**
 * Copies deleted on one proof. Small, so the end of the export is read again soon: it may be bound again, or released,
 * meanwhile.
 */
const mostInBatch = 20;

/**
 * Decides about one export and its remaining copies. Pure: the same snapshot gives the same decision.
 *
 * - Deletes nothing of an export that stands, is released, has policy `Keep` or has not ended for the grace time, nor
 *   while the cluster namespace terminates.
 * - Deletes a copy only if no obstacle prevents it and the budget, which must know all others, allows it. The proof of
 *   the export's end, and of the copy's namespace, must be read live after that and after every earlier deletion: for each
 *   batch anew.
 * - Releases a deleted export only after a read that shows no copy.
 * - After a failed read or deletion, does nothing more about this export in this look.
 */
export function decideExport(observed: ObservedExport, settings: ExportSettings): Decision {
  const { found } = observed;
  // Everything in the cluster namespace goes; that says nothing about the copies.
  if (observed.namespaceEnds) return settled(isTerminating(found) ? finalizerActions(found, false) : []);
  const { policy, unknown } = withdrawnObjectsPolicyOf(found.metadata, settings.policy);
  const isReleased = releasedBecause(found.metadata) !== undefined;
  const quiet: ExportOutcome = { unknownPolicy: unknown, held: undefined, unproven: [], refused: undefined };
  if (!hasEnded(found) || policy === 'Keep' || isReleased) {
    return settled([
      { type: 'tellExport', outcome: quiet },
      ...finalizerActions(found, policy === 'Delete' && !isReleased),
    ]);
  }
  // Gives the consumer time to bind again, and its rights time to go.
  const waitMs = observed.endedSince + settings.graceMs - observed.now;
  if (waitMs > 0)
    return settled([
      { type: 'tellExport', outcome: quiet },
      { type: 'wait', ms: waitMs },
    ]);
  return decideCopies(observed, settings, quiet);
}

function decideCopies(observed: ObservedExport, settings: ExportSettings, quiet: ExportOutcome): Decision {
  const { reading, answers, found } = observed;
  // No report: the failed look is repeated with back-off, and may know more.
  if (observed.isStuck === true)
    return settled([], leftIn(reading?.kind === 'read' ? judged(reading.copies) : new Map()));
  if (reading === undefined) return step({ type: 'readCopies', resources: observed.resources });
  if (reading.kind === 'refused')
    return concluded(observed, settings, { ...quiet, refused: reading.message }, new Map());
  const copies = judged(reading.copies);
  if (answers === undefined || answers.turn <= reading.turn) {
    const approved = found.metadata.annotations?.[hawserAnnotations.approveDeletions] ?? '';
    return step({ type: 'askBudget', copies: [...copies.values()].flat().filter(mayGo), approved });
  }
  const refused = [...observed.attempts.values()].find((attempt) => attempt.refused !== undefined)?.refused;
  const next = refused === undefined ? nextDeletion(observed, settings, batchesOf(copies, answers.of)) : undefined;
  return next === undefined ? concluded(observed, settings, { ...quiet, refused }, copies) : step(next);
}

/** The first untried batch: first its proof, then its deletion. Undefined: nothing more may be deleted. */
function nextDeletion(observed: ObservedExport, settings: ExportSettings, batches: readonly Batch[]): Step | undefined {
  const { found, reading, answers, end, owners, attempts } = observed;
  const clusterNamespace = found.metadata.namespace ?? '';
  const known = Math.max(reading?.turn ?? 0, answers?.turn ?? 0);
  // The batch before may have taken some time.
  const latest = Math.max(known, ...[...attempts.values()].map(({ turn }) => turn));
  for (const batch of batches) {
    if (attempts.has(batch.id)) continue;
    const { copyNamespace } = batch;
    const owner = owners.get(batch.id);
    // A foreign owner suffices to leave it, however old the read is.
    if (isFresh(owner, known) && !isProvenOwner(owner, settings.dialect, clusterNamespace, copyNamespace)) continue;
    if (!isFresh(end, latest) || end.batch !== batch.id) return { type: 'proveEnded', batch };
    if (!isProvenEnded(end, found, batch.resource, settings.policy)) return undefined;
    if (needsProof(copyNamespace, clusterNamespace) && !isFresh(owner, latest))
      return { type: 'proveOwner', batch, copyNamespace };
    return { type: 'deleteCopies', batch };
  }
  return undefined;
}

function isFresh<T extends { readonly turn: Turn }>(proof: T | undefined, after: Turn): proof is T {
  return proof !== undefined && proof.turn > after;
}

/** The reports and writes when nothing more can be deleted now. */
function concluded(observed: ObservedExport, settings: ExportSettings, quiet: ExportOutcome, copies: Copies): Decision {
  const all = [...copies.values()].flat();
  const { held, perMinute } = observed.budget;
  const outcome: ExportOutcome = {
    ...quiet,
    held: held === undefined ? undefined : { ...held, perMinute },
    unproven: all.filter(({ obstacle, isGoing }) => obstacle !== undefined && !isGoing),
  };
  const report: Conclusion = { type: 'tellExport', outcome };
  if (all.length > 0) {
    const isGoing =
      [...observed.attempts.values()].some(({ deleted }) => deleted > 0) || all.some((copy) => copy.isGoing);
    return settled([report, { type: 'wait', ms: isGoing ? settings.goneCheckMs : settings.recheckMs }], leftIn(copies));
  }
  // An unread copy may exist.
  if (outcome.refused !== undefined) return settled([report, { type: 'wait', ms: settings.recheckMs }]);
  const { deleted } = observed;
  return settled([
    report,
    ...(deleted > 0 ? [{ type: 'tellDeleted', count: deleted } as const] : []),
    ...finalizerActions(observed.found, false),
  ]);
}

function finalizerActions(found: ExportObject, wanted: boolean): readonly Conclusion[] {
  const isThere = found.metadata.finalizers?.includes(finalizer) === true;
  if (isThere === wanted) return [];
  return [{ type: wanted ? 'setFinalizer' : 'dropFinalizer' }];
}

function judged(copies: Copies): Copies {
  const proven = withProof([...copies.values()].flat());
  let at = 0;
  return new Map([...copies].map(([resource, some]) => [resource, proven.slice(at, (at += some.length))]));
}

function mayGo({ obstacle, isGoing }: Copy): boolean {
  return obstacle === undefined && !isGoing;
}

/** Splits the deletable copies that the budget allows into small batches, by resource and namespace. */
function batchesOf(copies: Copies, answers: ReadonlyMap<string, 'allowed' | 'held' | undefined>): readonly Batch[] {
  return [...copies].flatMap(([resource, some]) => {
    const allowed = some.filter((copy) => mayGo(copy) && answers.get(copy.id) === 'allowed');
    const byNamespace = Map.groupBy(allowed, ({ copyNamespace }) => copyNamespace?.namespace ?? '');
    return [...byNamespace].flatMap(([namespace, those]) =>
      those.flatMap(({ copyNamespace }, at): readonly Batch[] => {
        if (at % mostInBatch !== 0) return [];
        return [
          {
            id: `${resource} ${namespace}${at === 0 ? '' : ` ${at}`}`,
            resource,
            copyNamespace,
            copies: those.slice(at, at + mostInBatch),
          },
        ];
      }),
    );
  });
}

function leftIn(copies: Copies): ReadonlyMap<string, Left> {
  const some = [...copies].filter(([, those]) => those.length > 0);
  return new Map(
    some.map(([resource, those]) => [
      resource,
      { count: those.length, examples: those.slice(0, mostExamples).map(({ key }) => objectKey(key)) },
    ]),
  );
}

function step(next: Step): Decision {
  return { kind: 'step', step: next };
}

function settled(conclusions: readonly Conclusion[], left: ReadonlyMap<string, Left> = new Map()): Decision {
  return { kind: 'settled', conclusions, left };
}
