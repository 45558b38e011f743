import { controllerOf, type KubeObject, type UnstructuredObject, versionOf } from '@hawser/client';
import { copyOf, differenceOf, hashOf, isCredential, mustBeReplaced, wantedContent } from './content.js';
import type { Action, Decision, Observed, RelatedReason, SideObserved, Waiting } from './decision.js';
import { isWrittenByKonnector, type Owner } from './marks.js';
import { otherSide, type Side } from './rules.js';

/** How long an original must be missing before its copy goes, unless a watch saw the deletion. */
export const MISSING_GRACE_MS = 60_000;
/** Foreign changes of a copy before Hawser reports them. */
const TOLERATED = 3;

/** Decides about one related object, in either direction. Pure. */
export function decide(observed: Observed, owner: Owner): Decision {
  const { consumer, provider } = observed.sides;
  if (consumer === undefined && provider === undefined) return standing({ kind: 'absent' });
  if (consumer?.marking === 'own' && provider?.marking === 'own')
    return held(
      'RelatedCopyLeftOver',
      `Both ${on('consumer', observed)} and ${on('provider', observed)} are marked as copies of this binding, and neither as the original. Both are left alone: take the annotation core.kbind.io/related-binding off the original.`,
      'operator',
    );
  for (const side of ['consumer', 'provider'] as const) {
    const copy = observed.sides[side];
    if (copy?.marking === 'own') return decideCopy(observed, owner, side, copy);
  }
  const from = (['consumer', 'provider'] as const).filter((side) => observed.sides[side]?.selected === true);
  const [source] = from;
  const original = source === undefined ? undefined : observed.sides[source];
  if (source === undefined || original === undefined) return standing({ kind: 'notSelected' });
  if (original.isEcho) return echo(observed, source);
  const found = observed.sides[otherSide(source)];
  if (found === undefined) return keepInStep(observed, owner, source, original, undefined);
  // Both sides have it, and neither is the copy of the other.
  return from.length === 1 && found.marking === 'former' && controllerOf(found.object) === undefined
    ? keepInStep(observed, owner, source, original, found)
    : occupied(observed, source, found);
}

/** A copy of this binding: kept in step with its original, or collected (spec/kbind-v2.md §19). */
function decideCopy(observed: Observed, owner: Owner, side: Side, copy: SideObserved): Decision {
  const from = otherSide(side);
  const original = observed.sides[from];
  if (controllerOf(copy.object) !== undefined)
    return original?.selected === true
      ? held(
          'RelatedCopyLeftOver',
          `${on(side, observed)} is marked as a copy, but a controller owns it. It is neither synced nor deleted; rename it, or take its marks off.`,
          side === 'consumer' ? 'consumer' : 'provider',
        )
      : standing({ kind: 'notSelected' });
  if (original?.selected === true)
    return original.isEcho ? echo(observed, from) : keepInStep(observed, owner, from, original, copy);
  if (!observed.cacheReady[from]) return progressing('cache');
  // The selection of a rule that is not understood is unknown.
  if (original !== undefined && observed.unclear.includes(from)) return standing({ kind: 'notSelected' });
  return collect(observed, side, copy.object, original === undefined);
}

/** A copy goes only if a konnector wrote it, and live reads show that nothing selects it. */
function collect(observed: Observed, side: Side, copy: KubeObject, isMissing: boolean): Decision {
  const { memory, contents, proof } = observed;
  if (copy.metadata.deletionTimestamp !== undefined) return progressing('copyToGo');
  const leftOver = held(
    'RelatedCopyLeftOver',
    `${on(side, observed)} is marked as a copy that nothing asks for any more, but its managedFields do not show that a konnector wrote it. It is kept: delete it if it is not needed.`,
    side === 'consumer' ? 'operator' : 'provider',
  );
  if (memory.unproven === versionOf(copy)) return leftOver;
  const whole = contents?.[side];
  if (whole === undefined || versionOf(whole) !== versionOf(copy)) return write({ type: 'read', sides: [side] });
  if (!isWrittenByKonnector(whole)) return leftOver;
  const waiting = isMissing ? missing(observed, side) : undefined;
  if (waiting !== undefined) return waiting;
  switch (proof) {
    case undefined:
      return write({ type: 'prove', side });
    case 'originalGone':
    case 'notSelected':
      return write({ type: 'deleteCopy', side, copy, why: 'unwanted' });
    case 'none':
      return progressing('copyToGo');
  }
}

/**
 * A missing original may have been lost by a restore: its copy waits, and counts against a budget. Undefined once it
 * may go.
 */
function missing(observed: Observed, side: Side): Decision | undefined {
  const { memory, now, deletion } = observed;
  const from = otherSide(side);
  if (memory.deleted?.includes(from) === true) return undefined;
  const leftMs = Math.max(0, (memory.missingSince ?? now) + MISSING_GRACE_MS - now);
  if (leftMs === 0 && deletion === 'allowed') return undefined;
  const outlook =
    deletion === 'held'
      ? 'It is kept: too many copies would go at once. See condition RelatedResourcesInSync of the binding.'
      : 'The copy goes soon, unless the original is back by then.';
  return {
    ...standing({
      kind: 'orphan',
      mayGo: true,
      message: `The original of ${on(side, observed)} is missing on the ${from}, and its deletion was not seen. ${outlook}`,
    }),
    ...(deletion === 'held' ? {} : { requeueAfterMs: Math.max(1, leftMs) }),
  };
}

function keepInStep(
  observed: Observed,
  owner: Owner,
  from: Side,
  original: SideObserved,
  copy: SideObserved | undefined,
): Decision {
  const side = otherSide(from);
  if (original.protection !== undefined) return protectedObject(observed, from, original.protection);
  const waiting = beforeReading(observed, from, original.object, copy?.object);
  if (waiting !== undefined) return waiting;
  const source = current(observed, from);
  const target = copy === undefined ? undefined : current(observed, side);
  if (source === undefined || (copy !== undefined && target === undefined))
    return write({ type: 'read', sides: copy === undefined ? [from] : ['consumer', 'provider'] });
  if (isCredential(source)) return protectedObject(observed, from, 'it is a token of the cluster that it stands in');
  const wanted = wantedContent(source, owner);
  const hash = hashOf(wanted, source);
  const at = { side, from: versionOf(original.object), hash } as const;
  if (target === undefined) return write({ type: 'createCopy', ...at, copy: copyOf(source, wanted) });
  // Its mark names a former binding as its maker. Believe that if a konnector wrote it.
  if (copy?.marking === 'former' && !isWrittenByKonnector(target)) return occupied(observed, from, copy);
  const { wrong, remove } = differenceOf(target, wanted);
  const changed = [...wrong, ...remove];
  if (changed.length === 0) return standing({ kind: 'inStep' });
  if (mustBeReplaced(target, changed)) return replace(observed, from, target);
  return write({
    type: 'patchCopy',
    ...at,
    copy: target,
    wanted,
    remove,
    annotations: {},
    correction: observed.memory.lastWrite?.hash === hash && observed.memory.lastWrite.from === at.from,
    wrong: changed,
  });
}

/** The decision from metadata and memory alone. */
function beforeReading(
  observed: Observed,
  from: Side,
  original: KubeObject,
  copy: KubeObject | undefined,
): Decision | undefined {
  const { memory, now, full, cacheReady } = observed;
  const side = otherSide(from);
  if (copy === undefined && original.metadata.deletionTimestamp !== undefined) return progressing('originalToGo');
  if (copy === undefined && !cacheReady[side]) return progressing('cache');
  if (copy === undefined && from === 'provider' && full !== undefined)
    return held(
      'TooManyRelatedObjects',
      `The provider has more objects for this binding than the ${full} that may come to the consumer by one. What is here stays, and is kept in step. Narrow the rules of the binding, or have the provider delete some.`,
      'operator',
    );
  if (copy?.metadata.deletionTimestamp !== undefined) return progressing('copyToGo');
  const isInStep =
    copy !== undefined && memory.inStep?.[from] === versionOf(original) && memory.inStep[side] === versionOf(copy);
  if (isInStep) return standing({ kind: 'inStep' });
  const { correctNotBefore, corrections = 0, lastWrite } = memory;
  if (correctNotBefore === undefined || now >= correctNotBefore || lastWrite?.from !== versionOf(original))
    return undefined;
  const message = `Another client keeps changing ${on(side, observed)}, which is a copy; it was put back ${corrections} times, and will be ever less often. Its managedFields name who writes: agree on one owner.`;
  return {
    ...(corrections < TOLERATED ? progressing('backoff') : held('RelatedObjectDrifting', message, 'operator')),
    requeueAfterMs: correctNotBefore - now,
  };
}

function replace(observed: Observed, from: Side, target: UnstructuredObject): Decision {
  const side = otherSide(from);
  if (isWrittenByKonnector(target)) return write({ type: 'deleteCopy', side, copy: target, why: 'replace' });
  return held(
    'RelatedCopyLeftOver',
    `${on(side, observed)} would have to be made anew, since its type or its immutable contents differ, but its managedFields do not show that a konnector wrote it. It is kept: delete it to have it made anew.`,
    side === 'consumer' ? 'operator' : 'provider',
  );
}

function occupied(observed: Observed, from: Side, found: SideObserved): Decision {
  const side = otherSide(from);
  const actor = side === 'consumer' ? 'consumer' : 'provider';
  return found.marking === 'none'
    ? held(
        'RelatedObjectExists',
        `${on(side, observed)} was there before and is not a copy: it is left alone, and the object of that name on the ${from} is not copied. Delete or rename one of the two.`,
        actor,
      )
    : held(
        'RelatedObjectOfAnother',
        `${on(side, observed)} is a copy that another binding or another consumer cluster has made: it is left alone, and the object of that name on the ${from} is not copied. Narrow the rules of one binding, or rename one object.`,
        actor,
      );
}

/** If copied back, it would bring a deleted original back to life, and neither would ever go. */
function echo(observed: Observed, from: Side): Decision {
  const message = `${on(from, observed)} is selected and not copied: it is itself a copy that another binding or another consumer cluster has made. Narrow the rules of one binding.`;
  return held('RelatedObjectOfAnother', message, 'operator');
}

function protectedObject(observed: Observed, from: Side, why: string): Decision {
  const message = `${on(from, observed)} is selected and not copied: ${why}. Narrow the rule of the binding to leave it out.`;
  return held('RelatedObjectProtected', message, 'operator');
}

/** The object as read, if it is still that version. */
function current({ sides, contents }: Observed, side: Side): UnstructuredObject | undefined {
  const [object, content] = [sides[side]?.object, contents?.[side]];
  return object !== undefined && content !== undefined && versionOf(object) === versionOf(content)
    ? content
    : undefined;
}

function standing(verdict: Decision['verdict']): Decision {
  return { actions: [], verdict };
}

function write(action: Action): Decision {
  return { actions: [action], verdict: { kind: 'progressing', waitingFor: 'write' } };
}

function progressing(waitingFor: Waiting): Decision {
  return standing({ kind: 'progressing', waitingFor });
}

function held(reason: RelatedReason, message: string, actor: 'consumer' | 'provider' | 'operator'): Decision {
  return standing({ kind: 'held', reason, message, actor });
}

/** The object on a side, for messages. */
export function on(side: Side, { kind, namespace, name }: Pick<Observed, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name} on the ${side}`;
}
