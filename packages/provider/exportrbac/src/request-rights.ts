import type { KubeObject } from '@hawser/client';
import { malformation } from '@hawser/klutch';
import {
  type Conditions,
  conditionTypes,
  type Dialect,
  type GroupResource,
  hasCondition,
  type Instant,
  markFalse,
  markTrue,
  removeCondition,
  resourceGroupName,
  setSummary,
} from '@hawser/kube-bind';
import { type Refusal, refusalCondition } from './refusal.js';

/** The fields of an APIServiceExportRequest that rights depend on. */
export interface RequestObject extends KubeObject {
  readonly spec: { readonly resources: readonly GroupResource[] };
  readonly status?: { readonly phase?: string | undefined; readonly conditions?: Conditions | undefined } | undefined;
}

/** Report on a request about its rights. `undecided`: none of its exports grants rights. */
export type RequestRights =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'granted' }
  | {
      readonly kind: 'refused';
      readonly exports: readonly string[];
      readonly refusals: readonly [Refusal, ...Refusal[]];
    };

/** Whether the request may need a report. */
export function concernsRights({ status }: RequestObject): boolean {
  return status?.phase === 'Succeeded' || hasCondition(status?.conditions, conditionTypes.rightsGranted);
}

/** @param refusals of each export in force, by its name. */
export function rightsOfRequest(
  { schema }: Dialect,
  request: RequestObject,
  refusals: ReadonlyMap<string, readonly Refusal[]>,
): RequestRights {
  const { metadata, spec, status } = request;
  // Klutch requests them by resource; a malformed request tells nothing.
  if (
    status?.phase !== 'Succeeded' ||
    (schema !== 'BoundSchemas' && malformation('APIServiceExportRequest', request) !== undefined)
  )
    return { kind: 'undecided' };
  // In kube-bind a request and its export share their name; in Klutch each resource has its own export.
  const names = schema === 'BoundSchemas' ? [metadata.name] : [...new Set(spec.resources.map(resourceGroupName))];
  const inForce = names.filter((name) => refusals.has(name));
  if (inForce.length === 0) return { kind: 'undecided' };
  const refused = inForce.filter((name) => (refusals.get(name) ?? []).length > 0);
  const [first, ...others] = refused.flatMap((name) => refusals.get(name) ?? []);
  return first === undefined
    ? { kind: 'granted' }
    : { kind: 'refused', exports: refused, refusals: [first, ...others] };
}

/**
 * The status with `RightsGranted` and `Ready`; the same object if nothing changes. The phase stays: clients wait for it
 * only at the beginning.
 */
export function withRequestRights<Status extends NonNullable<RequestObject['status']>>(
  status: Status,
  rights: RequestRights,
  now: Instant,
): Status {
  const { conditions } = status;
  const wanted = withCondition(conditions, rights, now);
  return wanted === conditions ? status : { ...status, conditions: setSummary(wanted, now) };
}

function withCondition(
  conditions: Conditions | undefined,
  rights: RequestRights,
  now: Instant,
): Conditions | undefined {
  const type = conditionTypes.rightsGranted;
  switch (rights.kind) {
    case 'refused': {
      const { reason, message } = refusalCondition(rights.refusals);
      return markFalse(
        conditions,
        type,
        reason,
        'Warning',
        `Nothing is synced without rights, and some are missing for APIServiceExport ${rights.exports.map((name) => `"${name}"`).join(', ')}. ${message}`,
        now,
      );
    }
    case 'granted':
      return hasCondition(conditions, type) ? markTrue(conditions, type, now) : conditions;
    case 'undecided':
      return hasCondition(conditions, type) ? removeCondition(conditions, type) : conditions;
  }
}
