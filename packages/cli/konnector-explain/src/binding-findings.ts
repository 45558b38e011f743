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

/** These sum up others, which are told one by one. */
const SUMMARIES: ReadonlySet<string> = new Set([conditionTypes.ready, conditionTypes.objectsInSync]);

/** These say something is held when they are True. */
const HOLDING: ReadonlySet<string> = new Set(['Paused', 'DeletionsHeld', 'SchemaUpdateHeld']);

/**
 * What is wrong with a binding as a whole: what a konnector would say now, and what one has said that cannot be found out from outside. A reason
 * that would not be given any more is left out: the konnector has yet to take it back.
 */
export function bindingFindings({ binding, conditions }: BindingView): readonly Finding[] {
  const now = new Map(conditions.map((condition) => [condition.type, condition]));
  const wrong = conditions
    .filter(({ type, status }) => (status === 'True') === HOLDING.has(type))
    .map((condition) => findingOf(condition, binding));
  const said = (binding.status?.conditions ?? []).filter((condition) => {
    const { type, status, reason = '' } = condition;
    if (HOLDING.has(type)) return status === 'True' && !now.has(type);
    if (status !== 'False' || SUMMARIES.has(type)) return false;
    const recomputed = now.get(type);
    return recomputed === undefined || (recomputed.status === 'True' && !RECOMPUTED.has(reason));
  });
  const findings = [...wrong, ...said.map((condition) => findingOf(condition, binding))];
  // One cause often shows in several conditions.
  return findings.filter(
    (finding, at) =>
      findings.findIndex(({ reason, message }) => reason === finding.reason && message === finding.message) === at,
  );
}

/** Reasons that a look from outside gives, or would not give any more. */
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

/** Why nothing of a resource is synced; undefined if it is. */
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

/** The status that the binding would get, if it is another one. */
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
