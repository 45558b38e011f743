import { statusPatch } from '@hawser/client';
import {
  type PublishedResource,
  type PublishedResourceStatus,
  type StatusField,
  keptStatus,
} from '@hawser/syncagent-api';
import { withSummary } from './summary.js';

/** Sets what is the caller's in a status, and nothing else. Pure: after a conflict it runs again on the newest status. */
export type StatusChange = (status: PublishedResourceStatus) => PublishedResourceStatus;

/** What a status is made with. */
export interface StatusTerms {
  /** Fields that the installed CRD keeps. Others are left out, since the server would drop them without a word each time. */
  readonly kept: ReadonlySet<StatusField>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status of `object` with a change and with {@link withSummary}, as it is to be written. Pure. */
export function changedStatus(
  status: PublishedResourceStatus,
  object: PublishedResource,
  change: StatusChange,
  { kept, now }: StatusTerms,
): PublishedResourceStatus {
  return { ...status, ...emptied(status, keptStatus(withSummary(change(status), object, now), kept)) };
}

/** Whether a change makes the status of `object` mean something else. Pure: for decisions. */
export function changesStatus(object: PublishedResource, change: StatusChange, terms: StatusTerms): boolean {
  const status = object.status ?? {};
  return statusPatch(status, changedStatus(status, object, change, terms)) !== undefined;
}

/** `next` with undefined for what is no more: a field that is not mentioned would stay. */
function emptied(before: PublishedResourceStatus, next: PublishedResourceStatus): PublishedResourceStatus {
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(next, field));
  return { ...next, ...Object.fromEntries(gone.map((field) => [field, undefined])) };
}
