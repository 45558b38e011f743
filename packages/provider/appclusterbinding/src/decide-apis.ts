import { isTerminating } from '@hawser/client';
import { equal } from '@hawser/json';
import {
  apiVersion,
  type APIServiceBinding,
  type APIServiceExportRequest,
  type AppClusterBinding,
  appClusterBindingRequestName,
  fixedNames,
} from '@hawser/klutch';
import {
  conditionTypes,
  getCondition,
  type GroupResource,
  hawserAnnotations,
  resourceGroupName,
} from '@hawser/kube-bind';
import type { Action } from './decision.js';
import { deletionPolicyOf } from './deletion-policy.js';
import { childLabels, isChildOf } from './marks.js';
import type { Observed } from './observed.js';
import type { Problem } from './problem.js';

export interface APIsDecision {
  readonly actions: readonly Action[];
  readonly problem: Problem | undefined;
}

type AcceptedClaim = NonNullable<APIServiceBinding['spec']['permissionClaims']>[number];

/**
 * Decides about one APIServiceBinding for each of `apiExports`, and a request for each without an export
 * (spec/klutch.md §13 steps 4 and 5). Removes bindings and requests of this AppClusterBinding that it no longer lists.
 * Exports stay, unless they are its own and its deletion policy is `Delete`: a consumer's objects depend on them.
 */
export function decideAPIs(observed: Observed, root: string): APIsDecision {
  const { binding, exports } = observed;
  const wanted = new Map((binding.spec.apiExports ?? []).map((entry) => [resourceGroupName(entry), entry] as const));
  const actions: Action[] = [];
  const missing: string[] = [];
  const messages: string[] = [];
  const unfit = new Set<string>();
  for (const [name, entry] of wanted) {
    actions.push(...decideBinding(observed, root, name));
    const found = exports.find(({ metadata }) => metadata.name === name);
    if (found !== undefined && !isTerminating(found)) {
      if (!isChildOf(found, binding) && answersOurs(observed, found.metadata.annotations?.[hawserAnnotations.request]))
        actions.push({
          type: 'patch',
          child: 'export',
          object: found,
          patch: { metadata: { labels: childLabels(binding) } },
        });
      // The provider's report on the request; an export's consumer can write its status.
      const rights = getCondition(requestOf(observed, name)?.status?.conditions, conditionTypes.rightsGranted);
      if (rights?.status === 'False') unfit.add(`${rights.reason ?? ''}: ${rights.message ?? ''}`);
      continue;
    }
    missing.push(name);
    const request = requestOf(observed, name);
    if (request === undefined)
      actions.push({ type: 'create', child: 'request', object: newRequest(binding, root, name, entry) });
    else if (request.status?.phase === 'Succeeded' && !isTerminating(request) && found === undefined)
      actions.push({ type: 'deleteAnswered', object: request, exportName: name });
    else
      messages.push(
        getCondition(request.status?.conditions, 'ExportsReady')?.message ?? request.status?.terminalMessage ?? '',
      );
  }
  actions.push(...surplus(observed, wanted));
  const text = messages.filter((one) => one !== '').join(' ');
  if (missing.length > 0)
    return { actions, problem: { kind: 'exportsPending', missing, messages: text === '' ? undefined : text } };
  return { actions, problem: unfit.size === 0 ? undefined : { kind: 'rightsMissing', messages: [...unfit].join(' ') } };
}

function decideBinding(
  { binding, bindings, exports, templates }: Observed,
  root: string,
  name: string,
): readonly Action[] {
  const found = bindings.find(({ metadata }) => metadata.name === name);
  if (found !== undefined && isTerminating(found)) return [];
  // The export says what it grants; the template may have changed since.
  const granted = exports.find(({ metadata }) => metadata.name === name)?.spec ?? templates.get(name)?.spec;
  const before = found?.spec.permissionClaims ?? [];
  const claims = (granted?.permissionClaims ?? []).map((claim): AcceptedClaim => {
    const isRejected = before.some(
      ({ state, ...other }) => state === 'Rejected' && resourceGroupName(other) === resourceGroupName(claim),
    );
    return { ...claim, state: isRejected ? 'Rejected' : 'Accepted' };
  });
  if (found === undefined) {
    const kubeconfigSecretRef = { name: fixedNames.kubeconfigSecret, key: fixedNames.kubeconfigKey, namespace: root };
    const object: APIServiceBinding = {
      apiVersion,
      kind: 'APIServiceBinding',
      metadata: { name, namespace: root, labels: childLabels(binding) },
      spec: { kubeconfigSecretRef, ...(claims.length === 0 ? {} : { permissionClaims: claims }) },
    };
    return [{ type: 'create', child: 'binding', object }];
  }
  // Without knowledge, take nothing back.
  return granted === undefined || equal(before, claims)
    ? []
    : [{ type: 'patch', child: 'binding', object: found, patch: { spec: { permissionClaims: claims } } }];
}

/** Finds the request by its resources: that of Klutch may have another name. */
function requestOf({ binding, requests }: Observed, name: string): APIServiceExportRequest | undefined {
  return requests.find(
    (request) =>
      isChildOf(request, binding) && request.spec.resources.some((resource) => resourceGroupName(resource) === name),
  );
}

function newRequest(
  binding: AppClusterBinding,
  root: string,
  name: string,
  { group = '', resource }: GroupResource,
): APIServiceExportRequest {
  return {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: {
      name: appClusterBindingRequestName(binding.metadata.name, name),
      namespace: root,
      labels: childLabels(binding),
    },
    spec: { resources: [{ group, resource }] },
  };
}

function answersOurs({ binding, requests }: Observed, uid: string | undefined): boolean {
  return uid !== undefined && requests.some((request) => request.metadata.uid === uid && isChildOf(request, binding));
}

function surplus(
  { binding, bindings, requests, exports }: Observed,
  wanted: ReadonlyMap<string, unknown>,
): readonly Action[] {
  const { policy } = deletionPolicyOf(binding);
  const isOurs = (object: Parameters<typeof isChildOf>[0]): boolean =>
    isChildOf(object, binding) && !isTerminating(object);
  // While the konnector unbinds by the policy of the binding, it needs the export and its rights.
  const unbinding = new Set(bindings.filter((one) => isChildOf(one, binding)).map(({ metadata }) => metadata.name));
  const needed = (name: string): boolean => wanted.has(name) || unbinding.has(name);
  return [
    ...bindings
      .filter((one) => isOurs(one) && !wanted.has(one.metadata.name))
      .map((object): Action => ({ type: 'delete', child: 'binding', object })),
    ...requests
      .filter((one) => isOurs(one) && !one.spec.resources.some((resource) => needed(resourceGroupName(resource))))
      .map((object): Action => ({ type: 'delete', child: 'request', object })),
    ...exports
      .filter((one) => policy === 'Delete' && isOurs(one) && !needed(one.metadata.name))
      .map((object): Action => ({ type: 'delete', child: 'export', object })),
  ];
}
