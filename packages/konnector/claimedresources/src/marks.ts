import type { KubeObject } from '@hawser/client';
import { annotations, hawserAnnotations, hawserPrefix } from '@hawser/kube-bind';
import type { Path } from '@hawser/konnector-sync';

/** One of the two clusters. */
export type Side = 'consumer' | 'provider';

export const otherSide = (side: Side): Side => (side === 'consumer' ? 'provider' : 'consumer');

export type Texts = Readonly<Record<string, string>>;

/** On a copy: namespace and uid of its original; the name is Hawser's. By the original's side. */
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

/**
 * On a copy, Hawser's: uid of its original's cluster (consumer) or cluster namespace (provider). By the original's
 * side.
 */
export const IDENTITY = {
  consumer: hawserAnnotations.consumerIdentity,
  provider: `${hawserPrefix}provider-identity`,
} as const;

/** Role of an object by its marks. `labelled`: only the label of a copy; any client may have set that. */
export type Role = 'original' | 'copy' | 'labelled';

/** Owner of an object that both sides have. */
export type Ownership =
  /** The other one is its copy. */
  | { readonly kind: 'proven'; readonly owner: Side }
  /** A foreign object stands in the place of the copy. */
  | { readonly kind: 'occupied'; readonly owner: Side }
  | { readonly kind: 'undecided' };

/** How the objects of a dialect mark their owner side. */
export interface Marks {
  /** The side that the object itself names, wherever it stands. */
  markedOwner(object: KubeObject): Side | undefined;
  /** Marks that name that side. */
  ownerMark(side: Side): { readonly labels: Texts; readonly annotations: Texts };
  /** The same in words. */
  inWords(side: Side): string;
  /** Whether a label or annotation is a mark; marks are never copied as they are. */
  isMark(key: string): boolean;
  /** Whether each copy names its original's place. If not, it is added with the next other write. */
  readonly copiesNameOrigin: boolean;
  roleOf(object: KubeObject, side: Side): Role;
  /** Path of the mark, in the metadata on `side`, that makes an object a copy. */
  markOfCopy(side: Side): Path;
  ownershipOf(pair: Readonly<Record<Side, KubeObject>>): Ownership;
}

/** The uid of the original that an object on `side` names, if any. */
export function originUid(object: KubeObject, side: Side): string | undefined {
  const uid = object.metadata.annotations?.[ORIGIN[otherSide(side)].uid];
  return uid === '' ? undefined : uid;
}

/** kcp's own labels are not copied (`spec/konnector.md §10.2`). */
export const isKcpLabel = (key: string): boolean => key.includes('claimed.internal.apis.kcp.io');

export const isKcpAnnotation = (key: string): boolean => key.includes('kcp.io/cluster');
