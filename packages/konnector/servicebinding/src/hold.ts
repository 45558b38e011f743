import type { SchemaPolicy } from '@hawser/schemagate';

/** Why a changed schema is not installed. */
export type HoldReason =
  | 'BreakingSchemaChange'
  | 'SchemaUpdatesOff'
  | 'StoredObjectsInvalid'
  | 'StoredObjectsUnread'
  | 'IncompatibleSchemaChange'
  | 'StoredVersionsLeft';

/** A changed schema that waits, while the CRD stays as it is. */
export interface Hold {
  readonly reason: HoldReason;
  /** What would change or break, and what to do. */
  readonly message: string;
  /** What an approval names; absent where none helps. */
  readonly hash?: string | undefined;
}

/** Under which terms a changed schema is looked at; as long as they are the same, so is the answer. */
export interface GateTerms {
  readonly policy: SchemaPolicy;
  /** Somebody has approved just this schema. */
  readonly approved: boolean;
}
