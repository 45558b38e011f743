import {
  type Condition,
  type LastError,
  type NewCondition,
  type Phase,
  type PublishedResource,
  type PublishedResourceStatus,
  getCondition,
  setCondition,
} from '@hawser/syncagent-api';
import { publicationConditions, summed } from './condition-types.js';

/**
 * `status` with the values derived from its conditions: Ready, phase and last error. Depends only on the status, so
 * controllers that write different conditions never disagree.
 */
export function withSummary(
  status: PublishedResourceStatus,
  { metadata }: PublishedResource,
  nowMs: number,
): PublishedResourceStatus {
  const failed = summed
    .map((type) => getCondition(status.conditions, type))
    .find((condition) => condition?.status === 'False');
  const conditions = setCondition(status.conditions, ready(status, failed), nowMs);
  const lastError: LastError | undefined =
    failed === undefined
      ? undefined
      : { reason: failed.reason, message: failed.message, time: failed.lastTransitionTime };
  return {
    ...status,
    conditions,
    phase: metadata.deletionTimestamp === undefined ? phaseOf(status, failed) : 'Draining',
    lastError,
  };
}

function ready(status: PublishedResourceStatus, failed: Condition | undefined): NewCondition {
  const { observedGeneration } = status;
  if (failed !== undefined)
    return {
      type: publicationConditions.ready,
      status: 'False',
      reason: failed.reason,
      message: failed.message,
      observedGeneration,
    };
  return isPublished(status)
    ? { type: publicationConditions.ready, status: 'True', reason: 'Published', message: '', observedGeneration }
    : {
        type: publicationConditions.ready,
        status: 'False',
        reason: 'Pending',
        message: 'The schema is on its way into the APIExport.',
        observedGeneration,
      };
}

function phaseOf(status: PublishedResourceStatus, failed: Condition | undefined): Phase {
  // Out-of-step objects are counted; the publication itself works.
  if (failed !== undefined && failed.type !== publicationConditions.objectsInSync) return 'Failed';
  if (!isPublished(status)) return 'Pending';
  if (getCondition(status.conditions, publicationConditions.schemaUpdateHeld)?.status === 'True') return 'Held';
  return getCondition(status.conditions, publicationConditions.objectsInSync) === undefined ? 'Published' : 'Syncing';
}

function isPublished({ resourceSchemaName, conditions }: PublishedResourceStatus): boolean {
  return (
    (resourceSchemaName ?? '') !== '' && getCondition(conditions, publicationConditions.exported)?.status === 'True'
  );
}
