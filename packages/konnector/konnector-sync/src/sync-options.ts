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
  /** Of which alone objects are kept in step, under isolation Identity; undefined: of all. */
  readonly namespace?: string | undefined;
  /** May the provider be watched in all namespaces, or only in the service namespaces? (`spec/konnector.md §4.5`) */
  readonly informerScope: 'Cluster' | 'Namespaced';
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  /** Owner of the APIServiceNamespaces that this sync asks for: the export, not as controller. */
  readonly exportOwner: OwnerReference;
  /** Which objects this sync serves where others watch the same ones. {@link Sync.recheck} has to be called when it answers otherwise. Default: all. */
  readonly router?: Router | undefined;
  /** Live reads that tell a user's deletion from an unbinding; see `createDeletionProver`. */
  readonly prove: () => Promise<DeletionProof>;
  /** Asked live before it counts that a copy is not there: another cluster at the provider's address has none either. Rejects with an ApiError that may be tried again. Default: the provider is what it was. */
  readonly confirmProvider?: (() => Promise<void>) | undefined;
  /** The change of the resource's schema that this consumer does not have now. Default: none. */
  readonly heldSchema?: (() => HeldSchema | undefined) | undefined;
  /** For copies that are deleted as orphans; shared by the syncs of a binding. Default: one of its own. */
  readonly deletions?: DeletionBudget | undefined;
  /** Objects written at the same time. Default 24. */
  readonly concurrency?: number;
  /** Shared by all syncs of a process. Absent: this one is alone. */
  readonly writers?: WriterShares | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Told, at most once per turn of the event loop, that `problems()` gives another answer. */
  readonly onProblems?: () => void;
}
