import type { Clock, Random } from '@hawser/clock';
import type { Failures } from '@hawser/controller';
import type { ClusterKey } from '@hawser/informer';

import type { Copies } from './copies.js';
import type { Action } from './decision.js';
import type { Dependencies } from './dependencies.js';
import type { KcpCaches } from './kcp-caches.js';
import type { Retirement } from './observed.js';
import type { PrimaryOptions } from './primary.js';
import type { Related } from './related.js';
import type { Reports } from './reports.js';
import type { StateStore } from './state-store.js';

export interface ReconcileOptions {
  readonly primary: PrimaryOptions;
  readonly kcp: KcpCaches;
  readonly copies: Copies;
  readonly state: StateStore;
  readonly related: Related;
  readonly dependencies: Dependencies;
  readonly failures: Failures<Action>;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly random: Random;
  readonly retirement: () => Retirement | undefined;
  /** Whether a primary of another sync references this object. */
  readonly isRelatedInOtherSync: (object: ClusterKey) => boolean;
  /** State Secrets cannot be deleted. */
  readonly onStateLeft: () => void;
  /** The set of excluded objects has changed. */
  readonly onSelection: () => void;
}
