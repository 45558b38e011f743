import { objectKey } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { Result, Watched, WriteBudget } from '@hawser/controller';
import type { APIServiceExport } from '@hawser/kube-bind';
import type { EventMessage } from '@hawser/telemetry';
import type { ExportAction, Turn } from './export-decision.js';
import { withExportOutcome } from './export-outcome.js';

export interface ExportActOptions {
  readonly clock: Clock;
  readonly exports: Watched<APIServiceExport>;
  /** Rate limit for restoring an export that its consumer gave up. */
  readonly restores: WriteBudget;
}

/** The only place that writes for exports. Writes are in the cache afterwards. Failures are the client's ApiErrors. */
export async function actExport(
  { clock, exports, restores }: ExportActOptions,
  action: ExportAction,
  signal: AbortSignal,
): Promise<Result | undefined> {
  switch (action.type) {
    case 'annotate':
      if (action.turn?.kind === 'restored') restores.spend(objectKey(action.export), clock.monotonic());
      await exports.patch(action.export, { metadata: { annotations: action.annotations } }, signal);
      if (action.turn !== undefined) exports.recordEvent(action.export, turnEvent(action.turn));
      return undefined;
    case 'writeStatus':
      await exports.commitStatus(
        action.export,
        (status) => withExportOutcome(status, action.outcome, clock.now()),
        signal,
      );
      return undefined;
  }
}

export function turnEvent(turn: Turn): EventMessage {
  switch (turn.kind) {
    case 'restored':
      return {
        type: 'Normal',
        reason: 'ExportRestored',
        message: 'The consumer uses this export again; it gets its rights back.',
      };
    case 'withdrawn': {
      const cause =
        turn.because === 'Unbound' ? 'The consumer has unbound this export' : 'The request for this export was deleted';
      return {
        type: 'Normal',
        reason: 'ExportWithdrawn',
        message: `${cause}; its rights are withdrawn. The provider's policy for withdrawn objects says what becomes of its objects.`,
      };
    }
  }
}

/** @param message who must do what to get it granted. */
export function refusedEvent(message: string): EventMessage {
  return {
    type: 'Warning',
    reason: 'RestoreRefused',
    message: `The consumer uses this export again. It stays withdrawn, because a new request for it would not be granted. ${message}`,
  };
}
