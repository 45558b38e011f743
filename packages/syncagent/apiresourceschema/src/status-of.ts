import { publicationConditions } from '@hawser/publication';
import { type NewCondition, type PublishedResourceStatus, removeCondition, setCondition } from '@hawser/syncagent-api';
import type { Decision } from './decide.js';

type Instant = Parameters<typeof setCondition>[2];

/** The status of a PublishedResource of which nothing new is published. Pure. */
export function failedStatus(
  status: PublishedResourceStatus,
  reason: string,
  message: string,
  now: Instant,
): PublishedResourceStatus {
  return {
    ...status,
    conditions: setCondition(
      status.conditions,
      { type: publicationConditions.schemaPublished, status: 'False', reason, message },
      now,
    ),
  };
}

/** The status with what was decided about the wanted schema in it. Pure. */
export function concludedStatus(
  status: PublishedResourceStatus,
  decision: Decision,
  wanted: string,
  now: Instant,
): PublishedResourceStatus {
  const published: NewCondition = {
    type: publicationConditions.schemaPublished,
    status: 'True',
    reason: 'Published',
    message: '',
  };
  switch (decision.kind) {
    case 'refuse':
      return failedStatus(status, decision.reason, decision.message, now);
    case 'hold': {
      const held: NewCondition = {
        type: publicationConditions.schemaUpdateHeld,
        status: 'True',
        reason: decision.reason,
        message: decision.message,
      };
      return { ...status, conditions: setCondition(setCondition(status.conditions, published, now), held, now) };
    }
    case 'publish': {
      const conditions = setCondition(
        removeCondition(status.conditions, publicationConditions.schemaUpdateHeld),
        published,
        now,
      );
      return { ...status, resourceSchemaName: wanted, conditions };
    }
  }
}
