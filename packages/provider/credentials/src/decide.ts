import { isTerminating } from '@hawser/client';
import { labels } from '@hawser/klutch';
import {
  type ClusterBinding,
  credentialWord,
  isClusterNamespaceOf,
  type NewCondition,
  parseTime,
  type Secret,
} from '@hawser/kube-bind';
import { overdueCondition, refreshedCondition, revokedCondition, unseenCondition } from './condition.js';
import type { Decision } from './decision.js';
import type { Endpoint } from './endpoint.js';
import { withoutLoss } from './authorities.js';
import { type HandedOut, differences, readKubeconfig, widerAuthorities } from './kubeconfig-text.js';
import { firstLedger, type Ledger, madeForAnnotation, readLedger } from './ledger.js';
import { type CredentialMode, wantedMode } from './mode.js';
import type { Observed, Settings } from './observed.js';
import type { Problem } from './problem.js';
import { modeOfSlot } from './slot.js';
import { isSlotName, otherSlot, type SlotName } from './slot-name.js';

/** Time for the token controller before a report. */
const tokenPatienceMs = 30_000;
/** Interval for checking whether a consumer has been in contact. */
const contactCheckMs = 600_000;

const absent: Decision = { verdict: { kind: 'absent' } };
const progressing: Decision = { verdict: { kind: 'progressing' } };

/**
 * Decides about the credential of one consumer (spec/kube-bind-backend.md §6.1). Pure. `now` is the API server's time,
 * as far as known.
 */
export function decide(settings: Settings, observed: Observed, endpoint: Endpoint, now: number): Decision {
  const { namespace, binding } = observed;
  // Otherwise anyone who can create ClusterBindings could get credentials in a namespace that is not a consumer's.
  if (namespace === undefined || !isClusterNamespaceOf(settings.dialect, namespace)) return absent;
  // Its Secret is no consumer credential, but the access to the app cluster.
  if (binding?.metadata.labels?.[labels.appClusterBindingName] !== undefined) return absent;
  const revoked = credentialWord('revokeCredential', namespace, binding);
  // Also while the consumer's end is blocked: its access must end before that.
  if (revoked !== undefined) return decideRevoked(settings.dialect.names.binder, observed, revoked);
  if (binding === undefined || isTerminating(namespace) || isTerminating(binding)) return absent;
  return decideStanding(settings, { ...observed, binding }, endpoint, now);
}

type Standing = Observed & { readonly binding: ClusterBinding };

function decideRevoked(binder: string, { account, slots }: Observed, reason: string): Decision {
  if (account !== undefined && !isTerminating(account))
    return { action: { type: 'deleteAccount', account }, verdict: { kind: 'progressing' } };
  for (const secret of slots.values()) {
    if (modeOfSlot(binder, secret) !== undefined && !isTerminating(secret))
      return { action: { type: 'deleteSlot', secret, because: 'revoked' }, verdict: { kind: 'progressing' } };
  }
  return { verdict: { kind: 'revoked' }, condition: revokedCondition(reason) };
}

function decideStanding(settings: Settings, observed: Standing, endpoint: Endpoint, now: number): Decision {
  const { namespace: clusterNamespace, binding, account, slots, kubeconfig } = observed;
  const { binder } = settings.dialect.names;
  const namespace = binding.metadata.namespace ?? '';
  const { name, key } = binding.spec.kubeconfigSecretRef;
  const mode = wantedMode(clusterNamespace, binding);
  if (mode === undefined)
    return held({ kind: 'modeUnknown', value: credentialWord('credential', clusterNamespace, binding) ?? '' });
  if (isSlotName(binder, name)) return held({ kind: 'secretNameReserved', name });
  if (kubeconfig !== undefined && isForeign(kubeconfig, key)) return held({ kind: 'secretConflict', name });
  if (account === undefined) return { action: { type: 'createAccount', namespace }, verdict: { kind: 'progressing' } };
  if (isTerminating(account) || (kubeconfig !== undefined && isTerminating(kubeconfig))) return progressing;

  const text = textOf(kubeconfig, key);
  const ledger = kubeconfig === undefined || text === undefined ? undefined : readLedger(binder, kubeconfig);
  const madeFor = wish(observed, mode, ledger);
  const renew = ledger !== undefined && ledger.madeFor !== madeFor;
  const slot =
    ledger === undefined ? freeSlot(binder, slots, mode) : renew ? otherSlot(binder, ledger.slot) : ledger.slot;
  const anchor = slots.get(slot);

  if (
    renew &&
    anchor !== undefined &&
    modeOfSlot(binder, anchor) !== undefined &&
    anchor.metadata.annotations?.[madeForAnnotation] !== madeFor
  ) {
    // The last replacement is not complete: the consumer may still have only the credential before it.
    return retire(settings, binding, ledger, anchor, now) ?? progressing;
  }
  if (anchor === undefined)
    return { action: { type: 'createSlot', account, slot, mode, madeFor }, verdict: { kind: 'progressing' } };
  if (isTerminating(anchor)) return progressing;
  if (modeOfSlot(binder, anchor) !== mode) return held({ kind: 'secretConflict', name: slot });

  const issuance: Issuance = {
    settings,
    observed,
    endpoint,
    now,
    account,
    anchor,
    ledger,
    renew,
    next: { slot, madeFor },
    found: kubeconfig === undefined || text === undefined ? undefined : handedOut(kubeconfig, text),
    old: slots.get(otherSlot(binder, slot)),
  };
  switch (mode) {
    case 'Legacy':
      return decideLegacy(issuance);
    case 'Rotating':
      return decideRotating(issuance);
  }
}

/** Inputs for handing out a credential, and what was handed out. */
interface Issuance {
  readonly settings: Settings;
  readonly observed: Standing;
  readonly endpoint: Endpoint;
  readonly now: number;
  readonly account: NonNullable<Standing['account']>;
  /** The Secret of the slot. */
  readonly anchor: Secret;
  /** Of the handed-out credential. */
  readonly ledger: Ledger | undefined;
  /** Replace the credential. */
  readonly renew: boolean;
  readonly next: Ledger;
  readonly found: HandedOut | undefined;
  /** The Secret of the other slot. */
  readonly old: Secret | undefined;
}

function decideLegacy(issuance: Issuance): Decision {
  const { settings, observed, endpoint, now, anchor, ledger, renew, next, found, old } = issuance;
  const { binding, kubeconfig: secret } = observed;
  const token = decoded(anchor.data?.['token']);
  if (token === undefined) return tokenPending(anchor, now);
  if (ledger === undefined || renew || found?.token !== token) {
    const isFirst = !renew && old === undefined && next.slot === firstLedger(settings.dialect.names.binder).slot;
    return {
      action: {
        type: 'writeToken',
        binding,
        secret,
        token,
        from: anchor,
        ledger: isFirst ? next : { ...next, issued: now },
      },
      verdict: { kind: 'progressing' },
    };
  }
  return (
    widened(issuance) ?? {
      verdict: { kind: 'valid', outdated: differences(found, endpoint) },
      condition: 'none',
      ...(old === undefined ? {} : retire(settings, binding, ledger, old, now)),
    }
  );
}

function decideRotating(issuance: Issuance): Decision {
  const { settings, observed, endpoint, now, account, anchor, ledger, renew, next, found, old } = issuance;
  const { binding, kubeconfig: secret } = observed;
  const { uid = '' } = anchor.metadata;
  const { uid: accountUid } = account.metadata;
  const issue = (previousExpires?: number): Decision => ({
    action: {
      type: 'issueToken',
      binding,
      secret,
      slot: anchor,
      caData: previousExpires === undefined ? undefined : withoutLoss(found?.caData, endpoint.caData),
      ledger: { ...next, slotUid: uid, accountUid, previousExpires },
    },
    verdict: { kind: 'progressing' },
  });
  if (
    renew ||
    ledger?.issued === undefined ||
    ledger.expires === undefined ||
    ledger.slotUid !== uid ||
    // A record from before ServiceAccounts were recorded counts for the present one.
    (ledger.accountUid !== undefined && ledger.accountUid !== accountUid) ||
    found?.token === undefined
  )
    return issue();
  const { issued, expires } = ledger;
  const refreshAt = refreshTime(issued, expires, uid);
  if (now >= refreshAt) {
    const isOverdue = now >= expires - (expires - issued) / 4;
    return { ...issue(expires), ...(isOverdue ? { condition: overdueCondition(expires) } : {}) };
  }
  const wider = widened(issuance);
  if (wider !== undefined) return wider;
  const kept = old === undefined ? undefined : retire(settings, binding, ledger, old, now);
  return {
    verdict: { kind: 'valid', outdated: differences(found, endpoint) },
    condition: lostSoon(binding, ledger, now) ?? refreshedCondition,
    ...kept,
    at: Math.min(kept?.at ?? Infinity, refreshAt, ledger.previousExpires === undefined ? Infinity : nextLook(now)),
  };
}

/**
 * During the replacement of an authority, hands out both: a consumer with both keeps its access when the old one goes.
 * Undefined: there is nothing to add.
 */
function widened({ observed, endpoint, ledger, found }: Issuance): Decision | undefined {
  const caData = found === undefined ? undefined : widerAuthorities(found, endpoint);
  if (ledger === undefined || found?.token === undefined || caData === undefined) return undefined;
  const { binding, kubeconfig: secret } = observed;
  return {
    action: { type: 'writeToken', binding, secret, token: found.token, caData, ledger },
    verdict: { kind: 'progressing' },
  };
}

/**
 * Removes a replaced credential once its time is up and the consumer was in contact long enough after the new one was
 * available. Undefined: there is nothing to report about it.
 */
function retire(
  settings: Settings,
  binding: ClusterBinding,
  ledger: Ledger,
  old: Secret,
  now: number,
): (Pick<Decision, 'action' | 'condition' | 'at'> & { readonly verdict: Decision['verdict'] }) | undefined {
  if (modeOfSlot(settings.dialect.names.binder, old) === undefined || isTerminating(old) || ledger.issued === undefined)
    return undefined;
  const due = ledger.issued + settings.overlapMs;
  const verdict = { kind: 'valid', outdated: [] } as const;
  if (now < due) return { verdict, at: due };
  const contact = parseTime(binding.status?.lastHeartbeatTime);
  if (contact === undefined || contact < ledger.issued + settings.overlapMs / 2)
    return { verdict, condition: unseenCondition(ledger.issued, undefined), at: nextLook(now) };
  const { name: kubeconfig } = binding.spec.kubeconfigSecretRef;
  return {
    action: { type: 'deleteSlot', secret: old, because: 'replaced', kubeconfig },
    verdict: { kind: 'progressing' },
  };
}

/** Detects a consumer that was absent while its token was refreshed: it has the token before, and that expires. */
function lostSoon(
  binding: ClusterBinding,
  { issued, expires, previousExpires }: Ledger,
  now: number,
): NewCondition | undefined {
  if (issued === undefined || expires === undefined || previousExpires === undefined) return undefined;
  const contact = parseTime(binding.status?.lastHeartbeatTime);
  if (contact !== undefined && contact >= issued) return undefined;
  return now >= previousExpires - (expires - issued) / 4 ? unseenCondition(issued, previousExpires) : undefined;
}

/** Refresh time: at half the life, up to a tenth of it earlier. Spreads consumers that were onboarded together. */
function refreshTime(issued: number, expires: number, uid: string): number {
  const share = Number.parseInt(uid.replaceAll('-', '').slice(0, 6), 16) / 0x1000000;
  return issued + (expires - issued) * (0.5 - 0.05 * (Number.isNaN(share) ? 0 : share));
}

/**
 * The wish that the credential must be made for. A one-time replacement stays recorded when its annotation is removed.
 */
function wish({ namespace, binding }: Standing, mode: CredentialMode, ledger: Ledger | undefined): string {
  const asked = credentialWord('replaceCredential', namespace, binding);
  return `${mode}/${asked ?? ledger?.madeFor.slice(ledger.madeFor.indexOf('/') + 1) ?? ''}`;
}

/**
 * The slot to use without a kubeconfig: the contract's, unless it holds a token of the other kind, which a consumer may
 * still use.
 */
function freeSlot(binder: string, slots: ReadonlyMap<SlotName, Secret>, mode: CredentialMode): SlotName {
  const { slot } = firstLedger(binder);
  const first = slots.get(slot);
  const found = first === undefined ? undefined : modeOfSlot(binder, first);
  return found === undefined || found === mode ? slot : otherSlot(binder, slot);
}

function tokenPending(anchor: Secret, now: number): Decision {
  const patience = (parseTime(anchor.metadata.creationTimestamp) ?? now) + tokenPatienceMs;
  return now < patience
    ? { ...progressing, at: patience }
    : held({ kind: 'tokenNotIssued', name: anchor.metadata.name });
}

function nextLook(now: number): number {
  return now + contactCheckMs;
}

/** Reads the kubeconfig of a Secret, once per version: heartbeats of a consumer cause many looks. */
function handedOut(secret: Secret, text: string): HandedOut | undefined {
  const known = read.get(secret);
  if (known?.text === text) return known.found;
  const found = readKubeconfig(text);
  read.set(secret, { text, found });
  return found;
}

const read = new WeakMap<Secret, { readonly text: string; readonly found: HandedOut | undefined }>();

/** Whether a Secret has content, but none of ours. */
function isForeign({ data = {} }: Secret, key: string): boolean {
  return Object.keys(data).length > 0 && !Object.hasOwn(data, key);
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  return secret?.data !== undefined && Object.hasOwn(secret.data, key) ? decoded(secret.data[key]) : undefined;
}

function decoded(base64: string | undefined): string | undefined {
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64').toString('utf8');
}

function held(problem: Problem): Decision {
  return { verdict: { kind: 'held', problem } };
}
