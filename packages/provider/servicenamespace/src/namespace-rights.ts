/** Gives a consumer its rights in a namespace before it learns of the namespace. */
export interface NamespaceRights {
  /** Resolves once the consumer has all rights that it may have in the namespace. */
  ensure(
    pending: { readonly clusterNamespace: string; readonly consumerNamespace: string; readonly namespace: string },
    signal: AbortSignal,
  ): Promise<void>;
}
