import { conditionTypes } from '@hawser/syncagent-api';

/** Types of conditions on a PublishedResource, with those that say more than whether it works. */
export const publicationConditions = {
  ...conditionTypes,
  /** True: a changed schema waits for approval, or is not wanted; the one before is still published. Absent: nothing waits. Says nothing about Ready. */
  schemaUpdateHeld: 'SchemaUpdateHeld',
  /** True: nothing is written for its objects, because somebody wants that. Else absent. Says nothing about Ready. */
  paused: 'Paused',
} as const;

/** Those that make up Ready, in the order in which they are to be mended. */
export const summed = [
  publicationConditions.valid,
  publicationConditions.schemaPublished,
  publicationConditions.exported,
  publicationConditions.objectsInSync,
] as const;
