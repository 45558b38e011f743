import type { RelatedResource } from '@hawser/core-kbind';
import { readRules } from '@hawser/kbind-binding';
import { claimInWords, type PermissionClaim } from '@hawser/kube-bind';

type LabelSelector = NonNullable<PermissionClaim['selector']['labelSelector']>;

/** A permission claim in the terms of `core.kbind.io`. */
export type ClaimTranslation =
  /** Rules that select the same objects in both directions; none if the claim selects nothing. */
  | { readonly kind: 'same'; readonly rules: readonly RelatedResource[] }
  /** `why`: the end of a sentence. */
  | { readonly kind: 'none'; readonly why: string };

/**
 * Translates a claim to equivalent rules of `spec.relatedResources` (spec/kbind-v2.md §25.2). Each object says in which
 * direction a claim goes, so the rules come in both. The selectors of a claim are alternatives, so each becomes its own
 * rule. Pure.
 */
export function relatedOfClaim({ group = '', resource, selector }: PermissionClaim): ClaimTranslation {
  if (group !== '' || (resource !== 'secrets' && resource !== 'configmaps'))
    return { kind: 'none', why: 'only Secrets and ConfigMaps can be related there' };
  const { labelSelector, namedResources = [], references = [] } = selector;
  if (references.length > 0) return { kind: 'none', why: 'no rule there selects what other objects name (references)' };
  if (namedResources.some(({ namespace = '' }) => namespace !== ''))
    return { kind: 'none', why: 'no rule there names a namespace; a Binding in that namespace can' };
  if (labelSelector !== undefined && isEmpty(labelSelector))
    return {
      kind: 'none',
      why: 'it covers every object. A claim ends at the namespaces of the consumer, a rule there does not',
    };
  const selectors: readonly NonNullable<RelatedResource['selector']>[] = [
    ...(labelSelector === undefined ? [] : [{ labelSelector }]),
    ...(namedResources.length === 0 ? [] : [{ names: [...new Set(namedResources.map(({ name }) => name))] }]),
  ];
  const rules: readonly RelatedResource[] = (['FromProvider', 'FromConsumer'] as const).flatMap((direction) =>
    selectors.map((one) => ({ group: '', resource, direction, selector: one })),
  );
  const { problems } = readRules({ spec: { connectionRef: { name: '' }, apis: [], relatedResources: rules } });
  return problems.length === 0 ? { kind: 'same', rules } : { kind: 'none', why: 'no label selector there says this' };
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A rule for people: `secrets labelled app=db, FromConsumer`. */
export function ruleInWords({ resource, direction, selector }: RelatedResource): string {
  const { labelSelector, names = [] } = selector ?? {};
  const claim = { group: '', resource, selector: { labelSelector, namedResources: names.map((name) => ({ name })) } };
  return `${claimInWords(claim)}, ${direction}`;
}
