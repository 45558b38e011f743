import { type Marks, kubeBindMarks } from '@hawser/claimedresources';
import { type CustomResourceDefinition, type Dialect, consumerCRDs, kubeBindDialect } from '@hawser/kube-bind';

/** What there can be of a konnector on a consumer, in one dialect. */
export interface ConsumerTerms {
  readonly dialect: Dialect;
  /** That a konnector installs. */
  readonly crds: readonly Pick<CustomResourceDefinition, 'metadata'>[];
  /** APIServiceBindingBundles. */
  readonly bundles: boolean;
  /** Kubeconfig Secrets are known by the label `kube-bind.io/provider-kubeconfig=true`, too. */
  readonly labelledSecrets: boolean;
  /** Of claimed objects. */
  readonly marks: Marks;
}

export const kubeBindTerms: ConsumerTerms = {
  dialect: kubeBindDialect,
  crds: consumerCRDs,
  bundles: true,
  labelledSecrets: true,
  marks: kubeBindMarks,
};
