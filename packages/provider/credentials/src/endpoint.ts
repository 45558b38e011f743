/** Address of the provider's API server for consumers: the content of their kubeconfigs besides the token. */
export interface Endpoint {
  /** `https://host:port` */
  readonly server: string;
  /** PEM. Absent: consumers trust the certificate authorities of their own system. */
  readonly caData?: string | undefined;
  /** Name in the server's certificate, if it differs from the host of `server`. */
  readonly tlsServerName?: string | undefined;
}
