import type { WriteBudgetOptions } from '@hawser/controller';
import type { InformerScope, Isolation } from '@hawser/kube-bind';
import type { AdmissionMode } from '../template/admission.js';

export interface InlineExportOptions {
  /** How konnectors may watch; written into new exports. */
  readonly informerScope: InformerScope;
  /** How cluster-scoped objects of several consumers are kept apart; written into new exports of cluster-scoped resources. Default `Prefixed`, the only one that works in Klutch. */
  readonly isolation?: Isolation | undefined;
  /** `Exported`, the default, lets everybody bind what a template offers, as Klutch does; under `Template` the consumer needs the verb `bind` on it. */
  readonly admission?: AdmissionMode | undefined;
  /** How often requests of one consumer are looked at that are not answered yet. Default: 200 times at once, then five times a second. */
  readonly pace?: WriteBudgetOptions | undefined;
  /** How often one export that its consumer let go of is given back. Default: 10 times at once, then once a minute. */
  readonly restores?: WriteBudgetOptions | undefined;
  /** Requests, and exports, that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}
