import type { KubeObject } from '@hawser/client';
import { annotations, type APIServiceExport, apiServiceNamespaceKey, conditionTypes, isClaimable, isConditionTrue, isWithdrawn, resourceGroupName } from '@hawser/kube-bind';
import { differenceOf } from '@hawser/rbac';
import { isClusterNamespace, isTerminating, sharedNamespaceAnnotation } from './marks.js';
import type { ObservedConsumer, ServiceNamespace, Settings } from './observed.js';
import type { Refusal } from './refusal.js';
import { type Right, bindingName, roleName, rulesOf } from './right.js';

/** A right and where it holds. */
export interface Grant {
  readonly right: Right;
  /** Undefined: in the whole cluster. */
  readonly namespace: string | undefined;
}

export interface WantedRights {
  /** By {@link grantKey}. */
  readonly grants: ReadonlyMap<string, Grant>;
  /** By name of the export. */
  readonly refusals: ReadonlyMap<string, readonly Refusal[]>;
}

/** Where the binding of a grant stands, and its name. */
export function grantKey(clusterNamespace: string, { right, namespace = '' }: Grant): string {
  return `${namespace}/${bindingName(clusterNamespace, right)}`;
}

/** Exports that give rights: those that stand, that the consumer has not let go of, and that the provider has not withdrawn. */
export function isInForce(found: APIServiceExport): boolean {
  return !isTerminating(found) && !isWithdrawn(found.metadata) && !isConditionTrue(found.status?.conditions, conditionTypes.unbound);
}

/**
 * What one consumer needs, by what only the provider writes: its exports, BoundSchemas and namespaces (spec/konnector.md §14.2). Of a status, which
 * consumers can write, nothing counts but what takes rights away.
 */
export function wantedRights(settings: Settings, observed: ObservedConsumer): WantedRights {
  const grants = new Map<string, Grant>();
  const refusals = new Map<string, readonly Refusal[]>();
  for (const found of observed.exports) {
    if (!isInForce(found)) continue;
    const asked = rightsOf(settings, observed, found);
    const problems = [...asked.refusals];
    for (const grant of asked.grants) {
      const problem = roleProblem(observed, grant.right);
      if (problem !== undefined) problems.push(problem);
      // A role that has come to differ since is told, and goes to nobody new: taking it away would end what works.
      if (problem === undefined || isGranted(observed, grant)) grants.set(grantKey(observed.clusterNamespace, grant), grant);
    }
    refusals.set(found.metadata.name, problems);
  }
  return { grants, refusals };
}

interface Asked {
  readonly grants: readonly Grant[];
  readonly refusals: readonly Refusal[];
}

function rightsOf(settings: Settings, observed: ObservedConsumer, found: APIServiceExport): Asked {
  const open = observed.serviceNamespaces.filter(({ namespace }) => namespace !== undefined && !isTerminating(namespace));
  const namespaces = [...new Set(open.filter((one) => isOpen(observed, one)).map(({ name }) => name))];
  const closed: Refusal[] = open.filter((one) => !isOpen(observed, one)).map(({ name }) => ({ kind: 'foreignNamespace', namespace: name }));
  const everywhere = (right: Right): readonly Grant[] => namespaces.map((namespace) => ({ right, namespace }));
  const grants: Grant[] = [];
  const refusals: Refusal[] = [...closed];
  for (const resource of found.spec.resources) {
    const schema = observed.boundSchemas.get(resourceGroupName(resource))?.spec;
    if (schema === undefined) continue;
    const { group, resource: plural } = resource;
    const named = { group, resource: plural };
    if (schema.scope === 'Namespaced') {
      grants.push(...everywhere({ kind: 'objects', resource: named }));
      continue;
    }
    const { isolation } = found.spec;
    if (!settings.sharedClusterScope) {
      refusals.push({ kind: 'sharedScope', resource: named, because: isolation === 'Namespaced' ? 'isolationNamespaced' : 'clusterScoped' });
      continue;
    }
    switch (isolation) {
      case 'Namespaced':
        grants.push({ right: { kind: 'watch', resource: named }, namespace: undefined }, { right: { kind: 'objects', resource: named }, namespace: observed.clusterNamespace });
        break;
      case 'None':
        grants.push({ right: { kind: 'objects', resource: named }, namespace: undefined }, { right: { kind: 'any-name', resource: named }, namespace: undefined });
        break;
      case 'Prefixed':
        if (observed.policy.kind === 'absent') refusals.push({ kind: 'policy', resource: named, what: observed.policy.what });
        else if (observed.prefixSharedWith !== undefined) refusals.push({ kind: 'prefix', resource: named, other: observed.prefixSharedWith });
        else grants.push({ right: { kind: 'objects', resource: named }, namespace: undefined });
        break;
    }
  }
  // In service namespaces and nowhere else, whatever the scopes of the export.
  for (const claim of found.spec.permissionClaims ?? []) {
    if (isClaimable(claim)) grants.push(...everywhere({ kind: 'claims', resource: { group: '', resource: claim.resource } }));
  }
  return { grants, refusals };
}

/** Whether the namespace was made for a consumer, this one or, under isolation None, any, or the operator has opened it. */
function isOpen({ clusterNamespace }: ObservedConsumer, { consumerNamespace, name, namespace }: ServiceNamespace): boolean {
  if (namespace === undefined || isClusterNamespace(namespace)) return false;
  const owner = ownerOf(namespace);
  if (owner === apiServiceNamespaceKey(clusterNamespace, consumerNamespace)) return true;
  if (name !== consumerNamespace) return false;
  return owner !== undefined || namespace.metadata.annotations?.[sharedNamespaceAnnotation] === 'true';
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.apiServiceNamespace];
}

function roleProblem({ roles }: ObservedConsumer, right: Right): Refusal | undefined {
  const role = roleName(right);
  const rules = rulesOf(right);
  const found = roles.get(role);
  if (found === undefined) return { kind: 'roleMissing', role, rules };
  const { missing, excess } = differenceOf(found.rules ?? [], rules);
  return missing.length === 0 && excess.length === 0 ? undefined : { kind: 'roleDiffers', role, missing, excess };
}

function isGranted({ bindings, clusterNamespace }: ObservedConsumer, { right, namespace }: Grant): boolean {
  const name = bindingName(clusterNamespace, right);
  return bindings.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
}
