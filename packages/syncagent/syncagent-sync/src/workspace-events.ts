import { type Client, type UnstructuredObject, isApiError } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { clientEventWriter, coalesce } from '@hawser/controller';
import {
  type EventMessage,
  type EventRecorder,
  type Logger,
  type Metrics,
  type ObjectReference,
  createEventRecorder,
} from '@hawser/telemetry';

/** Records Events about objects in kcp, where their users see them (`spec/api-syncagent.md §6.4`). */
export interface WorkspaceEvents {
  record(cluster: string, about: UnstructuredObject, event: EventMessage): void;
}

export interface WorkspaceEventsOptions {
  readonly clientFor: (cluster: string) => Client | undefined;
  /** On the service cluster, for warnings that a workspace does not accept. */
  readonly events: EventRecorder;
  readonly publishedResource: ObjectReference;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const COMPONENT = 'syncagent-sync';
/** Limit of recorders, one per workspace with Events; beyond it the oldest goes. */
const MAX_RECORDERS = 256;

/**
 * Writes at once and by itself; counts equal Events in one. A workspace that has not accepted the claim on events
 * refuses them: then the PublishedResource gets them.
 */
export function createWorkspaceEvents({
  clientFor,
  events,
  publishedResource,
  clock,
  random,
  logger,
  metrics,
}: WorkspaceEventsOptions): WorkspaceEvents {
  const recorders = new Map<string, EventRecorder>();
  let dropped = 0;
  const logDropped = coalesce(() => {
    logger.info('Events in workspaces that waited are not written any more.', { dropped });
    dropped = 0;
  });
  const recorderOf = (cluster: string, client: Client): EventRecorder => {
    const known = recorders.get(cluster);
    if (known !== undefined) return known;
    const writer = clientEventWriter(client);
    const recorder = createEventRecorder({
      writer: {
        patch: (...repetition) => writer.patch(...repetition),
        async create(event, namespace) {
          try {
            await writer.create(event, namespace);
          } catch (error) {
            // Omits the object's name, so many alike are one Event.
            if (event.type === 'Warning' && !isApiError(error, 'Aborted'))
              events.record(publishedResource, {
                type: 'Warning',
                reason: event.reason,
                message: `Objects in workspace ${cluster}, which accepts no events, are not in step (${event.reason}); see the status of this PublishedResource.`,
              });
            throw error;
          }
        },
      },
      component: COMPONENT,
      clock,
      random,
      logger,
      metrics,
      onClosed(count) {
        dropped += count;
        logDropped();
      },
    });
    recorders.set(cluster, recorder);
    const [oldest] = recorders.keys();
    if (recorders.size > MAX_RECORDERS && oldest !== undefined) recorders.delete(oldest);
    return recorder;
  };
  return {
    record(cluster, { apiVersion, kind, metadata: { name, namespace, uid } }, event) {
      const client = clientFor(cluster);
      if (client !== undefined) recorderOf(cluster, client).record({ apiVersion, kind, name, namespace, uid }, event);
    },
  };
}
