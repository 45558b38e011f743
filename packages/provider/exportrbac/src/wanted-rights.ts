import { type KubeObject, isTerminating } from '@hawser/client';
import { isClusterNamespace } from '@hawser/klutch';
import {
  apiServiceNamespaceKey,
  conditionTypes,
  type Dialect,
  isConditionTrue,
  isWithdrawn,
  isWithdrawnByNamespace,
} from '@hawser/kube-bind';
import { differenceOf } from '@hawser/rbac';
import { consumerPolicyName } from './admission-policy.js';
import { claimedBy, type ExportObject, offersOf } from './export-object.js';
import { sharedNamespaceAnnotation } from './marks.js';
import type { ObservedConsumer, ServiceNamespace, Settings } from './observed.js';
import type { Refusal } from './refusal.js';
import { type Right, bindingName, roleName, rulesOf } from './right.js';
import type { Sharing } from './sharing.js';

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
  /** By name of the export; each resource once. */
  readonly sharing: ReadonlyMap<string, readonly Sharing[]>;
}

/** Where the binding of a grant stands, and its name. */
export function grantKey(dialect: Dialect, clusterNamespace: string, { right, namespace = '' }: Grant): string {
  return `${namespace}/${bindingName(dialect, clusterNamespace, right)}`;
}

/** Exports that give rights: those that stand, that the consumer has not let go of, and that the provider has not withdrawn. */
export function isInForce(found: ExportObject): boolean {
  return (
    !isTerminating(found) &&
    !isWithdrawn(found.metadata) &&
    !isConditionTrue(found.status?.conditions, conditionTypes.unbound)
  );
}

/**
 * What one consumer needs, by what only the provider writes: its exports, BoundSchemas and namespaces (spec/konnector.md §14.2). Of a status, which
 * consumers can write, nothing counts but what takes rights away.
 */
export function wantedRights(settings: Settings, observed: ObservedConsumer): WantedRights {
  const { dialect } = settings;
  const grants = new Map<string, Grant>();
  const refusals = new Map<string, readonly Refusal[]>();
  const sharing = new Map<string, readonly Sharing[]>();
  const places = placesOf(dialect, observed);
  for (const found of observed.exports) {
    if (!isInForce(found)) continue;
    const { name } = found.metadata;
    if (isWithdrawnByNamespace(observed.namespace, name)) {
      refusals.set(name, [{ kind: 'withdrawn', clusterNamespace: observed.clusterNamespace, name }]);
      continue;
    }
    const asked = rightsOf(settings, observed, places, found);
    const problems = [...asked.refusals];
    for (const { right, namespaces } of asked.rights) {
      // Also before the consumer has a namespace: what is wrong then is told before anybody waits for objects.
      const problem = roleProblem(dialect, observed, right);
      if (problem !== undefined) problems.push(problem);
      for (const namespace of namespaces) {
        const grant = { right, namespace };
        // A role that has come to differ since is told, and goes to nobody new: taking it away would end what works.
        if (problem === undefined || isGranted(dialect, observed, grant))
          grants.set(grantKey(dialect, observed.clusterNamespace, grant), grant);
      }
    }
    refusals.set(found.metadata.name, problems);
    sharing.set(found.metadata.name, asked.sharing);
  }
  return { grants, refusals, sharing };
}

/** The service namespaces of a consumer that stand. */
interface Places {
  /** Where it may have rights. */
  readonly open: readonly string[];
  readonly closed: readonly Refusal[];
  /** Some have the names that they have on the consumer. So it is under isolation None, whatever it is called now. */
  readonly namesAreShared: boolean;
}

function placesOf(dialect: Dialect, observed: ObservedConsumer): Places {
  const open = new Set<string>();
  const closed: Refusal[] = [];
  let namesAreShared = false;
  for (const one of observed.serviceNamespaces) {
    const { consumerNamespace, name, namespace } = one;
    if (namespace === undefined || isTerminating(namespace)) continue;
    if (isOpen(dialect, observed, one)) {
      open.add(name);
      namesAreShared ||= name === consumerNamespace;
    } else {
      closed.push({ kind: 'foreignNamespace', namespace: name });
    }
  }
  return { open: [...open], closed, namesAreShared };
}

interface Asked {
  /** Each with where it is to hold; undefined: in the whole cluster. */
  readonly rights: readonly { readonly right: Right; readonly namespaces: readonly (string | undefined)[] }[];
  readonly refusals: readonly Refusal[];
  readonly sharing: readonly Sharing[];
}

function rightsOf(
  { dialect, sharedClusterScope }: Settings,
  observed: ObservedConsumer,
  { open, closed, namesAreShared }: Places,
  found: ExportObject,
): Asked {
  const inCluster = [undefined];
  const rights: Asked['rights'][number][] = [];
  const refusals: Refusal[] = [...closed];
  const sharing: Sharing[] = [];
  for (const { resource: named, scope, isolation, watchedInCluster } of offersOf(found, observed.boundSchemas)) {
    if (scope === 'Namespaced') {
      rights.push({ right: { kind: 'objects', resource: named }, namespaces: open });
      if (namesAreShared) sharing.push({ kind: 'names', resource: named });
      else if (watchedInCluster && sharedClusterScope) sharing.push({ kind: 'sight', resource: named });
      if (watchedInCluster && sharedClusterScope)
        rights.push({ right: { kind: 'watch', resource: named }, namespaces: inCluster });
      else if (watchedInCluster) refusals.push({ kind: 'sharedScope', resource: named, because: 'informerScope' });
      continue;
    }
    if (!sharedClusterScope) {
      refusals.push({
        kind: 'sharedScope',
        resource: named,
        because: isolation === 'Namespaced' ? 'isolationNamespaced' : 'clusterScoped',
      });
      continue;
    }
    switch (isolation) {
      case 'Namespaced':
        rights.push(
          { right: { kind: 'watch', resource: named }, namespaces: inCluster },
          { right: { kind: 'objects', resource: named }, namespaces: [observed.clusterNamespace] },
        );
        sharing.push({ kind: 'sight', resource: named });
        break;
      case 'None':
        rights.push(
          { right: { kind: 'objects', resource: named }, namespaces: inCluster },
          { right: { kind: 'any-name', resource: named }, namespaces: inCluster },
        );
        sharing.push({ kind: 'names', resource: named });
        break;
      case 'Prefixed':
        if (observed.policy.kind === 'absent')
          refusals.push({
            kind: 'policy',
            resource: named,
            policy: consumerPolicyName(dialect),
            what: observed.policy.what,
          });
        else if (observed.prefixSharedWith !== undefined)
          refusals.push({ kind: 'prefix', resource: named, other: observed.prefixSharedWith });
        else {
          rights.push({ right: { kind: 'objects', resource: named }, namespaces: inCluster });
          sharing.push({ kind: 'sight', resource: named });
        }
        break;
    }
  }
  // In service namespaces and nowhere else, whatever the scopes of the export.
  for (const resource of claimedBy(found)) rights.push({ right: { kind: 'claims', resource }, namespaces: open });
  return { rights, refusals, sharing };
}

/** Whether the namespace was made for a consumer, this one or, under isolation None, any, or the operator has opened it. */
function isOpen(
  dialect: Dialect,
  { clusterNamespace }: ObservedConsumer,
  { consumerNamespace, name, namespace }: ServiceNamespace,
): boolean {
  if (namespace === undefined || isClusterNamespace(namespace)) return false;
  const owner = ownerOf(dialect, namespace);
  if (owner === apiServiceNamespaceKey(clusterNamespace, consumerNamespace)) return true;
  if (name !== consumerNamespace) return false;
  return owner !== undefined || namespace.metadata.annotations?.[sharedNamespaceAnnotation] === 'true';
}

function ownerOf({ annotations }: Dialect, { metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.apiServiceNamespace];
}

function roleProblem(dialect: Dialect, { roles }: ObservedConsumer, right: Right): Refusal | undefined {
  const role = roleName(dialect, right);
  const rules = rulesOf(right);
  const found = roles.get(role);
  if (found === undefined) return { kind: 'roleMissing', role, rules };
  const { missing, excess } = differenceOf(found.rules ?? [], rules);
  return missing.length === 0 && excess.length === 0 ? undefined : { kind: 'roleDiffers', role, missing, excess };
}

function isGranted(
  dialect: Dialect,
  { bindings, clusterNamespace }: ObservedConsumer,
  { right, namespace }: Grant,
): boolean {
  const name = bindingName(dialect, clusterNamespace, right);
  return bindings.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
}
