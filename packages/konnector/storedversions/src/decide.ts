import type { Resource } from '@hawser/client';
import type { Decision as Round } from '@hawser/controller';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type Conditions,
  type CustomResourceDefinition,
  type NewCondition,
  conditionTypes,
  getCondition,
  removeCondition,
  setCondition,
  storedResource,
} from '@hawser/kube-bind';
import { problem, subject } from './problem.js';

/** Next action for one bound CRD. */
export type Decision =
  | { readonly kind: 'nothing' }
  /** The storage version changed just now: another API server may still write the old one. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Objects may be stored in `old`; a rewrite through `resource` stores them in `storage`. */
  | { readonly kind: 'migrate'; readonly resource: Resource; readonly storage: string; readonly old: readonly string[] }
  /** No version is served: objects can be neither read nor written. */
  | { readonly kind: 'unreachable'; readonly old: readonly string[] };

/** Decides about one bound CRD. `sinceMs`: how long its spec is unchanged. Pure. */
export function decide(
  { metadata, spec, status }: CustomResourceDefinition,
  sinceMs: number,
  settleMs: number,
): Decision {
  const storage = spec.versions.find((version) => version.storage)?.name;
  const old = (status?.storedVersions ?? []).filter((version) => version !== storage);
  const established = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  if (metadata.deletionTimestamp !== undefined || storage === undefined || old.length === 0 || !established)
    return { kind: 'nothing' };
  if (sinceMs < settleMs) return { kind: 'wait', ms: settleMs - sinceMs };
  const resource = storedResource(spec);
  return resource === undefined ? { kind: 'unreachable', old } : { kind: 'migrate', resource, storage, old };
}

/** Observed state of one CRD. Closed. */
export type Seen =
  | { readonly kind: 'notBound' }
  | {
      readonly kind: 'bound';
      readonly crd: CustomResourceDefinition;
      /** The binding that owns it; undefined: it is gone. */
      readonly binding: APIServiceBinding | undefined;
      readonly seenForMs: number;
      readonly now: number;
    };

/** Closed. */
export type Step =
  /** One condition for all CRDs of a binding. Undefined: remove it. */
  | {
      readonly type: 'writeCondition';
      readonly binding: APIServiceBinding;
      readonly crd: string;
      readonly condition: NewCondition | undefined;
    }
  | {
      readonly type: 'migrate';
      readonly crd: CustomResourceDefinition;
      readonly binding: APIServiceBinding | undefined;
      readonly resource: Resource;
      readonly storage: string;
      readonly old: readonly string[];
    };

/** Decides the next round for one CRD. Pure. */
export function decideStep(seen: Seen, settleMs: number): Round<Step> {
  if (seen.kind === 'notBound') return { actions: [] };
  const { crd, binding, now } = seen;
  const { name } = crd.metadata;
  const reportOf = (condition: NewCondition | undefined): Round<Step> => ({
    actions:
      binding === undefined || withCondition(binding.status, name, condition, now) === binding.status?.conditions
        ? []
        : [{ type: 'writeCondition', binding, crd: name, condition }],
  });
  const decision = decide(crd, seen.seenForMs, settleMs);
  switch (decision.kind) {
    case 'nothing':
      return reportOf(undefined);
    case 'wait':
      return { actions: [], requeueAfterMs: decision.ms, requeuePriority: 'normal' };
    case 'unreachable':
      return reportOf(
        problem(
          'StoredVersionsUnreachable',
          name,
          decision.old,
          'no version of it is served, so that its objects can be neither read nor written. The provider has to serve one.',
        ),
      );
    case 'migrate': {
      const { resource, storage, old } = decision;
      return { actions: [{ type: 'migrate', crd, binding, resource, storage, old }] };
    }
  }
}

/** Replaces the text of one CRD in the condition and keeps that of others. Returns the same list if nothing changes. */
export function withCondition(
  status: APIServiceBindingStatus | undefined,
  crd: string,
  condition: NewCondition | undefined,
  now: number,
): Conditions | undefined {
  const before = status?.conditions;
  const type = conditionTypes.storedVersionsMigrated;
  if (condition !== undefined) return setCondition(before, condition, now);
  const known = getCondition(before, type);
  return known?.message?.startsWith(subject(crd)) === true ? removeCondition(before, type) : before;
}
