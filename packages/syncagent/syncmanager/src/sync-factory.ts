import type { PublishedResource } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync, WorkspaceOrigin } from '@hawser/syncagent-sync';

export interface SyncRequest {
  readonly publishedResource: PublishedResource;
  readonly kinds: PublishedKinds;
  /** Engagements that serve the resource already. */
  readonly engagements: readonly Engagement[];
  /** Whether its engagements are complete: every virtual workspace that has or had its objects. */
  readonly isWhole: () => boolean;
  /** Whether kcp confirms now that a workspace is gone. */
  readonly isGone: (cluster: string, origin: WorkspaceOrigin, signal: AbortSignal) => Promise<boolean>;
  /** Whether the named PublishedResource publishes the same kind of the service cluster. */
  readonly publishesSameKind: (publishedResource: string) => boolean;
  /** Called when counts or problems change. */
  readonly onReport: () => void;
}

/** Creates the sync of a PublishedResource, not started. @throws {InvalidRulesError} if its rules are invalid. */
export type SyncFactory = (request: SyncRequest) => Sync;

/** The rules of a PublishedResource are invalid: no object is touched. Only a changed spec helps. */
export class InvalidRulesError extends Error {
  override readonly name = 'InvalidRulesError';

  /** All problems, each with its field. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join(' '));
  }
}
