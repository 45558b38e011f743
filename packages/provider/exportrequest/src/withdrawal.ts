import type { KubeObject } from '@hawser/client';
import {
  type Conditions,
  conditionTypes,
  hawserAnnotations,
  isConditionTrue,
  type Withdrawal,
} from '@hawser/kube-bind';
import type { RequestPresence, Turn } from './export-decision.js';

/** The changes for the recorded request and the withdrawal of an export; empty: none. */
export interface WithdrawalChange {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly turn?: Turn | undefined;
}

/** An export of any dialect, reduced to the fields in use. */
type ExportObject = KubeObject & { readonly status?: { readonly conditions?: Conditions | undefined } | undefined };

const words: readonly string[] = ['Unbound', 'RequestDeleted'] satisfies readonly Withdrawal[];

/**
 * Decides whether an export must be withdrawn: while its consumer's konnector reports `Unbound`, or while its recorded
 * request is gone. An export without a record, such as one of the Go backend, which deletes requests after ten minutes,
 * is never withdrawn because of a missing request. A mark with another text is a person's, and stays.
 * @param admitted whether the export's content may be granted now: a withdrawn export returns as a new grant would, and
 * not because its consumer says so.
 */
export function withdrawalChange(found: ExportObject, request: RequestPresence, admitted: boolean): WithdrawalChange {
  const marked = found.metadata.annotations?.[hawserAnnotations.withdrawn] ?? '';
  const recorded = found.metadata.annotations?.[hawserAnnotations.request];
  // An answered new request of that name replaces the deleted one.
  const successor =
    recorded !== undefined && request.kind === 'present' && request.answered && request.uid !== recorded
      ? request.uid
      : undefined;
  const record: Readonly<Record<string, string>> =
    successor === undefined ? {} : { [hawserAnnotations.request]: successor };
  const because = withdrawalOf(found, request, recorded, successor !== undefined);
  if (marked !== '' && !words.includes(marked)) return { annotations: record };
  if (because === undefined && marked !== '' && !admitted) return { annotations: {} };
  if (because === undefined)
    return marked === ''
      ? { annotations: record }
      : { annotations: { ...record, [hawserAnnotations.withdrawn]: null }, turn: { kind: 'restored' } };
  return marked === because
    ? { annotations: record }
    : { annotations: { ...record, [hawserAnnotations.withdrawn]: because }, turn: { kind: 'withdrawn', because } };
}

function withdrawalOf(
  found: ExportObject,
  request: RequestPresence,
  recorded: string | undefined,
  succeeded: boolean,
): Withdrawal | undefined {
  if (isConditionTrue(found.status?.conditions, conditionTypes.unbound)) return 'Unbound';
  if (recorded === undefined || request.kind === 'unknown') return undefined;
  if (request.kind === 'present' && (request.uid === recorded || succeeded)) return undefined;
  return 'RequestDeleted';
}
