import type { RelatedResource } from '@hawser/core-kbind';
import type { PermissionClaim } from '@hawser/kube-bind';

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
  const isOfAll = labelSelector !== undefined && Object.keys(labelSelector).length === 0;
  const selectors: readonly RelatedResource['selector'][] = [
    ...(labelSelector === undefined ? [] : [isOfAll ? undefined : { labelSelector }]),
    ...(namedResources.length === 0 ? [] : [{ names: namedResources.map(({ name }) => name) }]),
  ];
  return {
    kind: 'same',
    rules: (['FromProvider', 'FromConsumer'] as const).flatMap((direction) =>
      selectors.map((one) => ({ group: '', resource, direction, ...(one === undefined ? {} : { selector: one }) })),
    ),
  };
}
