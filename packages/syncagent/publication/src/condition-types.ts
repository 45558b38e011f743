import { conditionTypes } from '@hawser/syncagent-api';

/** Condition types of a PublishedResource, including those without influence on Ready. */
export const publicationConditions = {
  ...conditionTypes,
  /**
   * True: a changed schema waits for approval, or is unwanted; the one before is still published. Absent: nothing
   * waits. Does not affect Ready.
   */
  schemaUpdateHeld: 'SchemaUpdateHeld',
  /** True: a person has paused all writes for its objects. Else absent. Does not affect Ready. */
  paused: 'Paused',
} as const;

/** The conditions that make up Ready, in the order of repair. */
export const summed = [
  publicationConditions.valid,
  publicationConditions.schemaPublished,
  publicationConditions.exported,
  publicationConditions.objectsInSync,
] as const;
