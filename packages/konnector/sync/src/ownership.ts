import type { ObjectKey, UnstructuredObject } from '@hawser/client';

import { CLUSTER_NAMESPACE, CONSUMER_CLUSTER, CONSUMER_NAMESPACE, CONSUMER_UID } from './marks.js';
import type { PairSettings } from './observed.js';

/** Whether the copy belongs to this consumer and stands for this very consumer object (`spec/konnector.md §9.3`). */
export function isOurs(copy: UnstructuredObject, consumerKey: ObjectKey, settings: PairSettings): boolean {
  const annotations = copy.metadata.annotations ?? {};
  return annotations[CLUSTER_NAMESPACE] === settings.clusterNamespace && annotations[CONSUMER_NAMESPACE] === (consumerKey.namespace ?? '');
}

/** Whether nobody claims the object: no mark of any consumer, however incomplete, and no controller that made it. */
export function isUnowned({ metadata }: UnstructuredObject): boolean {
  const annotations = metadata.annotations ?? {};
  return [CLUSTER_NAMESPACE, CONSUMER_NAMESPACE, CONSUMER_UID, CONSUMER_CLUSTER].every((mark) => !Object.hasOwn(annotations, mark)) && metadata.ownerReferences?.some(({ controller }) => controller === true) !== true;
}

/** What makes a copy the one of `consumer`. */
export function ownershipMarks(consumer: UnstructuredObject, settings: PairSettings): Record<string, string> {
  return {
    [CLUSTER_NAMESPACE]: settings.clusterNamespace,
    [CONSUMER_NAMESPACE]: consumer.metadata.namespace ?? '',
    [CONSUMER_UID]: consumer.metadata.uid ?? '',
    [CONSUMER_CLUSTER]: settings.consumerCluster,
  };
}
