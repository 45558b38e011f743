import type { EventRecorder, Logger, ObjectReference } from '@hawser/telemetry';

import type { RelatedOptions } from './related-run.js';
import type { WorkspaceEvents } from './workspace-events.js';

export interface LeftListeners {
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly publishedResource: ObjectReference;
  readonly workspaceEvents: WorkspaceEvents;
}

/** Reports a synced object that stays: to the provider, and in the workspace where our finalizer holds it. */
export function reportLeft(
  { logger, events, publishedResource, workspaceEvents }: LeftListeners,
  ...[cluster, { reason, message }, held]: Parameters<RelatedOptions['left']>
): void {
  logger.warn('something that was synced is left', { workspace: cluster, reason: message });
  events.record(publishedResource, { type: 'Warning', reason, message });
  if (held !== undefined)
    workspaceEvents.record(cluster, held, {
      type: 'Warning',
      reason,
      message:
        'Nothing refers to this object any more. The service provider has to see to what was made of it; until then the finalizer syncagent.kcp.io/cleanup stays.',
    });
}
