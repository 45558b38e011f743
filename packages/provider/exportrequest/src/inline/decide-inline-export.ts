import type { Decision } from '@hawser/controller';
import type { APIServiceExport } from '@hawser/klutch';
import { type Conditions, conditionTypes, isWithdrawn, markTrue } from '@hawser/kube-bind';
import { refusedEvent } from '../act-export.js';
import { restorePacedEvent } from '../restore-pace.js';
import { type WithdrawalChange, withdrawalChange } from '../withdrawal.js';
import { offerProblem } from './decide-inline-request.js';
import type { InlineOffer } from './inline-offers.js';

/** An export of Klutch at one moment. */
export interface InlineExportRound {
  /** Undefined: gone or terminating. */
  readonly export: APIServiceExport | undefined;
  /** Whether a withdrawn export may return. Undefined: not asked, because it must not. */
  readonly offer: InlineOffer | undefined;
  /** Milliseconds until a withdrawn export may return; 0: now. */
  readonly restoreInMs: number;
  /** Milliseconds until the consumer's right to bind is checked again. No event reports a granted right. */
  readonly reviewInMs: number;
  readonly now: number;
}

export type InlineExportAction =
  | { readonly type: 'annotate'; readonly export: APIServiceExport; readonly change: WithdrawalChange }
  | { readonly type: 'markInSync'; readonly export: APIServiceExport };

/** Klutch's requests are not recorded, so a missing request never withdraws an export. */
export const changeOf = (found: APIServiceExport, admitted: boolean): WithdrawalChange =>
  withdrawalChange(found, { kind: 'unknown' }, admitted);

/** The next step for an export, or what it waits for. Pure. */
export function decideInlineExport(observed: InlineExportRound): Decision<InlineExportAction> {
  const { export: found, offer, restoreInMs, reviewInMs, now } = observed;
  if (found === undefined) return { actions: [] };
  const change = changeOf(found, offer?.template !== undefined);
  if (change.turn?.kind === 'restored' && restoreInMs > 0)
    return { actions: [], event: restorePacedEvent, requeueAfterMs: restoreInMs, requeuePriority: 'normal' };
  if (Object.keys(change.annotations).length > 0) return { actions: [{ type: 'annotate', export: found, change }] };
  if (inSync(found.status?.conditions, now) !== found.status?.conditions)
    return { actions: [{ type: 'markInSync', export: found }] };
  // While it is withdrawn, its way back is reported once, however often the consumer changes its mind.
  if (offer === undefined || offer.template !== undefined) return { actions: [], lasts: isWithdrawn(found.metadata) };
  return {
    actions: [],
    event: refusedEvent(offerProblem(found.metadata.name, offer.forbidden, offer.unapproved).message),
    requeueAfterMs: offer.forbidden.length > 0 ? reviewInMs : undefined,
  };
}

/** It carries its schema, so no part can be missing. */
export const inSync = (conditions: Conditions | undefined, now: number): Conditions | undefined =>
  markTrue(conditions, conditionTypes.providerInSync, now);
