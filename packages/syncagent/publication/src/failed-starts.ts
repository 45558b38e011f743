import { type Client, type KubeObject, listAll, messageOf, sentence } from '@hawser/client';
import type { EventMessage, EventRecorder } from '@hawser/telemetry';

import { type Agent, publishedResourcesOf } from './agent.js';
import { ExportLocationError } from './export-location.js';

/** Failed searches for the APIExport in a row. */
export interface FailedStarts {
  /**
   * Records an Event on each PublishedResource of the agent, once the failure has lasted and whenever the reason
   * changes.
   */
  failed(
    error: unknown,
    service: { readonly client: Client; readonly events: EventRecorder },
    signal: AbortSignal,
  ): Promise<void>;
  succeeded(): void;
}

/** Failures before the first report: a starting kcp is not worth one. */
const PATIENCE = 3;

/**
 * An agent without its APIExport writes no status. Without these Events its PublishedResources would not show why
 * nothing happens.
 */
export function createFailedStarts(agent: Pick<Agent, 'name' | 'selector'>): FailedStarts {
  let failures = 0;
  let reported: string | undefined;
  return {
    async failed(error, { client, events }, signal) {
      failures++;
      const event = eventOf(agent.name, error);
      if (failures < PATIENCE || event.message === reported) return;
      const { resource, labelSelector } = publishedResourcesOf(agent);
      const published = await listAll<KubeObject>(client, resource, { labelSelector, signal });
      for (const {
        apiVersion,
        kind,
        metadata: { name, uid },
      } of published)
        events.record({ apiVersion, kind, name, uid }, event);
      reported = event.message;
    },
    succeeded() {
      failures = 0;
      reported = undefined;
    },
  };
}

function eventOf(agent: string, error: unknown): EventMessage {
  const why = sentence(messageOf(error));
  if (error instanceof ExportLocationError)
    return {
      type: 'Warning',
      reason: 'ExportNotLocated',
      message: `Agent "${agent}" cannot begin: ${why} It is looked for again.`,
    };
  return {
    type: 'Warning',
    reason: 'KcpNotReached',
    message: `Agent "${agent}" cannot begin, because kcp does not answer, or refuses it: ${why} The operator must see to kcp, to the agent's kubeconfig for it, and to its rights in the workspace of the APIExport. It is tried again.`,
  };
}
