import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import { type Dialect, kubeBindDialect } from '@hawser/kube-bind';

import { CONSUMER_CLUSTER } from './marks.js';
import type { PairSettings } from './observed.js';

/** Whether the copy belongs to this consumer and stands for this very consumer object (`spec/konnector.md §9.3`). */
export function isOurs(copy: UnstructuredObject, consumerKey: ObjectKey, { dialect = kubeBindDialect, clusterNamespace }: PairSettings): boolean {
  return dialect.marks.isOfConsumer(copy, { clusterNamespace, consumerNamespace: consumerKey.namespace ?? '' });
}

/** Whether the copy was made for another object of that name. */
export function isOfFormer(copy: UnstructuredObject, consumer: UnstructuredObject, { dialect = kubeBindDialect }: PairSettings): boolean {
  const uid = copy.metadata.annotations?.[dialect.marks.consumerUID];
  return uid !== consumer.metadata.uid && !(uid === undefined && dialect.marks.uidIsOptional);
}

/** Whether nobody claims the object: no mark of any consumer, however incomplete, and no controller that made it. */
export function isUnowned({ metadata }: UnstructuredObject, { marks }: Dialect = kubeBindDialect): boolean {
  const annotations = metadata.annotations ?? {};
  return marks.ofAnybody.every((mark) => !Object.hasOwn(annotations, mark)) && metadata.ownerReferences?.some(({ controller }) => controller === true) !== true;
}

/** What makes a copy the one of `consumer`. */
export function ownershipMarks(consumer: UnstructuredObject, { dialect = kubeBindDialect, clusterNamespace, consumerCluster }: PairSettings): Record<string, string> {
  const { namespace = '', uid = '' } = consumer.metadata;
  return { ...dialect.marks.ofCopy({ clusterNamespace, consumerNamespace: namespace, consumerUID: uid }), [CONSUMER_CLUSTER]: consumerCluster };
}
