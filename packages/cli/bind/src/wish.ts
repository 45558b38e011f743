import type { APIServiceExportRequestSpec, Dialect } from '@hawser/kube-bind';

/** The APIs to bind. */
export type Offer =
  /** All contents of a template of the provider. */
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'resources'; readonly resources: APIServiceExportRequestSpec['resources'] }
  /** A request from the provider's answer or from a file. */
  | { readonly kind: 'request'; readonly spec: APIServiceExportRequestSpec };

/** The consumer's answer to a claim of the provider, in the terms of a Klutch binding. */
export type Consent = 'Accepted' | 'Rejected';

/** A requested binding. */
export interface BindingWish {
  /**
   * Name of the request, the export and the binding: all share it. In Klutch it is the name of the CRD, so a wish has
   * one resource there.
   */
  readonly name: string;
  /** Dialect of the wish; the clients of both sides speak it (`clientSpeaking` of `@hawser/klutch`). */
  readonly dialect: Dialect;
  readonly offer: Offer;
  /**
   * Kubeconfig of the provider, as the konnector will use it; see `portableKubeconfig` of `@hawser/kubeconfig`. Holds a
   * credential.
   */
  readonly kubeconfig: string;
  /** Namespace of the consumer on the provider: that of the kubeconfig's context. */
  readonly clusterNamespace: string;
  /** Default: a Secret that reaches the same cluster namespace, else `kubeconfig-<name>`, in Klutch `kubeconfig-<cluster namespace>`. */
  readonly secretName?: string | undefined;
  /** Ids of the requested claims that the binding agrees to. Default: all. */
  readonly acceptedClaims?: readonly string[] | undefined;
  /** Whether to make a ClusterRole with the rights of the chart's konnector for the binding. */
  readonly grantsKonnector?: boolean | undefined;
  /** Klutch: the answer to each claim, by its `claimText`. */
  readonly consents?: ReadonlyMap<string, Consent> | undefined;
}

export function dialectOf({ dialect }: BindingWish): Dialect {
  return dialect;
}

/** Shape of Klutch: one export and one binding for each CRD, consent in the binding, and no label on Secrets. */
export function isInline(wish: BindingWish): boolean {
  return dialectOf(wish).schema === 'Inline';
}
