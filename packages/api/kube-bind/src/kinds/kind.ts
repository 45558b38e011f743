import type { KindDefinition as Definition, KindVersion as Version } from '@hawser/crd';

/** Everything that a CRD says about its kind. Source of facts: spec/kube-bind-api.md §2, §6, §7. */
export type KindVersion = Version<'v1alpha1' | 'v1alpha2'>;

/** Everything of a kind that its CRD says. Source of facts: spec/kube-bind-api.md §2, §6, §7. */
export interface KindDefinition extends Omit<Definition<KindVersion['name']>, 'categories'> {
  readonly category: 'kube-bindings' | 'kube-bind' | 'kcp';
}
