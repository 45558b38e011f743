import type { ObjectKey, UnstructuredObject } from '@hawser/client';

import { waitForCopyToGo } from './decide-termination.js';
import type { Decision } from './decision.js';
import { hasFinalizer } from './finalizer.js';
import { RELEASE } from './marks.js';
import type { Placement } from './isolation.js';
import { DEFAULT_NAMESPACE_GRACE_MS, type Observed, type PairSettings } from './observed.js';
import { belongingOf, isMadeByKonnector, isOfFormer, namesCluster } from './ownership.js';
import { held, progressing, waiting } from './verdicts.js';

/** Interval for reading a copy that no cache covers. */
const LOOK_AGAIN_MS = 15_000;
/** How long a live read of a deletion counts: a backup may undo it later. */
const CONFIRMED_MS = 10_000;

/** Decides what a deletion on the consumer causes on the provider. The order of the checks is the safety promise. */
export function decideDeletion(observed: Observed, consumer: UnstructuredObject, settings: PairSettings): Decision {
  if (!hasFinalizer(consumer, settings.dialect))
    return settings.draining === undefined ? waiting('copyToGo') : { actions: [], verdict: { kind: 'absent' } };
  const release = (): Decision => ({ actions: [{ type: 'removeFinalizer', consumer }], verdict: progressing('write') });
  const reason = consumer.metadata.annotations?.[RELEASE];
  if ((reason !== undefined && reason !== '') || settings.dialect.marks.orphansCopy?.(consumer) === true)
    return release();

  const proof = observed.deletionProof;
  if (proof === undefined) return { actions: [{ type: 'proveDeletion' }], verdict: progressing('deletionProof') };
  switch (proof.kind) {
    case 'unbinding':
    case 'crdForeign':
      return release();
    case 'crdTerminating':
      return held(
        'CustomResourceDefinitionTerminating',
        `The CustomResourceDefinition is being deleted, which deletes this object; that is not passed on to the provider. Delete the ${settings.dialect.words.binding} to let go of its objects, or annotate this one with "${RELEASE}: <reason>".`,
        'consumer',
      );
    case 'bindingStands':
      // The sync ends once its controller sees the binding.
      return { actions: [], verdict: progressing('deletionProof'), requeueAfterMs: LOOK_AGAIN_MS };
    case 'byUser':
      return decideUserDeletion(observed, consumer, settings, release);
  }
}

function decideUserDeletion(
  observed: Observed,
  consumer: UnstructuredObject,
  settings: PairSettings,
  release: () => Decision,
): Decision {
  const { placement, copy, memory } = observed;
  switch (placement.kind) {
    case 'impossible':
      return release();
    case 'unassigned':
      return decideUnmapped(observed, placement, consumer, settings, release);
    case 'placed':
      if (!observed.copyCacheReady) return waiting('cache');
      if (copy !== undefined && copy.metadata.uid !== memory.copyGone)
        return decideCopy(observed, copy, consumer, settings, release);
      return memory.copyGone === undefined
        ? { actions: [{ type: 'confirmGone', key: placement.key }], verdict: progressing('copyToGo') }
        : release();
  }
}

/** Decides about a copy that is present. */
function decideCopy(
  observed: Observed,
  copy: UnstructuredObject,
  consumer: UnstructuredObject,
  settings: PairSettings,
  release: () => Decision,
): Decision {
  const belonging = belongingOf(copy, observed, settings);
  if (belonging.kind === 'foreign') return release();
  const isFormer = isOfFormer(copy, consumer, settings);
  // Without a cluster in its marks, an earlier object of that name may have been another cluster's. The copy stays, and
  // is reported as an orphan.
  if (isFormer && !namesCluster(copy, settings.dialect)) return release();
  // It may belong to a later object, copied by another konnector; or the cached deletion was undone. Only a live read
  // shows it.
  if ((isFormer || observed.isConsumerDoubtful === true) && !isConfirmed(observed, copy, consumer))
    return {
      actions: [{ type: 'confirmDeletion', consumer, copy, at: observed.now }],
      verdict: progressing('deletionProof'),
    };
  if (copy.metadata.deletionTimestamp !== undefined)
    return waitForCopyToGo(
      observed,
      copy,
      settings,
      `This object goes by itself once the copy is gone; annotated with "${RELEASE}: <reason>" it does not wait.`,
    );
  const isProven = isMadeByKonnector(copy, belonging.isNamed, observed.memory);
  if (isProven === undefined) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };
  // Not proven: its marks may be inherited from another object.
  if (!isProven) return release();
  return { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('copyToGo') };
}

/** Whether a live read has just shown the deletion. */
function isConfirmed(
  { memory: { deletionStands }, now }: Observed,
  copy: UnstructuredObject,
  consumer: UnstructuredObject,
): boolean {
  return (
    deletionStands !== undefined &&
    deletionStands.consumer === consumer.metadata.uid &&
    deletionStands.copy === copy.metadata.uid &&
    now - deletionStands.at < CONFIRMED_MS
  );
}

/**
 * Decides if the provider no longer assigns a namespace to the object's namespace. No cache covers the copy, so it is
 * read live at its last recorded place, and repeatedly during its deletion. Without a recorded place, the provider is
 * asked for the namespace again; for a terminating namespace no living object does that.
 */
function decideUnmapped(
  observed: Observed,
  placement: Extract<Placement, { kind: 'unassigned' }>,
  consumer: UnstructuredObject,
  settings: PairSettings,
  release: () => Decision,
): Decision {
  const {
    memory: { copyGone, found },
    now,
  } = observed;
  if (copyGone !== undefined) return release();
  const key = lastKnownKey(consumer, settings);
  if (key === undefined) return askAgain(observed, placement, settings);
  if (found === undefined || now - found.at >= LOOK_AGAIN_MS)
    return { actions: [{ type: 'confirmGone', key, at: now }], verdict: progressing('copyToGo') };
  // The consumer's annotation leads there, so the copy must name this very object.
  if (isOfFormer(found.copy, consumer, settings)) return release();
  const decision = decideCopy(observed, found.copy, consumer, settings, release);
  if (decision.actions.length === 0)
    return {
      ...decision,
      requeueAfterMs: Math.min(decision.requeueAfterMs ?? LOOK_AGAIN_MS, found.at + LOOK_AGAIN_MS - now),
    };
  return {
    ...decision,
    actions: decision.actions.map((action) => (action.type === 'deleteCopy' ? { ...action, at: now } : action)),
  };
}

function askAgain(
  { now }: Observed,
  { consumerNamespace, since }: Extract<Placement, { kind: 'unassigned' }>,
  settings: PairSettings,
): Decision {
  if (since === undefined)
    return { actions: [{ type: 'requestNamespace', consumerNamespace }], verdict: progressing('namespace') };
  const leftMs = since + (settings.namespaceGraceMs ?? DEFAULT_NAMESPACE_GRACE_MS) - now;
  if (leftMs > 0) return { ...waiting('namespace'), requeueAfterMs: leftMs };
  const message = `The provider no longer says which namespace stands for "${consumerNamespace}", so it cannot be shown that the copy of this object is gone. The provider has to see why its controller does not answer the APIServiceNamespace "${settings.clusterNamespace}/${consumerNamespace}". To let this object go at once, annotate it with "${RELEASE}: <reason>".`;
  return {
    actions: [],
    verdict: {
      kind: 'progressing',
      waitingFor: 'namespace',
      overdue: { reason: 'CopyUnknown', message, actor: 'provider' },
    },
  };
}

/** Last recorded place of the copy (`spec/konnector.md §9.2`), for when the namespace map has lost it. */
function lastKnownKey(consumer: UnstructuredObject, settings: PairSettings): ObjectKey | undefined {
  const { copyAt } = settings.dialect.marks;
  const namespace = copyAt === undefined ? undefined : consumer.metadata.annotations?.[copyAt.namespace];
  if (settings.isolation !== 'ServiceNamespace' || namespace === undefined || namespace === '') return undefined;
  return { namespace, name: consumer.metadata.name };
}
