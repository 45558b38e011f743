import type { ApiError } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type ConsentRecord,
  type GroupResource,
  type PermissionClaim,
  conditionTypes,
  getCondition,
  isWithdrawn,
} from '@hawser/kube-bind';
import { consentTo } from './claim-consent.js';
import { type Observed, type ResourceObserved } from './observed.js';
import type { ProblemReason, ServingProblem } from './problem.js';
import type { ResourceAction } from './resource-action.js';
import { decideCRD } from './decide-crd.js';

/** Fields to copy into the binding's status. `undefined`: leave unchanged. */
export interface StatusFields {
  readonly boundSchemas?: readonly GroupResource[] | undefined;
  readonly permissionClaims?: readonly PermissionClaim[] | undefined;
  readonly providerPrettyName?: string | undefined;
}

export type Decision =
  /** The binding is terminating: create, change and report nothing for it. */
  | { readonly kind: 'leave' }
  | {
      readonly kind: 'noExport';
      readonly problem: { readonly reason: NoExportReason; readonly message: string };
      readonly status: StatusFields;
    }
  | {
      readonly kind: 'bind';
      readonly resources: readonly ResourceAction[];
      readonly status: StatusFields;
      /** Claims that the consumer has not accepted. */ readonly heldClaims: readonly PermissionClaim[];
      /** The consent to record before the status. */ readonly consent?: ConsentRecord | undefined;
      /** Why the provider does not serve the export, if so. */ readonly serving?: ServingProblem | undefined;
    };

/** The peers do not know the last two. They take the first of them for a missing export, and stop at the second. */
export type NoExportReason =
  'APIServiceExportNotFound' | 'APIServiceExportFailed' | 'APIServiceExportFetchFailed' | 'MalformedExport';

/** Decides about one binding. Pure. */
export function decide(observed: Observed): Decision {
  const { binding } = observed;
  if (binding.metadata.deletionTimestamp !== undefined) return { kind: 'leave' };
  const providerPrettyName = observed.prettyName.kind === 'known' ? observed.prettyName.value : undefined;
  const reading = observed.export;
  switch (reading.kind) {
    case 'unreadable':
      return noExport(
        'APIServiceExportFetchFailed',
        `APIServiceExport ${binding.metadata.name} cannot be read: ${reading.error.message}.`,
        providerPrettyName,
      );
    case 'malformed':
      return noExport(
        'MalformedExport',
        `APIServiceExport ${binding.metadata.name} cannot be used: ${reading.path} ${reading.message}. Provider: correct it, and update the CRDs of the provider, whose API server should have refused it. CRDs and objects stay as they are, and what is synced goes on.`,
        providerPrettyName,
      );
    case 'missing':
      if (reading.failedRequest !== undefined) {
        return noExport(
          'APIServiceExportFailed',
          `The provider refused APIServiceExportRequest ${binding.metadata.name}: ${reading.failedRequest}`,
          providerPrettyName,
        );
      }
      return noExport(
        'APIServiceExportNotFound',
        `APIServiceExport ${binding.metadata.name} does not exist on the provider. Ask the provider for it, or delete this binding.`,
        providerPrettyName,
      );
    case 'found': {
      const { accepted, held, record } = consentTo(binding, reading.export, observed.time);
      return {
        kind: 'bind',
        heldClaims: held,
        consent: record,
        serving: servingProblem(reading.export, binding),
        resources: observed.resources.map((resource) =>
          decideResource(resource, binding, observed.nowMs, observed.migrates === true),
        ),
        status: {
          providerPrettyName,
          permissionClaims: accepted,
          boundSchemas: boundSchemas(binding, observed.resources),
        },
      };
    }
  }
}

/**
 * Why an existing export is not served. Either the provider marks it as withdrawn. Or it names rights that it could not
 * grant, and the konnector was refused. A missing right alone proves nothing: another backend's rights may serve the
 * consumer until then.
 */
function servingProblem(
  { metadata, status }: APIServiceExport,
  binding: APIServiceBinding,
): ServingProblem | undefined {
  const name = `APIServiceExport ${metadata.name}`;
  if (isWithdrawn(metadata)) {
    return {
      reason: 'ExportWithdrawn',
      message: `The provider has withdrawn ${name}, so nothing is synced. Consumer: ask for it again with \`hawser bind\`, or make an APIServiceExportRequest of that name. Objects and copies stay as they are.`,
    };
  }
  const rights = getCondition(status?.conditions, conditionTypes.rightsGranted);
  const synced = getCondition(binding.status?.conditions, conditionTypes.objectsInSync);
  if (rights?.status !== 'False' || synced?.status !== 'False' || synced.reason !== 'ForbiddenByProvider')
    return undefined;
  return {
    reason: 'RightsMissing',
    message:
      `The provider has not granted all rights that ${name} needs (${rights.reason ?? 'no reason given'}): ${rights.message ?? ''}`.trimEnd(),
  };
}

function noExport(reason: NoExportReason, message: string, providerPrettyName: string | undefined): Decision {
  return { kind: 'noExport', problem: { reason, message }, status: { providerPrettyName } };
}

function decideResource(
  observed: ResourceObserved,
  binding: APIServiceBinding,
  nowMs: number,
  migrates: boolean,
): ResourceAction {
  const { name, schema } = observed;
  const report = (reason: ProblemReason, message: string, cause?: ApiError): ResourceAction => ({
    kind: 'report',
    name,
    problem: { reason, message },
    cause,
  });
  switch (schema.kind) {
    case 'missing':
      return report(
        'BoundSchemaFetchFailed',
        `BoundSchema ${name} does not exist on the provider. The provider has to make it.`,
      );
    case 'unreadable':
      return report(
        'BoundSchemaFetchFailed',
        `BoundSchema ${name} cannot be read: ${schema.error.message}.`,
        schema.error,
      );
    case 'refused':
      return { kind: 'report', name, problem: schema.problem };
    case 'invalid':
      return report(
        'BoundSchemaInvalid',
        `BoundSchema ${name} is not valid: ${schema.error}. The provider has to correct it.`,
      );
    case 'found':
      return decideCRD(observed, schema.wanted, binding, nowMs, migrates);
  }
}

const sameResource = (a: GroupResource, b: GroupResource): boolean =>
  a.resource === b.resource && (a.group ?? '') === (b.group ?? '');

/** The resources of the export that have, or had, a schema. A list with the same members stays unchanged. */
function boundSchemas(binding: APIServiceBinding, resources: readonly ResourceObserved[]): readonly GroupResource[] {
  const before = binding.status?.boundSchemas ?? [];
  const now: GroupResource[] = [];
  for (const { resource, schema } of resources) {
    const known =
      schema.kind === 'found' || schema.kind === 'refused' || before.some((entry) => sameResource(entry, resource));
    if (known && !now.some((entry) => sameResource(entry, resource)))
      now.push({ group: resource.group ?? '', resource: resource.resource });
  }
  const unchanged =
    now.length === before.length && now.every((entry) => before.some((other) => sameResource(entry, other)));
  return unchanged ? before : now;
}
