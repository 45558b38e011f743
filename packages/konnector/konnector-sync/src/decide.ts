import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import { type JsonObject, equal } from '@hawser/json';

import { type Pause, defaultPolicy, pauseOf, pausedProblem } from './binding-policy.js';
import { contentHash, decideContent } from './decide-content.js';
import { decideDeletion } from './decide-deletion.js';
import { decideReleased, decideStaged } from './decide-move.js';
import { decideOrphan } from './decide-orphan.js';
import { waitForCopyToGo } from './decide-termination.js';
import type { Action, Decision } from './decision.js';
import { finalizerActions } from './finalizer.js';
import type { Placement } from './isolation.js';
import { CONSUMER_OBJECT, WANTED_HASH } from './marks.js';
import { DEFAULT_NAMESPACE_GRACE_MS, type Observed, type PairSettings, clusterNamespaceOwner } from './observed.js';
import { isHalfAdopted, decideAdoption } from './decide-adoption.js';
import { conflictMark, decideForeign } from './decide-foreign.js';
import { belongingOf, isOfFormer, isUnowned, objectMark, ownershipMarks } from './ownership.js';
import { decideByDefault, decideLeft, decideUnknown, decideWaiting, reportKept } from './routing.js';
import { held, progressing, waiting } from './verdicts.js';
import { wantedOf } from './wanted.js';

/**
 * Decides about one pair. Pure: the same snapshot gives the same decision, so a preview calls this very function.
 *
 * - Deletes nothing on the provider unless one of two is proven. Either the consumer object was read with a
 *   deletionTimestamp, the user's wish is proven, and the copy is ours. Or the consumer object is gone, and the
 *   operator wants orphans deleted.
 * - Neither writes nor deletes a copy that is not ours. An unowned one becomes ours only if the operator wants that.
 * - A pair in step gives no action, and neither does a paused one.
 */
export function decide(observed: Observed, settings: PairSettings): Decision {
  const decision = decideUnpaused(observed, settings);
  const pause = pauseOf(observed.consumer?.metadata ?? {}, 'object') ?? settings.policy?.pause;
  if (pause === undefined) return decision;
  const withheld = [...decision.actions, ...(decision.withheld ?? [])];
  // Nothing waits here.
  if (withheld.length === 0 && unattended.has(decision.verdict.kind)) return decision;
  return { ...paused(pause, observed.consumer, settings), withheld };
}

const unattended: ReadonlySet<Decision['verdict']['kind']> = new Set(['absent', 'notSelected', 'orphan']);

function decideUnpaused(observed: Observed, settings: PairSettings): Decision {
  const { consumer, route } = observed;
  if (consumer !== undefined && route?.kind === 'released') return decideReleased(observed, settings, route);
  if (consumer !== undefined && route?.kind === 'staged')
    return decideStaged(decideServed(observed, settings), observed, route);
  if (route?.kind === 'unknown') return decideUnknown(observed, settings, route.note);
  return (
    decideLeft(observed) ??
    decideWaiting(observed) ??
    decideByDefault(observed, settings, () => reportKept(decideServed(observed, settings), observed))
  );
}

function decideServed(observed: Observed, settings: PairSettings): Decision {
  const { consumer, placement, copy } = observed;
  if (consumer === undefined) {
    if (copy === undefined || copy.metadata.uid === observed.memory.copyGone)
      return { actions: [], verdict: { kind: 'absent' } };
    const belonging = belongingOf(copy, observed, settings);
    return belonging.kind === 'foreign' && !(belonging.owner.kind === 'controller' && belonging.owner.isNamed)
      ? decideAdoption(observed, copy, settings)
      : decideOrphan(observed, copy, belonging, settings);
  }
  if (settings.draining?.except.includes(consumer.metadata.namespace ?? '') === true)
    return { actions: [], verdict: { kind: 'absent' } };
  if (consumer.metadata.deletionTimestamp !== undefined || settings.draining !== undefined)
    return decideDeletion(observed, consumer, settings);
  switch (placement.kind) {
    case 'impossible':
      return held(placement.reason, placement.message, 'consumer');
    case 'unassigned':
      return decideNamespace(observed, placement, settings);
    case 'placed':
      if (!observed.copyCacheReady) return waiting('cache');
      return copy === undefined || copy.metadata.uid === observed.memory.copyGone
        ? decideCreation(observed, consumer, placement.key, settings)
        : decideUpdate(observed, consumer, copy, settings);
  }
}

function paused(pause: Pause, consumer: UnstructuredObject | undefined, { dialect }: PairSettings): Decision {
  const waits = consumer?.metadata.deletionTimestamp === undefined ? '' : ' The deletion of this object waits too.';
  const { reason, message, actor } = pausedProblem(pause, dialect.words.binding, waits);
  return held(reason, message, actor);
}

/**
 * Requests a namespace once, then waits for the answer: its event brings the object back. A person must look if none
 * comes.
 */
function decideNamespace(
  { now }: Observed,
  { consumerNamespace, since }: Extract<Placement, { kind: 'unassigned' }>,
  settings: PairSettings,
): Decision {
  if (since === undefined)
    return { actions: [{ type: 'requestNamespace', consumerNamespace }], verdict: progressing('namespace') };
  const left = since + (settings.namespaceGraceMs ?? DEFAULT_NAMESPACE_GRACE_MS) - now;
  if (left > 0) return { ...waiting('namespace'), requeueAfterMs: left };
  const asked = `${settings.clusterNamespace}/${consumerNamespace}`;
  const message = `The provider has not assigned a namespace for objects of namespace "${consumerNamespace}": its APIServiceNamespace "${asked}" has no status.namespace. The provider has to see why its controller does not answer; Events on that APIServiceNamespace may tell.`;
  return {
    actions: [],
    verdict: {
      kind: 'progressing',
      waitingFor: 'namespace',
      overdue: { reason: 'NamespacePending', message, actor: 'provider' },
    },
  };
}

function decideCreation(
  observed: Observed,
  consumer: UnstructuredObject,
  key: ObjectKey,
  settings: PairSettings,
): Decision {
  const wanted = wantedOf(consumer, settings.dialect.marks.labelsOfCopy);
  const hash = contentHash(wanted, settings.policy ?? defaultPolicy);
  const owner = clusterNamespaceOwner(settings);
  const object: UnstructuredObject = {
    ...wanted.fields,
    apiVersion: consumer.apiVersion,
    kind: consumer.kind,
    metadata: {
      name: key.name,
      ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
      ...(Object.keys(wanted.labels).length === 0 ? {} : { labels: strings(wanted.labels) }),
      annotations: {
        ...strings(wanted.annotations),
        ...ownershipMarks(consumer, settings),
        [CONSUMER_OBJECT]: objectMark(consumer, consumer.metadata),
        [WANTED_HASH]: hash,
      },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
  };
  return {
    actions: [
      ...finalizerActions(observed, consumer, settings.dialect),
      ...sharing(observed, true),
      ...provisioning(observed),
      { type: 'createCopy', object, wantedHash: hash },
    ],
    verdict: progressing('write'),
  };
}

function decideUpdate(
  observed: Observed,
  consumer: UnstructuredObject,
  copy: UnstructuredObject,
  settings: PairSettings,
): Decision {
  const belonging = belongingOf(copy, observed, settings);
  if (belonging.kind === 'foreign' && !mayAdopt(copy, settings) && !isHalfAdopted(consumer, copy, settings))
    return decideForeign(consumer, copy, belonging.owner, settings);
  const adopting = belonging.kind === 'foreign' || isOfFormer(copy, consumer, settings);
  // Deleted on the provider, by a person or the garbage collector. A finalizer may keep it for long, and until then its
  // status counts.
  if (copy.metadata.deletionTimestamp !== undefined) {
    return {
      ...waitForCopyToGo(observed, copy, settings, 'It is made anew, from this object, once it is gone.'),
      actions: adopting ? [] : statusActions(observed, consumer, copy),
    };
  }

  const content = decideContent(observed, copy, belonging, adopting, consumer, settings);
  // An adopted copy gets its new owner first and gives its status afterwards.
  const downward = adopting ? [] : downwardActions(observed, consumer, copy, settings);
  const actions = [
    ...finalizerActions(observed, consumer, settings.dialect),
    ...sharing(
      observed,
      content.actions.some(({ type }) => type === 'patchCopy'),
    ),
    ...content.actions,
    ...downward,
  ];
  return {
    ...content,
    actions,
    verdict: actions.some((action) => action.type !== 'recordCopy') ? progressing('write') : content.verdict,
  };
}

/**
 * Shares the APIServiceNamespace. With its last owner it goes, and on some providers the copies with it. One made by
 * another konnector is written only beside a copy.
 */
function sharing({ namespaceUnshared, consumerKey: { namespace } }: Observed, writes: boolean): readonly Action[] {
  return namespace !== undefined && (namespaceUnshared === 'ours' || (namespaceUnshared === 'foreign' && writes))
    ? [{ type: 'shareNamespace', consumerNamespace: namespace }]
    : [];
}

/**
 * Creates the namespace. Under isolation Identity no other component creates the namespace of a copy (`spec/kbind-v2.md
 * §17.5`).
 */
function provisioning({ namespaceMissing, consumerKey: { namespace } }: Observed): readonly Action[] {
  return namespaceMissing === true && namespace !== undefined
    ? [{ type: 'requestNamespace', consumerNamespace: namespace }]
    : [];
}

/** Never adopts an object with marks of any consumer, however incomplete. */
function mayAdopt(copy: UnstructuredObject, { policy: { conflicts } = defaultPolicy, dialect }: PairSettings): boolean {
  return conflicts === 'Adopt' && isUnowned(copy, dialect);
}

/** What the consumer gets from its copy: the status and, as background work, the place of the copy. */
function downwardActions(
  observed: Observed,
  consumer: UnstructuredObject,
  copy: UnstructuredObject,
  settings: PairSettings,
): Action[] {
  const actions = [...statusActions(observed, consumer, copy), ...conflictMark(consumer, settings, undefined)];
  const { copyAt } = settings.dialect.marks;
  if (copyAt === undefined) return actions;
  const annotations = { [copyAt.namespace]: copy.metadata.namespace ?? '', [copyAt.uid]: copy.metadata.uid ?? '' };
  const known = consumer.metadata.annotations ?? {};
  if (known[copyAt.namespace] !== annotations[copyAt.namespace] || known[copyAt.uid] !== annotations[copyAt.uid]) {
    actions.push({ type: 'recordCopy', consumer, annotations });
  }
  return actions;
}

function statusActions(observed: Observed, consumer: UnstructuredObject, copy: UnstructuredObject): Action[] {
  const version = `${copy.metadata.uid ?? ''}/${copy.metadata.resourceVersion ?? ''}`;
  return equal(consumer['status'], copy['status']) || observed.memory.statusRefused === version
    ? []
    : [{ type: 'writeStatus', consumer, copy }];
}

function strings(object: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, value as string]));
}
