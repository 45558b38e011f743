import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import { type JsonObject, equal } from '@hawser/json';

import type { Action, Decision, Verdict } from './decision.js';
import { type Difference, differenceOf } from './difference.js';
import {
  CLUSTER_NAMESPACE, CONSUMER_CLUSTER, CONSUMER_NAMESPACE, CONSUMER_UID, PROVIDER_NAMESPACE, PROVIDER_UID, RELEASE, REWRITTEN_HASH,
  SYNCER_FINALIZER, WANTED_HASH,
} from './marks.js';
import { type Observed, type PairSettings, clusterNamespaceOwner } from './observed.js';
import { type Wanted, actualOf, wantedHash, wantedOf } from './wanted.js';

/**
 * What to do about one pair. Pure: the same snapshot gives the same decision, so a preview is this very function.
 *
 * - Nothing on the provider is deleted unless the consumer object was read with a deletionTimestamp, the user's wish is proven, and the copy is ours.
 * - A copy that is not ours is neither written nor deleted.
 * - A pair in step gives no action.
 */
export function decide(observed: Observed, settings: PairSettings): Decision {
  const { consumer, placement, copy } = observed;
  if (consumer === undefined) {
    if (copy === undefined || copy.metadata.uid === observed.memory.copyGone || !isOurs(copy, observed.consumerKey, settings)) {
      return { actions: [], verdict: { kind: 'absent' } };
    }
    return {
      actions: [],
      verdict: {
        kind: 'orphan',
        message: `The provider still holds ${describe(copy)} although the consumer object is gone. It is kept; recreate the consumer object to use it again, or delete it on the provider.`,
      },
    };
  }
  if (consumer.metadata.deletionTimestamp !== undefined) return decideDeletion(observed, consumer, settings);
  switch (placement.kind) {
    case 'impossible':
      return held(placement.reason, placement.message, 'consumer');
    case 'unassigned':
      return { actions: [{ type: 'requestNamespace', consumerNamespace: placement.consumerNamespace }], verdict: progressing('namespace') };
    case 'placed':
      if (!observed.copyCacheReady) return waiting('cache');
      return copy === undefined || copy.metadata.uid === observed.memory.copyGone
        ? decideCreation(consumer, placement.key, settings)
        : decideUpdate(observed, consumer, copy, settings);
  }
}

/** Whether the copy belongs to this consumer and stands for this very consumer object (`spec/konnector.md §9.3`). */
export function isOurs(copy: UnstructuredObject, consumerKey: ObjectKey, settings: PairSettings): boolean {
  const annotations = copy.metadata.annotations ?? {};
  return annotations[CLUSTER_NAMESPACE] === settings.clusterNamespace && annotations[CONSUMER_NAMESPACE] === (consumerKey.namespace ?? '');
}

function decideCreation(consumer: UnstructuredObject, key: ObjectKey, settings: PairSettings): Decision {
  const wanted = wantedOf(consumer);
  const hash = wantedHash(wanted);
  const owner = clusterNamespaceOwner(settings);
  const object: UnstructuredObject = {
    ...wanted.fields,
    apiVersion: consumer.apiVersion,
    kind: consumer.kind,
    metadata: {
      name: key.name,
      ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
      ...(Object.keys(wanted.labels).length === 0 ? {} : { labels: strings(wanted.labels) }),
      annotations: { ...strings(wanted.annotations), ...ownershipMarks(consumer, settings), [WANTED_HASH]: hash },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
  };
  return {
    actions: [...finalizerActions(consumer), { type: 'createCopy', object, wantedHash: hash }],
    verdict: progressing('write'),
  };
}

function decideUpdate(observed: Observed, consumer: UnstructuredObject, copy: UnstructuredObject, settings: PairSettings): Decision {
  if (!isOurs(copy, observed.consumerKey, settings)) {
    const owner = copy.metadata.annotations?.[CLUSTER_NAMESPACE];
    return held(
      'ForeignCopy',
      `On the provider, ${describe(copy)} already exists and belongs to ${owner === undefined ? 'somebody else' : `the consumer "${owner}"`}; it is left alone. Rename this object, or have the provider's owner remove that one.`,
      'consumer',
    );
  }
  if (copy.metadata.deletionTimestamp !== undefined) return waiting('copyToGo');

  const wanted = wantedOf(consumer);
  const adopting = copy.metadata.annotations?.[CONSUMER_UID] !== consumer.metadata.uid;
  const content = contentActions(observed, wanted, copy, adopting, consumer, settings);
  // An adopted copy gets its new owner first and gives its status afterwards.
  const downward = adopting ? [] : downwardActions(observed, consumer, copy);
  const actions = [...finalizerActions(consumer), ...content.actions, ...downward];
  return { actions, verdict: actions.some((action) => action.type !== 'recordCopy') ? progressing('write') : content.verdict, requeueAfterMs: content.requeueAfterMs };
}

/** Brings the copy's content to what is wanted, without touching what the provider added. */
function contentActions(observed: Observed, wanted: Wanted, copy: UnstructuredObject, adopting: boolean, consumer: UnstructuredObject, settings: PairSettings): Decision {
  const difference = contentDifference(wanted, copy);
  const marks = copy.metadata.annotations ?? {};
  if (difference.wrong.length === 0 && difference.extra.length === 0 && !adopting) return { actions: [], verdict: { kind: 'inStep' } };

  const hash = wantedHash(wanted);
  const { memory } = observed;
  let leftover: Difference['extra'] = [];
  if (difference.extra.length > 0 && marks[WANTED_HASH] !== hash) {
    const extrasKey = difference.extra.map((path) => path.join('\u0000')).join('\u0001');
    const inspection = memory.inspection;
    if (inspection?.wantedHash !== hash || inspection.extrasKey !== extrasKey) {
      const { name, namespace } = copy.metadata;
      return { actions: [{ type: 'inspectCopy', key: { name, namespace }, wantedHash: hash, extras: difference.extra, extrasKey, onlyReason: difference.wrong.length === 0 && !adopting }], verdict: progressing('write') };
    }
    leftover = inspection.leftover;
  }
  if (difference.wrong.length === 0 && leftover.length === 0 && !adopting) return { actions: [], verdict: { kind: 'inStep' } };

  if (!adopting && marks[REWRITTEN_HASH] === hash) return { actions: [], verdict: rewritten(difference) };
  const repeated = memory.lastWrite?.wantedHash === hash;
  if (!adopting && memory.lastWrite?.wantedHash === hash && memory.lastWrite.resourceVersion === copy.metadata.resourceVersion) {
    return { actions: [{ type: 'recordRewritten', copy, wantedHash: hash }], verdict: rewritten(difference) };
  }
  if (memory.correctNotBefore !== undefined && marks[WANTED_HASH] === hash && observed.now < memory.correctNotBefore) {
    return {
      actions: [],
      verdict: {
        kind: 'held',
        reason: 'Drifting',
        message: `Somebody on the provider keeps changing ${pathsInWords(difference.wrong)}; it is put back less and less often. Find out who writes to the copy (its managedFields tell), and agree on one owner.`,
        actor: 'provider',
      },
      requeueAfterMs: memory.correctNotBefore - observed.now,
    };
  }
  const annotations: Record<string, string> = {
    ...(adopting ? ownershipMarks(consumer, settings) : {}),
    ...(marks[CONSUMER_CLUSTER] === settings.consumerCluster ? {} : { [CONSUMER_CLUSTER]: settings.consumerCluster }),
    [WANTED_HASH]: hash,
  };
  return { actions: [{ type: 'patchCopy', copy, wanted, wantedHash: hash, remove: leftover, annotations, correction: repeated || marks[WANTED_HASH] === hash }], verdict: progressing('write') };
}

function contentDifference(wanted: Wanted, copy: UnstructuredObject): Difference {
  const actual = actualOf(copy);
  const labels = differenceOf(wanted.labels, actual.labels);
  const annotations = differenceOf(wanted.annotations, actual.annotations);
  const fields = differenceOf(wanted.fields, actual.fields);
  const under = (key: string) => (path: readonly string[]): readonly string[] => ['metadata', key, ...path];
  return {
    wrong: [...labels.wrong.map(under('labels')), ...annotations.wrong.map(under('annotations')), ...fields.wrong],
    extra: [...labels.extra.map(under('labels')), ...annotations.extra.map(under('annotations')), ...fields.extra],
  };
}

/** What the consumer learns from its copy: the status, and, when nobody waits, where the copy is. */
function downwardActions(observed: Observed, consumer: UnstructuredObject, copy: UnstructuredObject): Action[] {
  const actions: Action[] = [];
  const version = `${copy.metadata.uid ?? ''}/${copy.metadata.resourceVersion ?? ''}`;
  if (!equal(consumer['status'], copy['status']) && observed.memory.statusRefused !== version) {
    actions.push({ type: 'writeStatus', consumer, copy });
  }
  const annotations = { [PROVIDER_NAMESPACE]: copy.metadata.namespace ?? '', [PROVIDER_UID]: copy.metadata.uid ?? '' };
  const known = consumer.metadata.annotations ?? {};
  if (known[PROVIDER_NAMESPACE] !== annotations[PROVIDER_NAMESPACE] || known[PROVIDER_UID] !== annotations[PROVIDER_UID]) {
    actions.push({ type: 'recordCopy', consumer, annotations });
  }
  return actions;
}

/** The order here is the promise: what a deletion on the consumer may and may not cause on the provider. */
function decideDeletion(observed: Observed, consumer: UnstructuredObject, settings: PairSettings): Decision {
  if (!hasFinalizer(consumer)) return waiting('copyToGo');
  const release = (): Decision => ({ actions: [{ type: 'removeFinalizer', consumer }], verdict: progressing('write') });
  const reason = consumer.metadata.annotations?.[RELEASE];
  if (reason !== undefined && reason !== '') return release();

  const proof = observed.deletionProof;
  if (proof === undefined) return { actions: [{ type: 'proveDeletion' }], verdict: progressing('deletionProof') };
  switch (proof.kind) {
    case 'unbinding':
    case 'crdForeign':
      return release();
    case 'crdTerminating':
      return held(
        'CustomResourceDefinitionTerminating',
        `The CustomResourceDefinition is being deleted, which deletes this object; that is not passed on to the provider. Delete the APIServiceBinding to let go of its objects, or annotate this one with "${RELEASE}: <reason>".`,
        'consumer',
      );
    case 'byUser':
      return decideUserDeletion(observed, consumer, settings, release);
  }
}

function decideUserDeletion(observed: Observed, consumer: UnstructuredObject, settings: PairSettings, release: () => Decision): Decision {
  const { placement, copy, memory } = observed;
  const gone = memory.copyGone;
  if (placement.kind === 'impossible') return release();
  const key = placement.kind === 'placed' ? placement.key : lastKnownKey(consumer, settings);
  if (key === undefined) {
    return held(
      'CopyUnknown',
      `The provider no longer says which namespace stands for "${consumer.metadata.namespace ?? ''}", so it cannot be shown that the copy is gone. Have the provider restore its APIServiceNamespace, or annotate this object with "${RELEASE}: <reason>".`,
      'provider',
    );
  }
  if (placement.kind === 'placed' && !observed.copyCacheReady) return waiting('cache');
  if (copy === undefined || copy.metadata.uid === gone) {
    return gone === undefined ? { actions: [{ type: 'confirmGone', key }], verdict: progressing('copyToGo') } : release();
  }
  if (!isOurs(copy, observed.consumerKey, settings)) return release();
  if (copy.metadata.deletionTimestamp !== undefined) return waiting('copyToGo');
  return { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('copyToGo') };
}

/** Where the copy was when the consumer was last told (`spec/konnector.md §9.2`), for when the namespace map has lost it. */
function lastKnownKey(consumer: UnstructuredObject, settings: PairSettings): ObjectKey | undefined {
  const namespace = consumer.metadata.annotations?.[PROVIDER_NAMESPACE];
  if (settings.isolation !== 'ServiceNamespace' || namespace === undefined || namespace === '') return undefined;
  return { namespace, name: consumer.metadata.name };
}

function ownershipMarks(consumer: UnstructuredObject, settings: PairSettings): Record<string, string> {
  return {
    [CLUSTER_NAMESPACE]: settings.clusterNamespace,
    [CONSUMER_NAMESPACE]: consumer.metadata.namespace ?? '',
    [CONSUMER_UID]: consumer.metadata.uid ?? '',
    [CONSUMER_CLUSTER]: settings.consumerCluster,
  };
}

/** Also for a copy that is in step: without the finalizer a deletion on the consumer would leave the copy behind. */
function finalizerActions(consumer: UnstructuredObject): readonly Action[] {
  return hasFinalizer(consumer) ? [] : [{ type: 'addFinalizer', consumer }];
}

export function hasFinalizer(consumer: UnstructuredObject): boolean {
  return consumer.metadata.finalizers?.includes(SYNCER_FINALIZER) ?? false;
}

function strings(object: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, value as string]));
}

function describe(object: UnstructuredObject): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
}

function rewritten(difference: Difference): Verdict {
  return { kind: 'rewritten', message: `The provider stores ${pathsInWords(difference.wrong)} differently from what was asked for. Its answer is accepted.` };
}

function pathsInWords(paths: readonly (readonly string[])[]): string {
  const shown = paths.slice(0, 3).map((path) => path.join('.')).join(', ');
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown;
}

function held(reason: string, message: string, actor: 'consumer' | 'provider' | 'operator' | 'nobody'): Decision {
  return { actions: [], verdict: { kind: 'held', reason, message, actor } };
}

function waiting(waitingFor: 'namespace' | 'cache' | 'copyToGo'): Decision {
  return { actions: [], verdict: progressing(waitingFor) };
}

function progressing(waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor']): Verdict {
  return { kind: 'progressing', waitingFor };
}
