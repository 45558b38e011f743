import type { Secret } from '@hawser/kube-bind';
import { madeForAnnotation } from './ledger.js';
import type { CredentialMode } from './mode.js';

/**
 * The two Secrets in a cluster namespace that tokens hang on, the first being the contract's. A legacy token is in its Secret; one that expires is bound to it, so that
 * it dies with it. With two of them a new credential can be there before the old one goes.
 */
export const slotNames = ['kube-binder', 'kube-binder-next'] as const;
export type SlotName = (typeof slotNames)[number];

export function isSlotName(name: string): name is SlotName {
  return (slotNames as readonly string[]).includes(name);
}

export function otherSlot(slot: SlotName): SlotName {
  return slot === 'kube-binder' ? 'kube-binder-next' : 'kube-binder';
}

const legacyType = 'kubernetes.io/service-account-token';
const accountAnnotation = 'kubernetes.io/service-account.name';

/** What kind of token hangs on a Secret; undefined if it is somebody else's. */
export function modeOfSlot({ type, metadata }: Secret): CredentialMode | undefined {
  if (type === legacyType) return metadata.annotations?.[accountAnnotation] === 'kube-binder' ? 'Legacy' : undefined;
  return metadata.annotations?.[madeForAnnotation] === undefined ? undefined : 'Rotating';
}

/** A new one. That of a first legacy credential is as the Go backend makes it. */
export function newSlot(namespace: string, name: SlotName, mode: CredentialMode, madeFor: string): Secret {
  const marks = name === 'kube-binder' && madeFor === 'Legacy/' ? {} : { [madeForAnnotation]: madeFor };
  const annotations = mode === 'Legacy' ? { [accountAnnotation]: 'kube-binder', ...marks } : marks;
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, annotations }, type: mode === 'Legacy' ? legacyType : 'Opaque' };
}
