import type { EventMessage } from '@hawser/telemetry';

/**
 * The Event of a write that the API server accepted, and whose answer lacks it. `what`: the written part, such as `the
 * status`. `fields`: the missing fields.
 */
export function writesUndone(what: string, fields: readonly string[] = []): EventMessage {
  const named = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return {
    type: 'Warning',
    reason: 'WritesUndone',
    message: `The API server took ${what} that Hawser wrote, and answered without it${named}. An admission webhook or policy changes it, or the CRD has no such field. The operator of that cluster has to let it pass. Hawser writes it again ever less often.`,
  };
}
