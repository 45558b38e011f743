import type { Decision as Declared } from '@hawser/controller';
import type { ClusterBinding, Instant } from '@hawser/kube-bind';
import { type ConsumerConclusion, decideConsumer, type ObservedConsumer, type Settled } from './decide-consumer.js';
import { decideExport } from './decide.js';
import type { Conclusion, Question, Write } from './decision.js';
import type { ExportObject } from './export-object.js';
import type { Left } from './left.js';
import type { ExportSettings, ObservedExport } from './observed.js';
import { withExportOutcome, withLeft } from './outcome.js';

export interface SeenExport extends Omit<ObservedExport, 'resources'> {
  /** The API server accepted a change of its finalizers in this look, and its answer lacks it. */
  readonly isUndone?: boolean | undefined;
  /** Writes that failed in this look and block nothing else. */
  readonly failed?: ReadonlySet<Write['type']> | undefined;
}

/** Everything about one consumer and each of its exports. */
export interface SeenConsumer extends Omit<ObservedConsumer, 'settled'> {
  /** State of one of the exports at the time of this snapshot. */
  readonly about: (found: ExportObject) => SeenExport;
  /** Undefined: there is no place for a report. */
  readonly binding: ClusterBinding | undefined;
  /** Time for conditions. */
  readonly date: Instant;
  readonly countAgainMs: number;
  /** What is left is unknown, or cannot be reported, in this look. Default false. */
  readonly isLeftUnreported?: boolean | undefined;
  /** A read failed, and has not failed the look yet. Default false. */
  readonly hasFailed?: boolean | undefined;
}

/** Open questions about a consumer. Closed; only `ConsumerLook` asks them. */
export type ConsumerQuestion =
  (Question & { readonly found: ExportObject }) | { readonly type: 'countCopies'; readonly resource: string };

/** One write for a consumer. Closed; only `Actor` carries it out. */
export type ConsumerAction =
  | (Write & { readonly found: ExportObject })
  /** On the ClusterBinding. */
  | { readonly type: 'tellLeft'; readonly binding: ClusterBinding; readonly left: ReadonlyMap<string, Left> }
  /** Writes nothing: the look fails with the read error once all else is done. */
  | { readonly type: 'fail' };

type Next =
  | { readonly kind: 'question'; readonly question: ConsumerQuestion }
  | { readonly kind: 'action'; readonly action: ConsumerAction }
  | { readonly kind: 'settled'; readonly conclusions: readonly ConsumerConclusion[] };

export interface LookDecision extends Declared<ConsumerAction> {
  /** Number of copies left of the consumer. Undefined: not known yet. */
  readonly leftCount?: number | undefined;
}

/** The next question that must be answered before a decision. Pure. */
export function openQuestion(seen: SeenConsumer, settings: ExportSettings): ConsumerQuestion | undefined {
  const next = nextOf(seen, settings);
  return next.kind === 'question' ? next.question : undefined;
}

/** The next write for a consumer, when no question is open. Pure. */
export function decideLook(seen: SeenConsumer, settings: ExportSettings): LookDecision {
  const next = nextOf(seen, settings);
  switch (next.kind) {
    // Never delete on half an answer: the next look asks again.
    case 'question':
      return { actions: [], requeueAfterMs: 0 };
    case 'action':
      return { actions: [next.action] };
    case 'settled':
      return concluded(seen, next.conclusions);
  }
}

/**
 * First export by export, then their reports: a status that cannot be written blocks no deletion and no finalizer. Then
 * the copies of deleted exports.
 */
function nextOf(seen: SeenConsumer, settings: ExportSettings): Next {
  const settled = new Map<ExportObject, Settled>();
  let report: Next | undefined;
  let again: Next | undefined;
  for (;;) {
    const decision = decideConsumer({ ...seen, settled });
    if (decision.kind === 'settled') return report ?? again ?? decision;
    const { step } = decision;
    if (step.type === 'countCopies') return report ?? { kind: 'question', question: step };
    const { found, resources } = step;
    const about = seen.about(found);
    const ofExport = decideExport({ ...about, resources }, settings);
    if (ofExport.kind === 'step') {
      const next = ofExport.step;
      if (next.type === 'deleteCopies') return { kind: 'action', action: { ...next, found } };
      return { kind: 'question', question: { ...next, found } };
    }
    const writes = writesOf(ofExport.conclusions, found, seen.date)
      .filter(({ type }) => about.failed?.has(type) !== true)
      .map((write) => ({ ...write, found }));
    const action = writes.find(({ type }) => type !== 'tellExport');
    const isOfFinalizer = action?.type === 'setFinalizer' || action?.type === 'dropFinalizer';
    // It blocks no other export. It is written again after `recheckMs`; if everything else has ended, at once, so that
    // the key fails and backs off.
    const isUndone = about.isUndone === true && isOfFinalizer;
    if (action !== undefined && !isUndone) return { kind: 'action', action };
    if (action !== undefined && seen.namespaceEnds) again ??= { kind: 'action', action };
    const toReport = writes.find(({ type }) => type === 'tellExport');
    if (toReport !== undefined) report ??= { kind: 'action', action: toReport };
    const waitMs = waitOf(ofExport.conclusions) ?? (isUndone ? settings.recheckMs : undefined);
    settled.set(found, { left: ofExport.left, waitMs });
  }
}

function concluded(
  { binding, countAgainMs, date, isLeftUnreported = false, hasFailed = false }: SeenConsumer,
  conclusions: readonly ConsumerConclusion[],
): LookDecision {
  const left = isLeftUnreported ? undefined : conclusions.find((one) => one.type === 'tellLeft')?.left;
  const leftCount = isLeftUnreported
    ? undefined
    : [...(left?.values() ?? [])].reduce((sum, { count }) => sum + count, 0);
  const conditions = binding?.status?.conditions;
  if (binding !== undefined && left !== undefined && withLeft(conditions, left, date) !== conditions)
    return { actions: [{ type: 'tellLeft', binding, left }], leftCount };
  if (hasFailed) return { actions: [{ type: 'fail' }], leftCount };
  const waits = conclusions.flatMap((one) =>
    one.type === 'wait' ? [one.ms] : one.type === 'countAgain' ? [countAgainMs] : [],
  );
  return { actions: [], leftCount, requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

/** Present reports are not written again. */
function writesOf(conclusions: readonly Conclusion[], { status }: ExportObject, date: Instant): readonly Write[] {
  return conclusions.flatMap((one) => {
    if (one.type === 'wait') return [];
    const isReported =
      one.type === 'tellExport' && withExportOutcome(status?.conditions, one.outcome, date) === status?.conditions;
    return isReported ? [] : [one];
  });
}

function waitOf(conclusions: readonly Conclusion[]): number | undefined {
  return conclusions.findLast((one) => one.type === 'wait')?.ms;
}
