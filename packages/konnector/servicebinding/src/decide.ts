import type { ApiError } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type ConsentRecord,
  type CustomResourceDefinition,
  type GroupResource,
  type PermissionClaim,
  bindingOwnerReference,
  conditionTypes,
  getCondition,
  isOwnedByBinding,
  isWithdrawn,
} from '@hawser/kube-bind';
import { consentTo } from './claim-consent.js';
import { sameCrdSpec } from './crd-difference.js';
import { describeForeignOwner } from './foreign-owner.js';
import { bridgeTo } from './stored-versions.js';
import type { GateTerms, Hold } from './hold.js';
import { type Attempt, type Observed, type ResourceObserved, liveVersion } from './observed.js';
import type { Problem, ProblemReason, ServingProblem } from './problem.js';
import type { WantedCRD } from './wanted-crd.js';

/** A refused CRD is tried again after this long although nothing changed: the consumer's API server may have been upgraded. */
export const refusalRetryMs = 10 * 60_000;

/** What to do about one exported resource. */
export type ResourceAction =
  | { readonly kind: 'inStep'; readonly name: string; readonly wanted: WantedCRD; readonly live: string }
  | {
      readonly kind: 'createCRD';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly crd: CustomResourceDefinition;
    }
  | {
      readonly kind: 'updateCRD';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly resourceVersion: string;
      /** It is not all that is wanted: why. */ readonly interim?: Hold | undefined;
    }
  /** The CRD stays as it is, and works. */
  | {
      readonly kind: 'hold';
      readonly name: string;
      readonly wanted: WantedCRD;
      readonly live: string;
      readonly hold: Hold;
      readonly terms?: GateTerms | undefined;
      /** When it was looked at. */ readonly sinceMs: number;
    }
  /** The cache lags behind the server: its next event brings the key back. */
  | { readonly kind: 'lookAgain'; readonly name: string }
  /** Nothing to write. `cause`: what has to be tried again, because no event will come. */
  | {
      readonly kind: 'report';
      readonly name: string;
      readonly problem: Problem;
      readonly cause?: ApiError | undefined;
    };

/** What is to be copied into the binding's status. `undefined` means: leave it as it is. */
export interface StatusFields {
  readonly boundSchemas?: readonly GroupResource[] | undefined;
  readonly permissionClaims?: readonly PermissionClaim[] | undefined;
  readonly providerPrettyName?: string | undefined;
}

export type Decision =
  /** The binding is going: nothing is created, changed or reported for it. */
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
      /** Claims that the consumer has not agreed to. */ readonly heldClaims: readonly PermissionClaim[];
      /** To be written down before the status. */ readonly consent?: ConsentRecord | undefined;
      /** Why the provider does not serve the export, if it does not. */ readonly serving?: ServingProblem | undefined;
    };

/** The last two are unknown to the peers, which cannot tell the first of them from a missing export, and stop at the second. */
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
 * Why an export that is there is not served: the provider marks it as withdrawn; or it says which rights it could not give, and the konnector was refused.
 * A missing right alone is no proof: another backend's rights may serve the consumer until it has its own.
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

function decideCRD(
  observed: ResourceObserved,
  wanted: WantedCRD,
  binding: APIServiceBinding,
  nowMs: number,
  migrates: boolean,
): ResourceAction {
  const { name, crd } = observed;
  const report = (reason: ProblemReason, message: string, cause?: ApiError): ResourceAction => ({
    kind: 'report',
    name,
    problem: { reason, message },
    cause,
  });
  if (wanted.name !== name) {
    return report(
      'BoundSchemaInvalid',
      `BoundSchema ${name} describes ${wanted.name}, another resource than the export names. The provider has to correct it.`,
    );
  }
  if (crd.kind === 'unreadable')
    return report(
      'CustomResourceDefinitionReadFailed',
      `CustomResourceDefinition ${name} cannot be read: ${crd.error.message}.`,
      crd.error,
    );
  if (crd.kind === 'absent') {
    const live = liveVersion(undefined);
    if (observed.olderRival !== undefined) {
      return report(
        'ForeignCustomResourceDefinition',
        `CustomResourceDefinition ${name} is left to APIServiceBinding ${observed.olderRival}, which is older and binds the same resource. Delete one of the two bindings.`,
      );
    }
    return (
      refusedBefore(observed, wanted, live, nowMs) ?? {
        kind: 'createCRD',
        name,
        wanted,
        live,
        crd: wantedObject(wanted, binding),
      }
    );
  }
  const current = crd.full ?? crd.object;
  if (!isOwnedByBinding(current, binding)) {
    return report(
      'ForeignCustomResourceDefinition',
      `CustomResourceDefinition ${name} exists on the consumer and ${describeForeignOwner(current, binding)}. It was left as it is; this binding takes over when it is deleted.`,
    );
  }
  if (current.metadata.deletionTimestamp !== undefined) {
    return report(
      'CustomResourceDefinitionTerminating',
      `CustomResourceDefinition ${name} is being deleted on the consumer. It is created again when it is gone.`,
    );
  }
  const live = liveVersion(crd.object);
  if (
    observed.lastAttempt?.outcome.kind === 'inStep' &&
    observed.lastAttempt.wantedHash === wanted.hash &&
    observed.lastAttempt.live === live
  ) {
    return { kind: 'inStep', name, wanted, live };
  }
  const refused = refusedBefore(observed, wanted, live, nowMs);
  if (refused !== undefined) return refused;
  const { lastAttempt } = observed;
  if (isHeldStill(lastAttempt, wanted, live, observed.gate?.terms, nowMs))
    return { ...lastAttempt.outcome, kind: 'hold', name, wanted, live, sinceMs: lastAttempt.atMs };
  if (crd.full === undefined) return { kind: 'lookAgain', name };
  // The live read may be newer than the cache, so the version that was compared is the one that counts.
  const read = liveVersion(crd.full);
  if (sameCrdSpec(crd.full.spec, wanted.spec)) return { kind: 'inStep', name, wanted, live: read };
  if (observed.gate?.hold !== undefined)
    return {
      kind: 'hold',
      name,
      wanted,
      live: read,
      hold: observed.gate.hold,
      terms: observed.gate.terms,
      sinceMs: nowMs,
    };
  const bridge = migrates ? bridgeTo(wanted, crd.full) : undefined;
  if (bridge !== undefined && sameCrdSpec(crd.full.spec, bridge.wanted.spec))
    return { kind: 'hold', name, wanted, live: read, hold: bridge.interim, sinceMs: nowMs };
  if (bridge !== undefined)
    return { kind: 'updateCRD', name, live: read, resourceVersion: crd.full.metadata.resourceVersion ?? '', ...bridge };
  return { kind: 'updateCRD', name, wanted, live: read, resourceVersion: crd.full.metadata.resourceVersion ?? '' };
}

/** The API server has refused the same before and nothing has changed: say so again without asking again. */
function refusedBefore(
  observed: ResourceObserved,
  wanted: WantedCRD,
  live: string,
  nowMs: number,
): ResourceAction | undefined {
  const attempt = observed.lastAttempt;
  if (
    attempt?.outcome.kind !== 'refused' ||
    attempt.wantedHash !== wanted.hash ||
    attempt.live !== live ||
    nowMs - attempt.atMs >= refusalRetryMs
  )
    return undefined;
  return { kind: 'report', name: observed.name, problem: refusal(observed.name, attempt.outcome) };
}

type HeldAttempt = Attempt & { readonly outcome: Extract<Attempt['outcome'], { kind: 'held' }> };

/** Whether what was held before is held for the same reason: stored objects change without being watched here, so it is looked at again now and then. */
export function isHeldStill(
  attempt: Attempt | undefined,
  wanted: WantedCRD,
  live: string,
  terms: GateTerms | undefined,
  nowMs: number,
): attempt is HeldAttempt {
  if (
    attempt?.outcome.kind !== 'held' ||
    terms === undefined ||
    attempt.wantedHash !== wanted.hash ||
    attempt.live !== live
  )
    return false;
  return (
    attempt.outcome.terms.policy === terms.policy &&
    attempt.outcome.terms.approved === terms.approved &&
    nowMs - attempt.atMs < refusalRetryMs
  );
}

/** What to report when the API server refused a write. */
export function refusal(
  name: string,
  refused: { readonly verb: 'create' | 'update'; readonly message: string },
): Problem {
  return {
    reason: refused.verb === 'create' ? 'CustomResourceDefinitionCreateFailed' : 'CustomResourceDefinitionUpdateFailed',
    message: `CustomResourceDefinition ${name} could not be ${refused.verb}d: ${refused.message}`,
  };
}

function wantedObject(wanted: WantedCRD, binding: APIServiceBinding): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: wanted.name, ownerReferences: [bindingOwnerReference(binding)] },
    spec: wanted.spec,
  };
}

const sameResource = (a: GroupResource, b: GroupResource): boolean =>
  a.resource === b.resource && (a.group ?? '') === (b.group ?? '');

/** The resources of the export that have, or had, a schema. A list with the same members stays as it is. */
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
