import { type Secret, formatTime, hawserAnnotations, parseTime } from '@hawser/kube-bind';
import { type SlotName, isSlotName } from './slot-name.js';

/**
 * On a slot, and on the kubeconfig Secret: the wish that it was made for, `<mode>/<value of the replacement
 * annotation>`.
 */
export const madeForAnnotation = 'hawser.dev/credential-made-for';
const slotAnnotation = 'hawser.dev/credential-slot';
const slotUidAnnotation = 'hawser.dev/credential-slot-uid';
const accountUidAnnotation = 'hawser.dev/credential-account-uid';
const issuedAnnotation = 'hawser.dev/credential-issued';
/** When the token in a kubeconfig Secret expires. */
const { credentialExpires: expiresAnnotation } = hawserAnnotations;
const previousAnnotation = 'hawser.dev/credential-previous-expires';

/**
 * Record about the token in a kubeconfig Secret. Kept in annotations, which a consumer cannot write and a konnector
 * does not copy. A Secret of the Go backend has none: its token is a legacy one from the first slot.
 */
export interface Ledger {
  readonly slot: SlotName;
  readonly madeFor: string;
  /** uid of the slot, if the token is bound to it. */
  readonly slotUid?: string | undefined;
  /** uid of the ServiceAccount, if the token expires: it also ends with the account. */
  readonly accountUid?: string | undefined;
  /** Milliseconds since the epoch by the clock of the API server, like all times here. */
  readonly issued?: number | undefined;
  readonly expires?: number | undefined;
  /** Expiry of the token before this one, which an absent consumer may still have. */
  readonly previousExpires?: number | undefined;
}

export function firstLedger(binder: string): Ledger {
  return { slot: binder, madeFor: 'Legacy/' };
}

export function readLedger(binder: string, secret: Secret): Ledger {
  const found = secret.metadata.annotations ?? {};
  const first = firstLedger(binder);
  const noted = found[slotAnnotation];
  return {
    slot: noted !== undefined && isSlotName(binder, noted) ? noted : first.slot,
    madeFor: found[madeForAnnotation] ?? first.madeFor,
    slotUid: found[slotUidAnnotation],
    accountUid: found[accountUidAnnotation],
    issued: parseTime(found[issuedAnnotation]),
    expires: parseTime(found[expiresAnnotation]),
    previousExpires: parseTime(found[previousAnnotation]),
  };
}

/** The annotations for a merge patch; null removes one. */
export function ledgerAnnotations(binder: string, ledger: Ledger): Readonly<Record<string, string | null>> {
  const time = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));
  // A credential as the Go backend makes it needs no record.
  const first = firstLedger(binder);
  const isFirst = ledger.slot === first.slot && ledger.madeFor === first.madeFor && ledger.issued === undefined;
  return {
    [slotAnnotation]: isFirst ? null : ledger.slot,
    [madeForAnnotation]: isFirst ? null : ledger.madeFor,
    [slotUidAnnotation]: ledger.slotUid ?? null,
    [accountUidAnnotation]: ledger.accountUid ?? null,
    [issuedAnnotation]: time(ledger.issued),
    [expiresAnnotation]: time(ledger.expires),
    [previousAnnotation]: time(ledger.previousExpires),
  };
}
