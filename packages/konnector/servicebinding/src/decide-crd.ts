import type { ApiError, KubeObject } from '@hawser/client';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  bindingOwnerReference,
  isOwnedByBinding,
} from '@hawser/kube-bind';
import { sameCrdSpec } from './crd-difference.js';
import { describeForeignCRD } from './foreign-owner.js';
import type { GateTerms } from './hold.js';
import { type Attempt, type ResourceObserved, liveVersion } from './observed.js';
import type { Problem, ProblemReason } from './problem.js';
import type { ResourceAction } from './resource-action.js';
import { bridgeTo } from './stored-versions.js';
import type { WantedCRD } from './wanted-crd.js';

/** Delay before a refused CRD is retried without a change: the consumer's API server may have been upgraded. */

export const refusalRetryMs = 10 * 60000;

/** Decides about the CRD of a resource with a known schema. */
export function decideCRD(
  observed: ResourceObserved,
  wanted: WantedCRD,
  binding: APIServiceBinding,
  nowMs: number,
  migrates: boolean,
): ResourceAction {
  const { name, crd } = observed;
  if (wanted.name !== name) {
    return report(
      name,
      'BoundSchemaInvalid',
      `BoundSchema ${name} describes ${wanted.name}, another resource than the export names. The provider has to correct it.`,
    );
  }
  switch (crd.kind) {
    case 'unreadable':
      return report(
        name,
        'CustomResourceDefinitionReadFailed',
        `CustomResourceDefinition ${name} cannot be read: ${crd.error.message}.`,
        crd.error,
      );
    case 'absent':
      return decideAbsentCRD(observed, wanted, binding, nowMs);
    case 'present':
      return notOurs(name, crd.full ?? crd.object, binding) ?? decideOwnCRD(observed, wanted, crd, nowMs, migrates);
  }
}

function decideAbsentCRD(
  observed: ResourceObserved,
  wanted: WantedCRD,
  binding: APIServiceBinding,
  nowMs: number,
): ResourceAction {
  const { name, olderRival } = observed;
  const live = liveVersion(undefined);
  if (olderRival !== undefined) {
    return report(
      name,
      'ForeignCustomResourceDefinition',
      `CustomResourceDefinition ${name} is left to APIServiceBinding ${olderRival}, which is older and binds the same resource. Delete one of the two bindings.`,
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

/** Why an existing CRD stays unchanged; undefined: the binding owns it. */
function notOurs(name: string, current: KubeObject, binding: APIServiceBinding): ResourceAction | undefined {
  if (!isOwnedByBinding(current, binding)) {
    return report(name, 'ForeignCustomResourceDefinition', describeForeignCRD(current, binding));
  }
  if (current.metadata.deletionTimestamp !== undefined) {
    return report(
      name,
      'CustomResourceDefinitionTerminating',
      `CustomResourceDefinition ${name} is being deleted on the consumer. It is created again when it is gone.`,
    );
  }
  return undefined;
}

function decideOwnCRD(
  observed: ResourceObserved,
  wanted: WantedCRD,
  crd: Extract<ResourceObserved['crd'], { readonly kind: 'present' }>,
  nowMs: number,
  migrates: boolean,
): ResourceAction {
  const { name, lastAttempt } = observed;
  const live = liveVersion(crd.object);
  if (lastAttempt?.outcome.kind === 'inStep' && lastAttempt.wantedHash === wanted.hash && lastAttempt.live === live) {
    return { kind: 'inStep', name, wanted, live };
  }
  const refused = refusedBefore(observed, wanted, live, nowMs);
  if (refused !== undefined) return refused;
  if (isHeldStill(lastAttempt, wanted, live, observed.gate?.terms, nowMs))
    return { ...lastAttempt.outcome, kind: 'hold', name, wanted, live, sinceMs: lastAttempt.atMs };
  if (crd.full === undefined) return { kind: 'lookAgain', name };
  // The live read may be newer than the cache, so the compared version counts.
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

function report(name: string, reason: ProblemReason, message: string, cause?: ApiError): ResourceAction {
  return { kind: 'report', name, problem: { reason, message }, cause };
}

/** The API server refused the same before and nothing has changed: report it again without a request. */
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

/**
 * Whether an earlier hold still has the same reason. Stored objects are not watched here, so they are checked again now
 * and then.
 */

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

/** The report for a write that the API server refused. */

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
