import { type Dialect, type GroupResource, isWithdrawnByNamespace } from '@hawser/kube-bind';
import { differenceOf } from '@hawser/rbac';
import { consumerPolicyName } from './admission-policy.js';
import { claimedBy, type ExportObject, isInForce, type Offer, offersOf } from './export-object.js';
import type { ObservedConsumer, Settings } from './observed.js';
import { type NamespaceAccess, namespaceAccessOf } from './namespace-access.js';
import { type Reach, reachOf } from './reach.js';
import type { Refusal } from './refusal.js';
import { type Right, bindingName, roleName, rulesOf } from './right.js';
import type { Sharing } from './sharing.js';

/** A right and its namespace. */
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

/** Key of a grant: its binding's namespace and name. */
export function grantKey(dialect: Dialect, clusterNamespace: string, { right, namespace = '' }: Grant): string {
  return `${namespace}/${bindingName(dialect, clusterNamespace, right)}`;
}

/**
 * Computes one consumer's rights from facts that only the provider writes: exports, BoundSchemas and namespaces
 * (spec/konnector.md §14.2). A status, which consumers can write, can only reduce rights.
 */
export function wantedRights(settings: Settings, observed: ObservedConsumer): WantedRights {
  const { dialect } = settings;
  const grants = new Map<string, Grant>();
  const refusals = new Map<string, readonly Refusal[]>();
  const sharing = new Map<string, readonly Sharing[]>();
  const access = namespaceAccessOf(dialect, observed);
  for (const found of observed.exports) {
    if (!isInForce(found)) continue;
    const { name } = found.metadata;
    if (isWithdrawnByNamespace(observed.namespace, name)) {
      refusals.set(name, [{ kind: 'withdrawn', clusterNamespace: observed.clusterNamespace, name }]);
      continue;
    }
    const asked = rightsOf(settings, observed, access, found);
    const problems = [...asked.refusals];
    for (const { right, namespaces } of asked.rights) {
      // Also before the consumer has a namespace: problems are reported before users wait for objects.
      const problem = roleProblem(dialect, observed, right);
      if (problem !== undefined) problems.push(problem);
      for (const namespace of namespaces) {
        const grant = { right, namespace };
        // A changed role is reported, not bound again. Existing bindings stay: removing them would break working syncs.
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
  /** Each with its namespaces; undefined: in the whole cluster. */
  readonly rights: readonly { readonly right: Right; readonly namespaces: readonly (string | undefined)[] }[];
  readonly refusals: readonly Refusal[];
  readonly sharing: readonly Sharing[];
}

const IN_CLUSTER = [undefined];
const NOTHING: Asked = { rights: [], refusals: [], sharing: [] };

function rightsOf(settings: Settings, observed: ObservedConsumer, access: NamespaceAccess, found: ExportObject): Asked {
  const asked = offersOf(found, observed.boundSchemas).map((offer): Asked => {
    if (settings.clusterReads === 'gateway') return throughGateway(settings.dialect, observed, access, offer);
    return offer.scope === 'Namespaced'
      ? inNamespaces(settings, access, offer)
      : clusterScoped(settings, observed, offer);
  });
  const all = [...asked, claims(settings, access, claimedBy(found))];
  return {
    rights: all.flatMap(({ rights }) => rights),
    refusals: [...access.closed, ...all.flatMap(({ refusals }) => refusals)],
    sharing: all.flatMap(({ sharing }) => sharing),
  };
}

function throughGateway(dialect: Dialect, observed: ObservedConsumer, access: NamespaceAccess, offer: Offer): Asked {
  const { resource } = offer;
  const reach = reachOf(dialect, observed, access, offer);
  return {
    rights: reach.kind === 'nowhere' ? [] : rightsWithin(reach, resource),
    refusals: reach.kind === 'nowhere' ? [reach.refusal] : [],
    sharing: access.shared.length > 0 || reach.kind === 'ownMarks' ? [{ kind: 'taken', resource }] : [],
  };
}

function inNamespaces(
  { clusterReads }: Settings,
  access: NamespaceAccess,
  { resource, watchedInCluster }: Offer,
): Asked {
  const rights: Asked['rights'] = [{ right: { kind: 'objects', resource }, namespaces: access.open }];
  const names: readonly Sharing[] = access.shared.length > 0 ? [{ kind: 'names', resource }] : [];
  if (!watchedInCluster) return { rights, refusals: [], sharing: names };
  return clusterReads === 'shared'
    ? {
        rights: [...rights, { right: { kind: 'watch', resource }, namespaces: IN_CLUSTER }],
        refusals: [],
        sharing: names.length > 0 ? names : [{ kind: 'sight', resource }],
      }
    : { rights, refusals: [{ kind: 'sharedScope', resource, because: 'informerScope' }], sharing: names };
}

function clusterScoped(
  { dialect, clusterReads }: Settings,
  { clusterNamespace, policy, prefixSharedWith }: ObservedConsumer,
  { resource, isolation }: Offer,
): Asked {
  const refused = (refusal: Refusal): Asked => ({ ...NOTHING, refusals: [refusal] });
  if (clusterReads !== 'shared')
    return refused({
      kind: 'sharedScope',
      resource,
      because: isolation === 'Namespaced' ? 'isolationNamespaced' : 'clusterScoped',
    });
  switch (isolation) {
    case 'Namespaced':
      return {
        rights: [
          { right: { kind: 'watch', resource }, namespaces: IN_CLUSTER },
          { right: { kind: 'objects', resource }, namespaces: [clusterNamespace] },
        ],
        refusals: [],
        sharing: [{ kind: 'sight', resource }],
      };
    case 'None':
      return {
        rights: [
          { right: { kind: 'objects', resource }, namespaces: IN_CLUSTER },
          { right: { kind: 'any-name', resource }, namespaces: IN_CLUSTER },
        ],
        refusals: [],
        sharing: [{ kind: 'names', resource }],
      };
    case 'Prefixed':
      if (policy.kind === 'absent')
        return refused({ kind: 'policy', resource, policy: consumerPolicyName(dialect), what: policy.what });
      if (prefixSharedWith !== undefined) return refused({ kind: 'prefix', resource, other: prefixSharedWith });
      return {
        rights: [{ right: { kind: 'objects', resource }, namespaces: IN_CLUSTER }],
        refusals: [],
        sharing: [{ kind: 'sight', resource }],
      };
  }
}

/** In service namespaces only, whatever the scopes of the export. */
function claims(
  { clusterReads }: Settings,
  { open, undivided }: NamespaceAccess,
  claimed: readonly GroupResource[],
): Asked {
  const namespaces = clusterReads === 'gateway' ? undivided : open;
  return {
    rights: claimed.map((resource) => ({ right: { kind: 'claims', resource }, namespaces })),
    refusals:
      claimed.length === 0
        ? []
        : open
            .filter((namespace) => !namespaces.includes(namespace))
            .map((namespace) => ({ kind: 'claimsShared', namespace })),
    sharing: [],
  };
}

/**
 * Write rights of a consumer for its objects. It reads through the gateway, except in its own namespaces, which hold
 * nothing else.
 */
function rightsWithin(reach: Reach, resource: GroupResource): Asked['rights'] {
  switch (reach.kind) {
    case 'namespaces':
      return [
        { right: { kind: 'objects', resource }, namespaces: [...reach.own] },
        { right: { kind: 'changes', resource }, namespaces: [...reach.shared] },
      ];
    case 'ownNames':
      return [{ right: { kind: 'changes', resource }, namespaces: IN_CLUSTER }];
    case 'ownMarks':
      return [
        { right: { kind: 'changes', resource }, namespaces: IN_CLUSTER },
        { right: { kind: 'any-name', resource }, namespaces: IN_CLUSTER },
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
