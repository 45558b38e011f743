/** Gives a consumer its rights in a namespace before it is told of it. */
export interface NamespaceRights {
  /** Resolves once the consumer may use the namespace, as far as it may at all. */
  ensure(
    pending: { readonly clusterNamespace: string; readonly consumerNamespace: string; readonly namespace: string },
    signal: AbortSignal,
  ): Promise<void>;
}
