import type { QuotaOptions } from './quotas.js';

/** Addresses, identity provider, limits and features of the portal. */
export interface PortalOptions extends QuotaOptions {
  /** `host:port` to listen on. Port 0: any free one. */
  readonly address: string;
  /**
   * Public URL, such as `https://portal.example.com`. All own URLs begin with it, whatever a request says. `http` only
   * on the loopback interface.
   */
  readonly publicUrl: string;
  /** Present: TLS ends here. Changed files are read again. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Addresses or networks of proxies with trusted `X-Forwarded-For`. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly issuer: IssuerOptions;
  /** Name of the provider for people. */
  readonly prettyName: string;
  /** Version of Hawser. */
  readonly version: string;
  /** Namespace of consumer requests, keys and ended sessions. Only the operator and the portal may write here. */
  readonly namespace: string;
  /** Name of the Secret with the keys. Default `hawser-portal-keys`. */
  readonly keySecret?: string | undefined;
  /** Duration of a sign-in. Default one hour. */
  readonly sessionMs?: number | undefined;
  /**
   * Time after a sign-in during which a code-exchanging terminal renews it without a browser, given refresh tokens of
   * the identity provider. Default 0: never.
   */
  readonly refreshMs?: number | undefined;
  /** Sealing period of a key before its successor. Default 30 days. */
  readonly keyMs?: number | undefined;
  /**
   * Whether a sign-in may end at a loopback address with a token in its query, as `kubectl bind login` of kube-bind 0.8
   * needs it. Default true.
   */
  readonly terminals?: boolean | undefined;
  /**
   * Whether a person may sign in a terminal without a browser by typing its code into a page. An attacker who talks a
   * person into typing the attacker's code then acts as that person. Default false.
   */
  readonly deviceCodes?: boolean | undefined;
  /** Key of the provider role's Lease. Default: it works without one. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** Hawser's image: the portal then serves the manifests of a konnector with it. Default: none. */
  readonly konnectorImage?: string | undefined;
  /** Whether people also bring in consumers of Klutch, by its own `kubectl bind`. Default false. */
  readonly klutch?: boolean | undefined;
  /** Users and groups that may bind everything, besides RBAC (`--oidc-allowed-users`, `--oidc-allowed-groups`). */
  readonly allowed?: { readonly users: readonly string[]; readonly groups: readonly string[] } | undefined;
  /**
   * Prefixes of users and groups in RBAC, like kube-apiserver's `--oidc-username-prefix` and `--oidc-groups-prefix`.
   * Default: none.
   */
  readonly prefixes?: { readonly user: string; readonly group: string } | undefined;
  /** Consumer clusters identified by their tokens. Only such a token brings them in. Default: none. */
  readonly clusterIssuers?: readonly ClusterIssuer[] | undefined;
  /** Clusters to which the portal applies bundles with people's kubeconfigs. Default: none. */
  readonly oneClickApply?: OneClickApplyOptions | undefined;
  /** Requests per minute, for one address (IPv6: one /64) and for one person. Default 300. */
  readonly requestsPerMinute?: number | undefined;
}

/** Servers that the portal may connect to when a person names one. `hosts` or `networks` must not be empty. */
export interface OneClickApplyOptions {
  /** `api.example.com`, or `*.example.com` for all below. Their addresses must be public. */
  readonly hosts: readonly string[];
  /**
   * In CIDR notation: addresses permitted under any name. Never link-local ones or metadata services; loopback only if
   * {@link PortalOptions.publicUrl} is there, too.
   */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** Names or addresses of the provider itself, forbidden in any case. */
  readonly own?: readonly string[] | undefined;
}

/** The issuer of a consumer cluster's ServiceAccount tokens. */
export interface ClusterIssuer {
  /** Cluster identity: the UID of its namespace `kube-system`. */
  readonly identity: string;
  /** `iss` of its tokens. */
  readonly issuer: string;
  /** Its public keys, as `kubectl get --raw /openid/v1/jwks` prints them. */
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  /** URL of the keys instead. */
  readonly jwksUrl?: string | undefined;
  /** PEM, for {@link jwksUrl}. Absent: the platform's authorities. */
  readonly ca?: string | undefined;
  /** Accepted ServiceAccount, as `<namespace>/<name>`: others in the cluster may belong to anyone. */
  readonly serviceAccount: string;
}

export interface IssuerOptions {
  readonly url: string;
  readonly clientId: string;
  /** Absent: a public client, with PKCE alone. */
  readonly clientSecret?: string | undefined;
  /** PEM. Absent: the platform's authorities. */
  readonly ca?: string | undefined;
  /** Callback of the issuer. Default: the public URL and `/api/callback`. */
  readonly callbackUrl?: string | undefined;
}
