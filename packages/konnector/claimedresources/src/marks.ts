import type { KubeObject } from '@hawser/client';
import { annotations, hawserAnnotations, hawserPrefix, labels } from '@hawser/kube-bind';

/** Which of the two clusters. */
export type Side = 'consumer' | 'provider';

export const otherSide = (side: Side): Side => (side === 'consumer' ? 'provider' : 'consumer');

export const OWNER = labels.owner;

/** On a copy, written by every konnector: where its original stands, and its uid. By the side that the original is on. */
export const ORIGIN = {
  consumer: { namespace: annotations.consumerNamespace, uid: annotations.consumerUID },
  provider: { namespace: annotations.providerNamespace, uid: annotations.providerUID },
} as const;

/** On a copy, ours: the uid of the cluster (consumer) or of the cluster namespace (provider) that its original belongs to. By the side that the original is on. */
export const IDENTITY = { consumer: hawserAnnotations.consumerIdentity, provider: `${hawserPrefix}provider-identity` } as const;

/**
 * What an object's marks say that it is. `labelled`: it has the label of a copy, and nothing else of one: anybody may have set that.
 */
export type Role = 'original' | 'copy' | 'labelled';

/** The role of an object on `side`. A copy that has lost its label is still one. */
export function roleOf(object: KubeObject, side: Side): Role {
  const owner = object.metadata.labels?.[OWNER];
  if (owner === side) return 'original';
  const known = object.metadata.annotations?.[ORIGIN[otherSide(side)].uid];
  if (known !== undefined && known !== '') return 'copy';
  return owner === otherSide(side) ? 'labelled' : 'original';
}

/** Labels that kcp sets are not carried (`spec/konnector.md §10.2`). */
export const isCarriedLabel = (key: string): boolean => key !== OWNER && !key.includes('claimed.internal.apis.kcp.io');

export const isKcpAnnotation = (key: string): boolean => key.includes('kcp.io/cluster');
