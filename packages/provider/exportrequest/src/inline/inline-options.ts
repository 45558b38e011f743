import type { WriteBudgetOptions } from '@hawser/controller';
import type { InformerScope, Isolation } from '@hawser/kube-bind';
import type { AdmissionMode } from '../template/admission.js';

export interface InlineExportOptions {
  /** How konnectors may watch; written into new exports. */
  readonly informerScope: InformerScope;
  /**
   * How cluster-scoped objects of several consumers are kept apart; written into new exports of cluster-scoped
   * resources. Default `Prefixed`, the only one that works in Klutch.
   */
  readonly isolation?: Isolation | undefined;
  /**
   * `Exported`, the default, lets every consumer bind what a template offers, like Klutch; under `Template` the
   * consumer needs the verb `bind` on it.
   */
  readonly admission?: AdmissionMode | undefined;
  /**
   * Rate limit for looks at unanswered requests of one consumer. Default: 200 times at once, then five times a second.
   */
  readonly pace?: WriteBudgetOptions | undefined;
  /** Rate limit for restoring one export that its consumer gave up. Default: 10 times at once, then once a minute. */
  readonly restores?: WriteBudgetOptions | undefined;
  /** Requests, and exports, processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}
