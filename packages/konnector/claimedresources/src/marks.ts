import type { KubeObject } from '@hawser/client';
import { annotations, hawserAnnotations, hawserPrefix } from '@hawser/kube-bind';
import type { Path } from '@hawser/konnector-sync';

/** Which of the two clusters. */
export type Side = 'consumer' | 'provider';

export const otherSide = (side: Side): Side => (side === 'consumer' ? 'provider' : 'consumer');

export type Texts = Readonly<Record<string, string>>;

/** On a copy: where its original stands, and its uid; the name is ours. By the side that the original is on. */
export const ORIGIN = {
  consumer: {
    namespace: annotations.consumerNamespace,
    name: `${hawserPrefix}consumer-name`,
    uid: annotations.consumerUID,
  },
  provider: {
    namespace: annotations.providerNamespace,
    name: `${hawserPrefix}provider-name`,
    uid: annotations.providerUID,
  },
} as const;

/** On a copy, ours: the uid of the cluster (consumer) or of the cluster namespace (provider) that its original belongs to. By the side that the original is on. */
export const IDENTITY = {
  consumer: hawserAnnotations.consumerIdentity,
  provider: `${hawserPrefix}provider-identity`,
} as const;

/**
 * What an object's marks say that it is. `labelled`: it has the label of a copy, and nothing else of one: any client may have set that.
 */
export type Role = 'original' | 'copy' | 'labelled';

/** Whose an object is that both sides have. */
export type Ownership =
  /** The other one is its copy. */
  | { readonly kind: 'proven'; readonly owner: Side }
  /** In the place of the copy stands an object that is none. */
  | { readonly kind: 'occupied'; readonly owner: Side }
  | { readonly kind: 'undecided' };

/** How the objects of a dialect say which side they belong to. */
export interface Marks {
  /** The side that the object itself names, on whichever side it stands. */
  says(object: KubeObject): Side | undefined;
  /** What an object has to say so. */
  saying(side: Side): { readonly labels: Texts; readonly annotations: Texts };
  /** The same in words. */
  inWords(side: Side): string;
  /** Whether a label or annotation is a mark, which is never copied as it is. */
  isMark(key: string): boolean;
  /** Whether each copy says where its original stands. If not, that is added once something else is written. */
  readonly copiesNameOrigin: boolean;
  roleOf(object: KubeObject, side: Side): Role;
  /** Where, among the metadata of a copy on `side`, the mark stands that makes it one. */
  markOfCopy(side: Side): Path;
  ownershipOf(pair: Readonly<Record<Side, KubeObject>>): Ownership;
}

/** The uid of the original that an object on `side` names, if it names one. */
export function originUid(object: KubeObject, side: Side): string | undefined {
  const uid = object.metadata.annotations?.[ORIGIN[otherSide(side)].uid];
  return uid === '' ? undefined : uid;
}

/** Labels that kcp sets are not carried (`spec/konnector.md §10.2`). */
export const isKcpLabel = (key: string): boolean => key.includes('claimed.internal.apis.kcp.io');

export const isKcpAnnotation = (key: string): boolean => key.includes('kcp.io/cluster');
