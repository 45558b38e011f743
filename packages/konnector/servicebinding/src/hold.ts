import type { SchemaPolicy } from '@hawser/schemagate';

/** Why a changed schema is not installed. */
export type HoldReason =
  | 'BreakingSchemaChange'
  | 'SchemaUpdatesOff'
  | 'StoredObjectsInvalid'
  | 'StoredObjectsUnread'
  | 'IncompatibleSchemaChange'
  | 'StoredVersionsLeft';

/** A changed schema that waits; the CRD stays unchanged. */
export interface Hold {
  readonly reason: HoldReason;
  /** What would change or break, and what to do. */
  readonly message: string;
  /** Hash to approve; absent where no approval helps. */
  readonly hash?: string | undefined;
}

/** Terms for judging a changed schema; unchanged terms give the same answer. */
export interface GateTerms {
  readonly policy: SchemaPolicy;
  /** Exactly this schema is approved. */
  readonly approved: boolean;
}
