import { type Controller, controller, type Setup, WriteBudget, type WriteBudgetOptions } from '@hawser/controller';
import { actExport } from './act-export.js';
import { decideRound } from './decide-export.js';
import { watchExports } from './export-caches.js';
import { fieldManager } from './field-manager.js';
import { observeExport } from './observe-export.js';
import { usualRestores } from './restore-pace.js';
import { nextReviewMs, reviewAgainMs } from './review-again.js';
import type { AdmissionMode } from './template/admission.js';
import { createAdmitter, watchOffers } from './template/admitter.js';

export interface ExportOptions {
  /** APIServiceExports processed at a time: a changed CRD concerns one of every consumer. Default 16. */
  readonly concurrency?: number | undefined;
  /** Rate limit for restoring one export that its consumer gave up. Default: 10 times at once, then once a minute. */
  readonly restores?: WriteBudgetOptions | undefined;
  /** As of the request controller: a withdrawn export returns only if it would be granted now. */
  readonly admission?: AdmissionMode | undefined;
}

/**
 * Keeps the annotation `kube-bind.io/source-spec-hash` and the condition `ProviderInSync` of each APIServiceExport in
 * step with its BoundSchemas (spec/kube-bind-backend.md §10.4). The annotation makes a konnector look at changed
 * BoundSchemas.
 *
 * Marks an export as withdrawn, by the annotation `hawser.dev/withdrawn`, when its consumer has unbound it or deleted
 * its request. Removes the mark when it is bound, or requested, again. Deletes nothing.
 */
export function createExportController({
  concurrency = 16,
  restores: pace = usualRestores,
  admission = 'Exported',
}: ExportOptions = {}): Controller<'provider'> {
  return controller('export', (setup: Setup<'provider'>) => {
    const {
      clusters: {
        provider: { client },
      },
      clock,
      random,
    } = setup;
    /** Exports that stay withdrawn because nothing offers them. */
    const refused = new Set<string>();
    const caches = watchExports(setup);
    const admitter = createAdmitter(
      client,
      watchOffers(setup, admission, () => [...refused]),
      admission,
    );
    const restores = new WriteBudget(pace);
    return {
      concurrency,
      fieldManager,
      async observe(key, signal) {
        const seen = await observeExport(client, caches, admitter, key, signal);
        const reviewInMs = seen.readmission?.kind === 'forbidden' ? nextReviewMs(random) : reviewAgainMs;
        return { ...seen, now: clock.now(), restoreInMs: restores.waitMs(key, clock.monotonic()), reviewInMs };
      },
      decide: decideRound,
      decided: (key, _, { isRefused }) => {
        if (isRefused) refused.add(key);
        else refused.delete(key);
      },
      act: (action, signal) => actExport({ clock, exports: caches.exports, restores }, action, signal),
    };
  });
}
