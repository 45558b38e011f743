import { statusPatch } from '@hawser/client';
import {
  type PublishedResource,
  type PublishedResourceStatus,
  type StatusField,
  keptStatus,
} from '@hawser/syncagent-api';
import { withSummary } from './summary.js';

/** Sets the caller's fields in a status, and no others. Pure: after a conflict it runs again on the newest status. */
export type StatusChange = (status: PublishedResourceStatus) => PublishedResourceStatus;

/** Inputs of a status. */
export interface StatusTerms {
  /** Fields that the installed CRD keeps. Others are omitted: the server would silently drop them each time. */
  readonly kept: ReadonlySet<StatusField>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status of `object` after a change and {@link withSummary}, ready to write. Pure. */
export function changedStatus(
  status: PublishedResourceStatus,
  object: PublishedResource,
  change: StatusChange,
  { kept, now }: StatusTerms,
): PublishedResourceStatus {
  return { ...status, ...emptied(status, keptStatus(withSummary(change(status), object, now), kept)) };
}

/** Whether a change alters the meaning of the status of `object`. Pure: for decisions. */
export function changesStatus(object: PublishedResource, change: StatusChange, terms: StatusTerms): boolean {
  const status = object.status ?? {};
  return statusPatch(status, changedStatus(status, object, change, terms)) !== undefined;
}

/** `next` with undefined for removed fields: an unmentioned field would stay. */
function emptied(before: PublishedResourceStatus, next: PublishedResourceStatus): PublishedResourceStatus {
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(next, field));
  return { ...next, ...Object.fromEntries(gone.map((field) => [field, undefined])) };
}
