import { groupResourceString, isClaimable, type PermissionClaim as KubeBindClaim } from '@hawser/kube-bind';
import type { PermissionClaim } from './kinds/shared.js';

/** A claim of Klutch as a kube-bind claim, and the parts that kube-bind cannot express. */
export interface TranslatedClaim {
  readonly claim: KubeBindClaim;
  /** Lost parts, as fields of the claim. */
  readonly lost: readonly string[];
}

const inert = ['required', 'autoAdopt', 'autoDonate', 'read', 'create', 'update', 'onConflict'] as const;

/**
 * Translates a claim of Klutch; it selects the same objects. Undefined where kube-bind allows no claims on the
 * resource. Ownership is lost: kube-bind decides it by a label on each object, not in the claim.
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
  // Klutch ignores a list of namespaces without names, and kube-bind cannot express all names of one namespace.
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

/**
 * Translates a claim to Klutch.
 * @throws {RangeError} for a claim by labels or references: Klutch ignores those and would claim everything.
 */
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
