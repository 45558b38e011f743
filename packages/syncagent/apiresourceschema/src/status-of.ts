import { type StatusChange, publicationConditions } from '@hawser/publication';
import {
  type NewCondition,
  type PublishedResource,
  type PublishedResourceStatus,
  removeCondition,
  setCondition,
} from '@hawser/syncagent-api';
import type { FailureReason } from './decide-publication.js';
import type { Decision } from './decide.js';

type Instant = Parameters<typeof setCondition>[2];

/** The result to write into a status. */
export type Verdict =
  /** Nothing new is published. */
  | { readonly kind: 'fail'; readonly reason: FailureReason; readonly message: string }
  | (Decision & { readonly schemaName: string });

/** Writes the result into the status of `object`. Pure. */
export function statusChange(
  { metadata: { generation: observedGeneration } }: PublishedResource,
  verdict: Verdict,
  now: Instant,
): StatusChange {
  return (status) => ({ ...concludedStatus(status, verdict, now), observedGeneration });
}

function concludedStatus(status: PublishedResourceStatus, verdict: Verdict, now: Instant): PublishedResourceStatus {
  const { schemaPublished: type, schemaUpdateHeld } = publicationConditions;
  const published: NewCondition = { type, status: 'True', reason: 'Published', message: '' };
  switch (verdict.kind) {
    case 'fail':
    case 'refuse': {
      const { reason, message } = verdict;
      return {
        ...status,
        conditions: setCondition(status.conditions, { type, status: 'False', reason, message }, now),
      };
    }
    case 'hold': {
      const { reason, message } = verdict;
      const held: NewCondition = { type: schemaUpdateHeld, status: 'True', reason, message };
      return { ...status, conditions: setCondition(setCondition(status.conditions, published, now), held, now) };
    }
    case 'publish': {
      const conditions = setCondition(removeCondition(status.conditions, schemaUpdateHeld), published, now);
      return { ...status, resourceSchemaName: verdict.schemaName, conditions };
    }
  }
}
