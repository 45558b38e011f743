import { groupResourceString, isClaimable, type PermissionClaim as KubeBindClaim } from '@hawser/kube-bind';
import type { PermissionClaim } from './kinds/shared.js';

/** A claim of Klutch in the words of kube-bind, and what those cannot say. */
export interface TranslatedClaim {
  readonly claim: KubeBindClaim;
  /** Parts that were left out, as fields of the claim. */
  readonly lost: readonly string[];
}

const inert = ['required', 'autoAdopt', 'autoDonate', 'read', 'create', 'update', 'onConflict'] as const;

/**
 * Selects the same objects. Undefined where kube-bind has no claims on the resource. Who owns an object has no place in a claim of kube-bind, which
 * decides by a label on each object: it is among what is lost.
 */
export function claimToKubeBind(claim: PermissionClaim): TranslatedClaim | undefined {
  if (!isClaimable(claim)) return undefined;
  const { names = ['*'], namespaces = ['*'], labelSelectors = [], fieldSelectors = [], owner } = claim.selector ?? {};
  const lost = [
    ...(owner === undefined ? [] : ['selector.owner']),
    ...(labelSelectors.length === 0 ? [] : ['selector.labelSelectors']),
    ...(fieldSelectors.length === 0 ? [] : ['selector.fieldSelectors']),
    ...inert.filter((field) => claim[field] !== undefined),
  ];
  const everyName = names.includes('*');
  const everyNamespace = namespaces.includes('*');
  // Klutch does not act on a list of namespaces where it names none, and kube-bind cannot say all names of one namespace.
  if (everyName && !everyNamespace) lost.push('selector.namespaces');
  const selector: KubeBindClaim['selector'] = everyName
    ? { labelSelector: {} }
    : {
        namedResources: names.flatMap((name) =>
          everyNamespace ? [{ name }] : namespaces.map((namespace) => ({ name, namespace })),
        ),
      };
  return { claim: { group: claim.group ?? '', resource: claim.resource, selector }, lost };
}

/** @throws {RangeError} for a claim by labels or references: Klutch does not act on those, and would claim everything. */
export function claimFromKubeBind({ group = '', resource, selector }: KubeBindClaim): PermissionClaim {
  const { labelSelector, namedResources = [], references = [] } = selector;
  const selectsAll =
    labelSelector !== undefined &&
    Object.keys(labelSelector.matchLabels ?? {}).length === 0 &&
    (labelSelector.matchExpressions ?? []).length === 0;
  if (selectsAll) return { group, resource, selector: { names: ['*'], namespaces: ['*'] } };
  if (labelSelector !== undefined || references.length > 0)
    throw new RangeError(`the claim on ${groupResourceString({ group, resource })} selects by labels or references`);
  const anywhere = namedResources.some(({ namespace = '' }) => namespace === '');
  return {
    group,
    resource,
    selector: {
      names: [...new Set(namedResources.map(({ name }) => name))],
      namespaces: anywhere ? ['*'] : [...new Set(namedResources.map(({ namespace = '' }) => namespace))],
    },
  };
}
