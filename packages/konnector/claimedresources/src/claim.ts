import type { Resource } from '@hawser/client';
import {
  type APIServiceExport,
  type ClaimSelector,
  type GroupResource,
  type PermissionClaim,
  groupResourceString,
  isClaimable,
} from '@hawser/kube-bind';
import type { LabelSelector } from '@hawser/rbac';

import { parsePath } from './path.js';
import type { Named, ReferencePaths } from './references.js';
import type { Actor } from './verdict.js';
import type { Side } from './marks.js';
import type { ClaimReason } from './reasons.js';

/** Objects that name claimed ones. */
export interface Reference extends ReferencePaths {
  readonly resource: Resource;
  /** The provider writes the values at its paths. They may select the provider's objects, never the consumer's. */
  readonly providerWrites: boolean;
}

/** A supported permission claim of one binding. */
export interface Claim {
  readonly binding: string;
  readonly resource: Resource;
  readonly labels?: LabelSelector | undefined;
  readonly named: readonly Named[];
  readonly references: readonly Reference[];
  /** Only objects of that side. Absent: of both. */
  readonly owner?: Side | undefined;
  /** Only in these namespaces of the consumer. Absent: in all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** A claim as requested. */
export interface AskedClaim extends PermissionClaim, Pick<Claim, 'owner' | 'namespaces'> {}

/** A claim, or a part of one, that is not served. */
export interface ClaimProblem {
  readonly reason: ClaimReason;
  readonly message: string;
  readonly actor: Actor;
}

export interface ReadClaims {
  readonly claims: readonly Claim[];
  readonly problems: readonly ClaimProblem[];
}

/** The resource that a claim means, or why none. Only namespaced resources can be claimed. */
export type Claimability =
  | { readonly kind: 'claimable'; readonly resource: Resource }
  | { readonly kind: 'refused'; readonly problem: ClaimProblem };
export type Claimable = (resource: GroupResource) => Claimability;

/** The contract's claimable resources (`spec/kube-bind-api.md §5.4`): core ConfigMaps, Secrets, ServiceAccounts. */
export const claimable: Claimable = (resource) =>
  isClaimable(resource)
    ? { kind: 'claimable', resource: { group: '', version: 'v1', resource: resource.resource } }
    : { kind: 'refused', problem: notSupported(resource, 'this resource cannot be claimed') };

/** Problem of a claim that is not served, or not in full. */
export function notSupported(resource: GroupResource, why: string): ClaimProblem {
  return {
    reason: 'ClaimNotSupported',
    message: `The claim on ${groupResourceString(resource)} is not served in full: ${why}. The provider has to change it.`,
    actor: 'provider',
  };
}

const KINDS: Readonly<Record<string, string>> = {
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  serviceaccounts: 'ServiceAccount',
};

/** Kind of a claimed resource's objects, if known before the first read. */
export function claimedKind({ group, resource }: Resource): string | undefined {
  return group === '' ? KINDS[resource] : undefined;
}

/** Never read as referring objects: this would read all of them, with contents. */
const NOT_REFERRING: ReadonlySet<string> = new Set(['secrets', 'configmaps']);

/** Reads the claims of `binding`, made on an export like `apiExport`. Pure. An unknown part selects nothing. */
export function readClaims(
  binding: string,
  claims: readonly AskedClaim[],
  apiExport: Pick<APIServiceExport, 'spec'>,
  resolve: Claimable = claimable,
): ReadClaims {
  const problems: ClaimProblem[] = [];
  const unsupported = (claim: PermissionClaim, why: string): void => {
    problems.push(notSupported(claim, why));
  };
  const read = claims.flatMap((claim): readonly Claim[] => {
    if (
      apiExport.spec.resources.some(
        (entry) => entry.resource === claim.resource && (entry.group ?? '') === (claim.group ?? ''),
      )
    ) {
      unsupported(claim, 'this resource is bound, so that its objects are copied already');
      return [];
    }
    const found = resolve(claim);
    if (found.kind === 'refused') {
      problems.push(found.problem);
      return [];
    }
    const { resource } = found;
    const { labelSelector, namedResources = [], references = [] } = claim.selector;
    const labels = labelSelector === undefined ? undefined : readLabels(labelSelector);
    if (labelSelector !== undefined && labels === undefined)
      unsupported(claim, 'its label selector has an unknown operator');
    return [
      {
        binding,
        resource,
        labels,
        owner: claim.owner,
        namespaces: claim.namespaces,
        named: namedResources.map(({ name, namespace }) => ({
          name,
          namespace: namespace === '' ? undefined : namespace,
        })),
        references: references.flatMap((reference) =>
          readReference(reference, apiExport, (why) => {
            unsupported(claim, why);
          }),
        ),
      },
    ];
  });
  return { claims: read, problems };
}

function readReference(
  reference: NonNullable<ClaimSelector['references']>[number],
  { spec }: Pick<APIServiceExport, 'spec'>,
  unsupported: (why: string) => void,
): readonly Reference[] {
  const { group = '', resource, jsonPath } = reference;
  const exported = spec.resources.find((entry) => entry.resource === resource && (entry.group ?? '') === group);
  const what = `references in ${groupResourceString(reference)}`;
  if (exported === undefined && (spec.isolation !== 'None' || (group === '' && NOT_REFERRING.has(resource)))) {
    unsupported(`${what} are not followed, since the export does not have that resource`);
    return [];
  }
  const versions = nonEmpty(reference.versions) ?? nonEmpty(exported?.versions) ?? [];
  if (versions.length === 0) unsupported(`${what} name no version`);
  const name = jsonPath.name === undefined ? undefined : parsePath(jsonPath.name);
  const namespace = (jsonPath.namespace ?? '') === '' ? undefined : parsePath(jsonPath.namespace ?? '');
  if (name === undefined || (namespace === undefined && (jsonPath.namespace ?? '') !== '')) {
    unsupported(`${what} have a path that is not understood; use fields, indexes and #`);
    return [];
  }
  const providerWrites = [name, namespace].some((path) => path?.[0]?.kind === 'key' && path[0].key === 'status');
  return versions.map((version) => ({ resource: { group, version, resource }, name, namespace, providerWrites }));
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function readLabels({
  matchLabels,
  matchExpressions = [],
}: NonNullable<ClaimSelector['labelSelector']>): LabelSelector | undefined {
  // The contract's schema does not define the content of a label selector.
  if (!isListOfObjects(matchExpressions)) return undefined;
  const expressions = matchExpressions.flatMap(({ key, operator, values }) =>
    isOperator(operator) ? [{ key, operator, ...(values === undefined ? {} : { values }) }] : [],
  );
  if (expressions.length !== matchExpressions.length) return undefined;
  return { ...(matchLabels === undefined ? {} : { matchLabels }), matchExpressions: expressions };
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

function isOperator(operator: string): operator is (typeof OPERATORS)[number] {
  return (OPERATORS as readonly string[]).includes(operator);
}
