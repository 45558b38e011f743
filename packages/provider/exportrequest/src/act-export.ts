import type { Client } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Informer } from '@hawser/informer';
import { annotations, type APIServiceExport, commitStatus, resources } from '@hawser/kube-bind';
import type { ExportAction } from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';
import { fieldManager } from './field-manager.js';

export interface ExportActOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly exports: Informer<APIServiceExport>;
}

/** The one place that writes for exports. What was written is in the cache afterwards. Failures are the client's ApiErrors. */
export async function actExport({ client, clock, random, exports }: ExportActOptions, action: ExportAction, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid, resourceVersion } = action.export.metadata;
  switch (action.type) {
    case 'annotate':
      exports.observe(await client.patch<APIServiceExport>(
        resources.apiServiceExports, { namespace, name },
        { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations: { [annotations.sourceSpecHash]: action.hash } } } },
        { fieldManager, signal },
      ));
      return;
    case 'writeStatus': {
      const written = await commitStatus(client, resources.apiServiceExports, action.export, (status) => withExportOutcome(status, action.outcome, clock.now()), { clock, random, signal });
      if (written !== undefined) exports.observe(written);
    }
  }
}
