import type { EventMessage } from '@hawser/telemetry';

/** The Event of a write that the API server took, and answered without. `what`: what was written, of what, such as `the status`. `fields`: those that the answer lacks. */
export function writesUndone(what: string, fields: readonly string[] = []): EventMessage {
  const named = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
  return {
    type: 'Warning',
    reason: 'WritesUndone',
    message: `The API server took ${what} that Hawser wrote, and answered without it${named}. An admission webhook or policy changes it, or the CRD has no such field. The operator of that cluster has to let it pass. Hawser writes it again ever less often.`,
  };
}
