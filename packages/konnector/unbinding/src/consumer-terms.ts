import { type Marks, kubeBindMarks } from '@hawser/claimedresources';
import { type CustomResourceDefinition, type Dialect, consumerCRDs, kubeBindDialect } from '@hawser/kube-bind';

/** What a konnector may leave on a consumer, in one dialect. */
export interface ConsumerTerms {
  readonly dialect: Dialect;
  /** CRDs that a konnector installs. */
  readonly crds: readonly Pick<CustomResourceDefinition, 'metadata'>[];
  /** Whether there are APIServiceBindingBundles. */
  readonly bundles: boolean;
  /** Whether the label `kube-bind.io/provider-kubeconfig=true` also marks kubeconfig Secrets. */
  readonly labelledSecrets: boolean;
  /** Marks of claimed objects. */
  readonly marks: Marks;
}

export const kubeBindTerms: ConsumerTerms = {
  dialect: kubeBindDialect,
  crds: consumerCRDs,
  bundles: true,
  labelledSecrets: true,
  marks: kubeBindMarks,
};
