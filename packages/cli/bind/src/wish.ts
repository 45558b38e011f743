import type { APIServiceExportRequestSpec, Dialect } from '@hawser/kube-bind';

/** What is to be bound. */
export type Offer =
  /** All that a template of the provider has. */
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'resources'; readonly resources: APIServiceExportRequestSpec['resources'] }
  /** What a provider has answered that it is to be asked for, or what is in a file. */
  | { readonly kind: 'request'; readonly spec: APIServiceExportRequestSpec };

/** What the consumer says to a claim of the provider, in the words of a binding of Klutch. */
export type Consent = 'Accepted' | 'Rejected';

/** What somebody wants bound. */
export interface BindingWish {
  /** Of the request, the export and the binding, which all have the same: in Klutch that of the CRD, so that a wish has one resource there. */
  readonly name: string;
  /** In whose words; the clients of both sides speak it (`clientSpeaking` of `@hawser/klutch`). */
  readonly dialect: Dialect;
  readonly offer: Offer;
  /** Of the provider, as the konnector will use it; see `portableKubeconfig` of `@hawser/kubeconfig`. Holds a credential. */
  readonly kubeconfig: string;
  /** Namespace of the consumer on the provider: that of the kubeconfig's context. */
  readonly clusterNamespace: string;
  /** Default: a Secret that reaches the same cluster namespace, else `kubeconfig-<name>`, in Klutch `kubeconfig-<cluster namespace>`. */
  readonly secretName?: string | undefined;
  /** Of the claims of the request, those that the binding agrees to, by their ids. Default: all. */
  readonly acceptedClaims?: readonly string[] | undefined;
  /** Whether a ClusterRole is made with what the chart's konnector needs for the binding. */
  readonly grantsKonnector?: boolean | undefined;
  /** Klutch: what is said to each claim, by its `claimText`. */
  readonly consents?: ReadonlyMap<string, Consent> | undefined;
}

export function dialectOf({ dialect }: BindingWish): Dialect {
  return dialect;
}

/** As in Klutch: one export and one binding for each CRD, consent in the binding, and no label on Secrets. */
export function isInline(wish: BindingWish): boolean {
  return dialectOf(wish).schema === 'Inline';
}
