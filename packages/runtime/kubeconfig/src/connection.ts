/** Address of an API server, and credentials for it. Never log one. */
export interface ConnectionConfig {
  /** `https://host:port`, possibly with a path (kcp). */
  readonly server: string;
  /** PEM. Absent: the system's certificate authorities. */
  readonly caData?: string | undefined;
  /** SNI and verification name, when it differs from the host of `server`. */
  readonly tlsServerName?: string | undefined;
  /** Set only when the operator's flag allows it. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly proxyUrl?: string | undefined;
  readonly credentials: Credentials;
  /** Namespace of the current context, if it names one. */
  readonly namespace?: string | undefined;
}

/** Headers of a request; several values of one name are sent as several lines. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * Credentials of a client. `dynamic` ones are called before each request and may reload a token or certificate.
 * `renew`: the server has just answered 401, so ignore cached values.
 */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly cert: string; readonly key: string }
  | {
      readonly kind: 'dynamic';
      readonly headers: (renew?: boolean) => Promise<RequestHeaders>;
      readonly cert?: string | undefined;
      readonly key?: string | undefined;
    };
