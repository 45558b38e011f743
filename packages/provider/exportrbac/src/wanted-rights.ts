import { type Dialect, type GroupResource, isWithdrawnByNamespace } from '@hawser/kube-bind';
import { differenceOf } from '@hawser/rbac';
import { consumerPolicyName } from './admission-policy.js';
import { claimedBy, type ExportObject, isInForce, offersOf } from './export-object.js';
import type { ObservedConsumer, Settings } from './observed.js';
import { type Places, placesOf } from './places.js';
import { type Reach, reachOf } from './reach.js';
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

interface Asked {
  /** Each with where it is to hold; undefined: in the whole cluster. */
  readonly rights: readonly { readonly right: Right; readonly namespaces: readonly (string | undefined)[] }[];
  readonly refusals: readonly Refusal[];
  readonly sharing: readonly Sharing[];
}

function rightsOf(
  { dialect, clusterReads }: Settings,
  observed: ObservedConsumer,
  places: Places,
  found: ExportObject,
): Asked {
  const { open, closed } = places;
  const inCluster = [undefined];
  const namesAreShared = places.shared.length > 0;
  const sharedClusterScope = clusterReads === 'shared';
  const rights: Asked['rights'][number][] = [];
  const refusals: Refusal[] = [...closed];
  const sharing: Sharing[] = [];
  for (const offer of offersOf(found, observed.boundSchemas)) {
    const { resource: named, scope, isolation, watchedInCluster } = offer;
    if (clusterReads === 'gateway') {
      const reach = reachOf(dialect, observed, places, offer);
      if (reach.kind === 'nowhere') refusals.push(reach.refusal);
      else rights.push(...rightsWithin(reach, named));
      if (namesAreShared || reach.kind === 'ownMarks') sharing.push({ kind: 'taken', resource: named });
      continue;
    }
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
  const claimed = claimedBy(found);
  const claimPlaces = clusterReads === 'gateway' ? places.undivided : open;
  for (const resource of claimed) rights.push({ right: { kind: 'claims', resource }, namespaces: claimPlaces });
  if (claimed.length > 0)
    for (const namespace of open)
      if (!claimPlaces.includes(namespace)) refusals.push({ kind: 'claimsShared', namespace });
  return { rights, refusals, sharing };
}

/** What a consumer needs to write where its objects are. It reads through the gateway, but in namespaces of its own, where there is nothing else to see. */
function rightsWithin(reach: Reach, resource: GroupResource): Asked['rights'] {
  const inCluster = [undefined];
  switch (reach.kind) {
    case 'namespaces':
      return [
        { right: { kind: 'objects', resource }, namespaces: [...reach.own] },
        { right: { kind: 'changes', resource }, namespaces: [...reach.shared] },
      ];
    case 'ownNames':
      return [{ right: { kind: 'changes', resource }, namespaces: inCluster }];
    case 'ownMarks':
      return [
        { right: { kind: 'changes', resource }, namespaces: inCluster },
        { right: { kind: 'any-name', resource }, namespaces: inCluster },
      ];
  }
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
