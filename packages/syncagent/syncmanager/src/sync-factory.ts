import type { PublishedResource } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync, WorkspaceOrigin } from '@hawser/syncagent-sync';

export interface SyncRequest {
  readonly publishedResource: PublishedResource;
  readonly kinds: PublishedKinds;
  /** Those that serve the resource already. */
  readonly engagements: readonly Engagement[];
  /** Whether its engagements are all there are: every virtual workspace that has, or had, objects of it. */
  readonly isWhole: () => boolean;
  /** Whether kcp says now that a workspace does not exist any more. */
  readonly isGone: (cluster: string, origin: WorkspaceOrigin, signal: AbortSignal) => Promise<boolean>;
  /** Whether another PublishedResource, of this name, publishes the same kind of the service cluster. */
  readonly publishedElsewhere: (publishedResource: string) => boolean;
  /** To be told that counts or problems are others. */
  readonly onReport: () => void;
}

/** Makes the sync of one PublishedResource, without starting it. @throws {InvalidRulesError} where its rules cannot be used. */
export type SyncFactory = (request: SyncRequest) => Sync;

/** The rules of a PublishedResource cannot be used, so no object is touched. Only a changed spec helps. */
export class InvalidRulesError extends Error {
  override readonly name = 'InvalidRulesError';

  /** All that is wrong, each with its field. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join(' '));
  }
}
