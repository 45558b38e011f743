import type { Client, KubeObject, OwnerReference, Resource } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { DeletionBudget } from '@hawser/controller';
import type { SharedInformers } from '@hawser/informer';
import type { ServiceNamespaces } from '@hawser/konnector-sync';
import type { EventRecorder, Logger, Metrics } from '@hawser/telemetry';
import type { Landing } from './landing.js';
import type { Side } from './marks.js';
import type { PairSettings } from './observed.js';

export interface ClaimSyncOptions {
  /** Of the claimed objects; namespaced. */
  readonly resource: Resource;
  readonly settings: PairSettings;
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  /** Why an original on `side` must not be copied. `namespace` is the consumer's. */
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  /** Whether claims of these bindings may put an object into a namespace of the consumer. */
  readonly landing: (namespace: string, bindings: readonly string[]) => Landing;
  /** How many objects may come to the consumer by the claims of one binding. */
  readonly maxObjects: number;
  /** Of a binding, by its claims on all resources. */
  readonly copies: (binding: string) => number;
  /** For copies whose originals are missing, shared by all resources of the connection. */
  readonly deletions: DeletionBudget;
  /** Told that a copy has gone, so that there may be room for one that was held for want of it. */
  readonly onRoom: () => void;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Told, at most once per turn of the event loop, that `problems` may give another answer. */
  readonly onProblems: () => void;
  /** Told that one of the clusters is not the one that `settings` speaks of. */
  readonly onReplaced: () => void;
}
