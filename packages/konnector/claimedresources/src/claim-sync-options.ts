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
  /** Namespaced resource of the claimed objects. */
  readonly resource: Resource;
  readonly settings: PairSettings;
  readonly consumer: { readonly client: Client; readonly informers: SharedInformers; readonly events: EventRecorder };
  readonly provider: { readonly client: Client; readonly informers: SharedInformers };
  readonly namespaces: ServiceNamespaces;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  /** Why an original on `side` must not be copied. `namespace`: the consumer's. */
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  /** Whether claims of these bindings may put an object into a consumer namespace. */
  readonly landing: (namespace: string, bindings: readonly string[]) => Landing;
  /** Maximum number of objects brought to the consumer by one binding's claims. */
  readonly maxObjects: number;
  /** Copies of a binding, over its claims on all resources. */
  readonly copies: (binding: string) => number;
  /** Budget for copies with missing originals, shared by all resources of the connection. */
  readonly deletions: DeletionBudget;
  /** Called when a copy is gone: to make room for a held copy. */
  readonly onRoom: () => void;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called at most once per turn of the event loop, when `problems` may have changed. */
  readonly onProblems: () => void;
  /** Called when one of the clusters differs from `settings`. */
  readonly onReplaced: () => void;
}
