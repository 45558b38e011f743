import type { Client, Resource } from '@hawser/client';
import type { EventWriter } from '@hawser/telemetry';

const events: Resource = { group: '', version: 'v1', resource: 'events' };

/** Writes Events with `client`. */
export function clientEventWriter(client: Client): EventWriter {
  return {
    async create(event, namespace) {
      await client.create(
        events,
        { ...event, metadata: { ...event.metadata, namespace } },
        { representation: 'metadata' },
      );
    },
    async patch(name, namespace, repetition) {
      await client.patch(
        events,
        { namespace, name },
        { type: 'merge', patch: repetition },
        { representation: 'metadata' },
      );
    },
  };
}
