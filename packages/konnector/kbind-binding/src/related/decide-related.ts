import type { Binding } from '@hawser/core-kbind';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { Action } from '../actions.js';
import { readRules, type RelatedKind, relatedKinds } from './rules.js';
import type { RelatedReading } from './reading.js';

/**
 * Annotation of the konnector on a ClusterBinding or Binding: comma-separated resources of which it may have made
 * related copies. Finds the copies of former rules for collection.
 */
export const RELATED_KINDS = 'hawser.dev/related-resources';

/** The resources in the annotation. */
export function recordedKinds({ metadata: { annotations = {} } }: Pick<Binding, 'metadata'>): readonly RelatedKind[] {
  const recorded = (annotations[RELATED_KINDS] ?? '').split(',');
  return kinds.filter((kind) => recorded.includes(kind));
}

const kinds = Object.keys(relatedKinds) as readonly RelatedKind[];

/** Next steps for the related objects of a binding that stays; none: they are served. Pure. */
export function decideRelated(
  key: string,
  binding: Binding,
  link: ProviderLink,
  readings: readonly RelatedReading[],
): readonly Action[] {
  const { sets } = readRules(binding);
  const recorded = recordedKinds(binding);
  const wanted = kinds.filter((kind) => sets.has(kind));
  // Record before the first copy: without a record its copies are lost once the rule is gone.
  const missing = wanted.filter((kind) => !recorded.includes(kind));
  if (missing.length > 0)
    return [
      { type: 'recordRelated', binding, kinds: kinds.filter((kind) => recorded.includes(kind) || sets.has(kind)) },
    ];
  const steps: Action[] = [];
  for (const kind of kinds) {
    const reading = readings.find((one) => one.kind === kind);
    const isOver = !sets.has(kind) && reading?.surveyed === true && reading.left === 0;
    if (isOver) steps.push({ type: 'stopRelated', key, kind });
    else if (recorded.includes(kind) && !isOf(reading, binding, link)) {
      steps.push({ type: 'startRelated', key, binding, kind, link });
    }
  }
  const over = steps.flatMap((step) => (step.type === 'stopRelated' ? [step.kind] : []));
  return over.some((kind) => recorded.includes(kind))
    ? [{ type: 'recordRelated', binding, kinds: recorded.filter((kind) => !over.includes(kind)) }]
    : steps;
}

/** Whether the reading belongs to this binding. A restored or recreated binding has the same name. */
function isOf(reading: RelatedReading | undefined, { metadata }: Binding, link: ProviderLink): boolean {
  return reading?.link === link && reading.bindingUID === metadata.uid;
}

/** Stops everything that runs for the related objects. */
export function stopRelated(key: string, readings: readonly RelatedReading[]): readonly Action[] {
  return readings.map(({ kind }) => ({ type: 'stopRelated', key, kind }));
}

/**
 * Steps before a binding that is being deleted may go: its related copies go, with proof (spec/kbind-v2.md §20.1).
 * Pure.
 */
export function decideRelatedEnd(
  key: string,
  binding: Binding,
  link: ProviderLink | undefined,
  readings: readonly RelatedReading[],
): { readonly steps: readonly Action[]; readonly waits: string | undefined } {
  const recorded = recordedKinds(binding);
  if (recorded.length === 0) return { steps: stopRelated(key, readings), waits: undefined };
  if (link === undefined)
    return {
      steps: [],
      waits:
        'The provider cannot be reached, so the related copies cannot be deleted. Repair the Connection, or let go of them by the annotation hawser.dev/release: <reason>.',
    };
  const starts = recorded.flatMap((kind): Action[] =>
    isOf(
      readings.find((one) => one.kind === kind),
      binding,
      link,
    )
      ? []
      : [{ type: 'startRelated', key, binding, kind, link }],
  );
  if (starts.length > 0) return { steps: starts, waits: undefined };
  const left = readings.filter((reading) => reading.left !== 0 || !reading.surveyed);
  const [reading] = left;
  if (reading === undefined) return { steps: [{ type: 'recordRelated', binding, kinds: [] }], waits: undefined };
  const [trouble] = reading.troubles;
  const words = trouble?.message ?? reading.problems[0]?.message ?? 'They go one after the other.';
  return {
    steps: [],
    waits: `Related copies that are left: ${reading.left ?? 'not counted yet'} ${reading.kind}. ${words}`,
  };
}
