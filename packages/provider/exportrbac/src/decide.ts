import { isTerminating } from '@hawser/client';
import { equal } from '@hawser/json';
import { type BoundSchema, type Dialect, type Instant, resourceGroupName, schemaHash } from '@hawser/kube-bind';
import type { Action, Decision } from './decision.js';
import { isBackendBinding } from './backend-rights.js';
import { type ExportObject, isInForce, offersOf } from './export-object.js';
import { consumerLabel, consumerSubject, isOurs, namespaceOwner } from './marks.js';
import type { ObservedConsumer, Settings } from './observed.js';
import { type BindingObject, rbacGroup, rbacVersion } from './rbac-objects.js';
import { isUnfinished } from './refusal.js';
import { bindingName, roleName } from './right.js';
import { rightsOfRequest, withRequestRights } from './request-rights.js';
import { withRightsOutcome } from './rights-outcome.js';
import { type Grant, wantedRights } from './wanted-rights.js';

/**
 * Decides the actions for one consumer. Pure; `now` only dates conditions. Grants come first and withdrawals last: the
 * consumer keeps its rights in between.
 */
export function decide(settings: Settings, observed: ObservedConsumer, now: Instant): Decision {
  const { dialect } = settings;
  const { clusterNamespace, namespace } = observed;
  // The garbage collector removes what the cluster namespace owns; a terminating one can own no new objects.
  if (namespace === undefined || isTerminating(namespace)) return { actions: [], verdict: { kind: 'absent' } };
  const { grants, refusals, sharing } = wantedRights(settings, observed);
  const existing = new Map(
    observed.bindings.map((binding) => [`${binding.metadata.namespace ?? ''}/${binding.metadata.name}`, binding]),
  );
  const actions: Action[] = [];
  for (const [key, grant] of grants) {
    const binding = bindingOf(dialect, observed, grant);
    const found = existing.get(key);
    if (found === undefined) actions.push({ type: 'grant', binding });
    else if (!equal(found.roleRef, binding.roleRef)) actions.push({ type: 'withdraw', existing: found });
    else if (!isAsWanted(found, binding)) actions.push({ type: 'repair', existing: found, binding });
  }
  for (const found of observed.exports) {
    const { name } = found.metadata;
    const outcome = { refusals: refusals.get(name) ?? [], sharing: sharing.get(name) ?? [] };
    if (
      !isTerminating(found) &&
      !equal(withRightsOutcome(found.status, outcome, now).conditions, found.status?.conditions)
    ) {
      actions.push({ type: 'writeCondition', export: found, outcome });
    }
    if (isInForce(found)) actions.push(...narrowing(observed, found));
  }
  for (const request of observed.requests) {
    if (isTerminating(request)) continue;
    const rights = rightsOfRequest(dialect, request, refusals);
    const status = request.status ?? {};
    if (withRequestRights(status, rights, now) !== status) actions.push({ type: 'writeRequest', request, rights });
  }
  const unfinished = [...refusals.values()].flat().some(isUnfinished);
  for (const [key, binding] of existing) {
    if (grants.has(key)) continue;
    if (isOurs(dialect, binding, clusterNamespace)) actions.push({ type: 'withdraw', existing: binding });
    else if (!unfinished && isBackendBinding(dialect, observed, binding))
      actions.push({ type: 'removeBackendBinding', existing: binding });
  }
  const refused = [...refusals.values()].some((problems) => problems.length > 0);
  return { actions, verdict: refused ? { kind: 'refused', unfinished } : { kind: 'granted' } };
}

function bindingOf(
  dialect: Dialect,
  { clusterNamespace, namespace: owner }: ObservedConsumer,
  { right, namespace }: Grant,
): BindingObject {
  return {
    apiVersion: rbacVersion,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: {
      name: bindingName(dialect, clusterNamespace, right),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [consumerLabel]: clusterNamespace },
      ...(owner === undefined ? {} : { ownerReferences: [namespaceOwner(owner)] }),
    },
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: roleName(dialect, right) },
    subjects: [consumerSubject(dialect, clusterNamespace)],
  };
}

function isAsWanted(found: BindingObject, wanted: BindingObject): boolean {
  const label = wanted.metadata.labels?.[consumerLabel];
  return (
    equal(found.subjects, wanted.subjects) &&
    found.metadata.labels?.[consumerLabel] === label &&
    equal(found.metadata.ownerReferences, wanted.metadata.ownerReferences)
  );
}

/**
 * A konnector follows the BoundSchema, not the export's immutable field (spec/konnector.md §6). It still watches
 * cluster-scoped resources in the cluster.
 */
function narrowing({ boundSchemas }: ObservedConsumer, found: ExportObject): readonly Action[] {
  return offersOf(found, boundSchemas)
    .map(({ resource }) => resourceGroupName(resource))
    .flatMap((name): readonly Action[] => {
      const schema = boundSchemas.get(name);
      if (schema?.spec === undefined || schema.spec.informerScope === 'Namespaced' || isTerminating(schema)) return [];
      return [{ type: 'narrow', schema, hash: schemaHash(narrowed(schema.spec)) }];
    });
}

function narrowed(spec: NonNullable<BoundSchema['spec']>): NonNullable<BoundSchema['spec']> {
  return { ...spec, informerScope: 'Namespaced' };
}
