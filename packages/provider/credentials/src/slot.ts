import type { Secret } from '@hawser/kube-bind';
import { madeForAnnotation } from './ledger.js';
import type { CredentialMode } from './mode.js';
import type { SlotName } from './slot-name.js';

const legacyType = 'kubernetes.io/service-account-token';
const accountAnnotation = 'kubernetes.io/service-account.name';

/** The kind of token bound to a Secret; undefined: the Secret is foreign. */
export function modeOfSlot(binder: string, { type, metadata }: Secret): CredentialMode | undefined {
  if (type === legacyType) return metadata.annotations?.[accountAnnotation] === binder ? 'Legacy' : undefined;
  return metadata.annotations?.[madeForAnnotation] === undefined ? undefined : 'Rotating';
}

/** Builds a new slot. That of a first legacy credential is as the Go backend makes it. */
export function newSlot(
  binder: string,
  namespace: string,
  name: SlotName,
  mode: CredentialMode,
  madeFor: string,
): Secret {
  const marks = name === binder && madeFor === 'Legacy/' ? {} : { [madeForAnnotation]: madeFor };
  const annotations = mode === 'Legacy' ? { [accountAnnotation]: binder, ...marks } : marks;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, annotations },
    type: mode === 'Legacy' ? legacyType : 'Opaque',
  };
}
