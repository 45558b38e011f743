import type { Resource, Client, OwnerReference } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { DeletionBudget } from '@hawser/controller';
import type { SharedInformers } from '@hawser/informer';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';
import type { PairSettings, DeletionProof } from './observed.js';
import type { HeldSchema } from './problem-of.js';
import type { Router } from './routing.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import type { WriterShares } from './writer-shares.js';

/** What a sync is made from. */
export interface SyncOptions {
  /** For logs and metrics: the binding's name. */
  readonly name: string;
  readonly resource: Resource;
  readonly settings: PairSettings;
  /** The only synced namespace, under isolation Identity; undefined: all. */
  readonly namespace?: string | undefined;
  /**
   * Whether the provider may be watched in all namespaces, or only in the service namespaces (`spec/konnector.md
   * §4.5`).
   */
  readonly informerScope: 'Cluster' | 'Namespaced';
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  /** Owner of the APIServiceNamespaces that this sync requests: the export, not as controller. */
  readonly exportOwner: OwnerReference;
  /**
   * Selects the objects of this sync where others watch the same ones. Call {@link Sync.recheck} when its answers
   * change. Default: all.
   */
  readonly router?: Router | undefined;
  /** Live reads that separate a user's deletion from an unbinding; see `createDeletionProver`. */
  readonly prove: () => Promise<DeletionProof>;
  /**
   * Confirms live that the provider is still the same before a missing copy counts: another cluster at its address has
   * no copy either. Rejects with an ApiError that may be retried. Default: assume that it is the same.
   */
  readonly confirmProvider?: (() => Promise<void>) | undefined;
  /** The change of the resource's schema that this consumer lacks now. Default: none. */
  readonly heldSchema?: (() => HeldSchema | undefined) | undefined;
  /** Budget for deleting orphaned copies; shared by the syncs of a binding. Default: one of its own. */
  readonly deletions?: DeletionBudget | undefined;
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number;
  /** Shared by all syncs of a process. Absent: this is the only one. */
  readonly writers?: WriterShares | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called at most once per turn of the event loop when `problems()` has changed. */
  readonly onProblems?: () => void;
}
