import { type Client, statusPatch } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type NewCondition,
  commitStatus,
  conditionTypes,
  getCondition,
  removeCondition,
  resources,
  setBindingSummary,
  setCondition,
} from '@hawser/kube-bind';
import { recordConditions } from '@hawser/konnector-connection';
import type { EventRecorder } from '@hawser/telemetry';
import type { WantedConditions } from './conclude.js';
import type { StatusFields } from './decide.js';

export interface CommitOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly events: EventRecorder;
}

/**
 * Writes the status of `binding` if it differs, and records an Event for each condition that has become False. Resolves
 * to the present binding, if it exists.
 */
export async function commit(
  client: Client,
  binding: APIServiceBinding,
  fields: StatusFields,
  conditions: WantedConditions,
  options: CommitOptions,
): Promise<APIServiceBinding | undefined> {
  const written = await commitStatus(
    client,
    resources.apiServiceBindings,
    binding,
    (status) => nextStatus(status, fields, conditions, options.clock.now()),
    options,
  );
  if (written !== undefined && written !== binding) {
    recordConditions(options.events, binding, conditions.set);
    recordHeld(options.events, binding, conditions.set);
  }
  return written;
}

/** Records an Event when a schema begins to wait, or another one does. */
function recordHeld(
  events: EventRecorder,
  { apiVersion, kind, metadata: { name, uid }, status }: APIServiceBinding,
  conditions: readonly NewCondition[],
): void {
  const held = conditions.find(({ type }) => type === conditionTypes.schemaUpdateHeld);
  if (held === undefined || getCondition(status?.conditions, held.type)?.message === held.message) return;
  events.record(
    { apiVersion, kind, name, uid },
    { type: 'Warning', reason: held.reason ?? held.type, message: held.message ?? '' },
  );
}

/** Whether the status already has all of it. */
export function isReported(
  { status = {} }: APIServiceBinding,
  fields: StatusFields,
  wanted: WantedConditions,
  nowMs: number,
): boolean {
  return statusPatch(status, nextStatus(status, fields, wanted, nowMs)) === undefined;
}

/** `status` with our fields in it. */
export function nextStatus(
  status: APIServiceBindingStatus,
  fields: StatusFields,
  wanted: WantedConditions,
  nowMs: number,
): APIServiceBindingStatus {
  let { conditions } = status;
  for (const type of wanted.remove) conditions = removeCondition(conditions, type);
  for (const condition of wanted.set) conditions = setCondition(conditions, condition, nowMs);
  return {
    ...status,
    conditions: setBindingSummary(conditions, nowMs),
    // Absent and empty are equal, but the CRD refuses an empty list of schemas.
    ...(fields.boundSchemas === undefined
      ? {}
      : { boundSchemas: fields.boundSchemas.length === 0 ? undefined : fields.boundSchemas }),
    ...(fields.permissionClaims === undefined
      ? {}
      : { permissionClaims: fields.permissionClaims.length === 0 ? undefined : fields.permissionClaims }),
    ...(fields.providerPrettyName === undefined
      ? {}
      : { providerPrettyName: fields.providerPrettyName === '' ? undefined : fields.providerPrettyName }),
  };
}
