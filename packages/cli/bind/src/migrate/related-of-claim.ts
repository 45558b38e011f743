import type { RelatedResource } from '@hawser/core-kbind';
import type { PermissionClaim } from '@hawser/kube-bind';

/** What a permission claim is in the words of `core.kbind.io`. */
export type ClaimTranslation =
  /** Rules that select the same objects, both ways; none where the claim selects nothing. */
  | { readonly kind: 'same'; readonly rules: readonly RelatedResource[] }
  /** `why`: the end of a sentence. */
  | { readonly kind: 'none'; readonly why: string };

/**
 * The rules of `spec.relatedResources` that mean the same as a claim (spec/kbind-v2.md §25.2). A claim goes in the direction that each object says, so it becomes rules in both; its selectors are alternatives, so each becomes a rule of its own.
 * Pure.
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
