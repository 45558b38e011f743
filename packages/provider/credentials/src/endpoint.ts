/** How consumers reach the provider's API server. What stands in the kubeconfigs that they get, beside their token. */
export interface Endpoint {
  /** `https://host:port` */
  readonly server: string;
  /** PEM. Absent: consumers trust the certificate authorities of their own system. */
  readonly caData?: string | undefined;
  /** Name in the server's certificate, where it is not the host of `server`. */
  readonly tlsServerName?: string | undefined;
}
