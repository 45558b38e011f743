import type { SyncPlan } from '@hawser/apiserviceexport';
import {
  type APIServiceBinding,
  conditionTypes,
  getCondition,
  hasSameState,
  resources,
  setBindingSummary,
  setCondition,
} from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import { findReason } from '@hawser/reasons';

import type { BindingView } from './binding-view.js';
import { findingOf } from './finding.js';
import type { PlannedWrite } from './preview-client.js';

/** Conditions that sum up others; the others are reported one by one. */
const SUMMARIES: ReadonlySet<string> = new Set([conditionTypes.ready, conditionTypes.objectsInSync]);

/** Conditions that report something held if True. */
const HOLDING: ReadonlySet<string> = new Set(['Paused', 'DeletionsHeld', 'SchemaUpdateHeld']);

/**
 * Faults of a binding as a whole: those that a konnector would report now, and those that only it can see. Leaves out a
 * reason that no longer applies: the konnector has yet to withdraw it.
 */
export function bindingFindings({ binding, conditions }: BindingView): readonly Finding[] {
  const now = new Map(conditions.map((condition) => [condition.type, condition]));
  const wrong = conditions
    .filter(({ type, status }) => (status === 'True') === HOLDING.has(type))
    .map((condition) => findingOf(condition, binding));
  const reported = (binding.status?.conditions ?? []).filter((condition) => {
    const { type, status, reason = '' } = condition;
    if (HOLDING.has(type)) return status === 'True' && !now.has(type);
    if (status !== 'False' || SUMMARIES.has(type)) return false;
    const recomputed = now.get(type);
    return recomputed === undefined || (recomputed.status === 'True' && !RECOMPUTED.has(reason));
  });
  const findings = [...wrong, ...reported.map((condition) => findingOf(condition, binding))];
  // One cause often shows in several conditions.
  return findings.filter(
    (finding, at) =>
      findings.findIndex(({ reason, message }) => reason === finding.reason && message === finding.message) === at,
  );
}

/** Reasons that a look from outside computes anew. */
const RECOMPUTED: ReadonlySet<string> = new Set([
  'KubeconfigSecretNotFound',
  'KubeconfigSecretInvalid',
  'KubeconfigSecretUnreadable',
  'InformerSyncTimeout',
  'InformerSyncFailed',
  'APIServiceExportNotFound',
  'APIServiceExportFailed',
  'APIServiceExportFetchFailed',
  'MalformedExport',
  'ForeignCustomResourceDefinition',
  'BoundSchemaFetchFailed',
  'BoundSchemaInvalid',
  'CustomResourceDefinitionReadFailed',
  'CustomResourceDefinitionTerminating',
  'ProtectedAPIGroup',
]);

/** Why no object of a resource is synced; undefined if they are. */
export function resourceFinding(plan: SyncPlan): Finding | undefined {
  switch (plan.kind) {
    case 'run':
      return undefined;
    case 'keep':
      return { reason: 'BoundSchemaFetchFailed', message: plan.message, actor: 'provider' };
    case 'stop': {
      const known = findReason('APIServiceBinding', plan.reason);
      return {
        reason: plan.reason,
        message: plan.message,
        actor: plan.actor ?? known?.actor ?? 'nobody',
        remedy: plan.actor === undefined ? known?.remedy : undefined,
      };
    }
  }
}

/** The status write of the binding, if its status changes. */
export function statusWrite({ binding, conditions }: BindingView, nowMs: number): PlannedWrite | undefined {
  const changed = conditions.filter((condition) => {
    const before = getCondition(binding.status?.conditions, condition.type);
    return before === undefined || !hasSameState(before, condition);
  });
  if (changed.length === 0) return undefined;
  const next = changed.reduce(
    (known, condition) => setCondition(known, condition, nowMs),
    binding.status?.conditions ?? [],
  );
  const after: APIServiceBinding = {
    ...binding,
    status: { ...binding.status, conditions: [...setBindingSummary(next, nowMs)] },
  };
  return {
    side: 'consumer',
    verb: 'patch',
    resource: resources.apiServiceBindings,
    key: { name: binding.metadata.name },
    subresource: 'status',
    before: { ...binding },
    after: { ...after },
  };
}
