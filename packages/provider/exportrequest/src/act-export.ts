import type { Client } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Informer } from '@hawser/informer';
import { type APIServiceExport, apiVersion, commitStatus, resources } from '@hawser/kube-bind';
import type { EventMessage, EventRecorder } from '@hawser/telemetry';
import type { ExportAction, Turn } from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';
import { fieldManager } from './field-manager.js';

export interface ExportActOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly exports: Informer<APIServiceExport>;
  readonly events: EventRecorder;
}

/** The one place that writes for exports. What was written is in the cache afterwards. Resolves to `gone` if the export is no more: its event is on the way. Failures are the client's ApiErrors. */
export async function actExport({ client, clock, random, exports, events }: ExportActOptions, action: ExportAction, signal: AbortSignal): Promise<'done' | 'gone'> {
  const { namespace, name, uid, resourceVersion } = action.export.metadata;
  switch (action.type) {
    case 'annotate':
      exports.observe(await client.patch<APIServiceExport>(
        resources.apiServiceExports, { namespace, name },
        { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations: action.annotations } } },
        { fieldManager, signal },
      ));
      if (action.turn !== undefined) events.record({ apiVersion, kind: 'APIServiceExport', namespace, name, uid }, turnEvent(action.turn));
      return 'done';
    case 'writeStatus': {
      const written = await commitStatus(client, resources.apiServiceExports, action.export, (status) => withExportOutcome(status, action.outcome, clock.now()), { clock, random, signal });
      if (written === undefined) return 'gone';
      exports.observe(written);
      return 'done';
    }
  }
}

export function turnEvent(turn: Turn): EventMessage {
  switch (turn.kind) {
    case 'restored':
      return { type: 'Normal', reason: 'ExportRestored', message: 'The consumer uses this export again; it gets its rights back.' };
    case 'withdrawn': {
      const cause = turn.because === 'Unbound' ? 'The consumer has unbound this export' : 'The request for this export was deleted';
      return { type: 'Normal', reason: 'ExportWithdrawn', message: `${cause}; its rights are withdrawn. The provider's policy for withdrawn objects says what becomes of its objects.` };
    }
  }
}

/** @param message who must do what so that it would be granted. */
export function refusedEvent(message: string): EventMessage {
  return { type: 'Warning', reason: 'RestoreRefused', message: `The consumer uses this export again. It stays withdrawn, because a new request for it would not be granted. ${message}` };
}
