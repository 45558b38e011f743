import type { QuotaOptions } from './quotas.js';

/** How the portal is reached, and whom it believes. */
export interface PortalOptions extends QuotaOptions {
  /** `host:port` to listen on. Port 0: any free one. */
  readonly address: string;
  /** Where people reach it, as `https://portal.example.com`. All its own URLs begin with this, whatever a request says. `http` only on the loopback interface. */
  readonly publicUrl: string;
  /** Present: TLS ends here. The files are read again when they change. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Addresses or networks of proxies whose `X-Forwarded-For` counts. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly issuer: IssuerOptions;
  /** Shown to people. */
  readonly prettyName: string;
  /** Of Hawser. */
  readonly version: string;
  /** Where requests for consumers, keys and ended sessions stand. Nobody but the operator and the portal may write here. */
  readonly namespace: string;
  /** Of the Secret with the keys. Default `hawser-portal-keys`. */
  readonly keySecret?: string | undefined;
  /** How long a sign-in lasts. Default one hour. */
  readonly sessionMs?: number | undefined;
  /** How long after a sign-in a terminal that exchanges codes renews it without a browser, where the identity provider gives refresh tokens. Default 0: not at all. */
  readonly refreshMs?: number | undefined;
  /** How long a key seals before it has a successor. Default 30 days. */
  readonly keyMs?: number | undefined;
  /** Whether a sign-in may end at a loopback address with a token in its query, as `kubectl bind login` of kube-bind 0.8 needs it. Default true. */
  readonly terminals?: boolean | undefined;
  /** Whether a terminal that no browser reaches is signed in by a code that a person types into a page. Whoever talks a person into typing theirs is that person then. Default false. */
  readonly deviceCodes?: boolean | undefined;
  /** Where the provider role writes down which of its processes works. Default: it works without a Lease. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** Of Hawser: the portal then serves the manifests of a konnector with it. Default: none. */
  readonly konnectorImage?: string | undefined;
  /** Whether people bring in consumers of Klutch as well, by its own `kubectl bind`. Default false. */
  readonly klutch?: boolean | undefined;
  /** Users and groups that may bind everything, beside those to whom RBAC gives it (`--oidc-allowed-users`, `--oidc-allowed-groups`). */
  readonly allowed?: { readonly users: readonly string[]; readonly groups: readonly string[] } | undefined;
  /** Before the names of users and groups in RBAC, as kube-apiserver's `--oidc-username-prefix` and `--oidc-groups-prefix`. Default: none. */
  readonly prefixes?: { readonly user: string; readonly group: string } | undefined;
  /** Consumer clusters whose tokens prove them. They are brought in with such a token alone. Default: none. */
  readonly clusterIssuers?: readonly ClusterIssuer[] | undefined;
  /** Where the portal applies bundles by kubeconfigs that people hand over. Default: nowhere. */
  readonly oneClickApply?: OneClickApplyOptions | undefined;
  /** Requests in a minute, of one address (of IPv6: of one /64) and of one person. Default 300. */
  readonly requestsPerMinute?: number | undefined;
}

/** Which servers the portal connects to where a person says which one. One of `hosts` and `networks` is not empty. */
export interface OneClickApplyOptions {
  /** `api.example.com`, or `*.example.com` for all below. Their addresses have to be public ones. */
  readonly hosts: readonly string[];
  /** In CIDR notation: addresses that are reached whatever their name. Never link-local ones and those of metadata services; loopback only where {@link PortalOptions.publicUrl} is there, too. */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** Names or addresses of the provider itself, which are not reached whatever else is allowed. */
  readonly own?: readonly string[] | undefined;
}

/** Who signs the ServiceAccount tokens of a consumer cluster. */
export interface ClusterIssuer {
  /** Of the cluster: the UID of its namespace `kube-system`. */
  readonly identity: string;
  /** `iss` of its tokens. */
  readonly issuer: string;
  /** Its public keys, as `kubectl get --raw /openid/v1/jwks` prints them. */
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  /** Where they are read instead. */
  readonly jwksUrl?: string | undefined;
  /** PEM, for {@link jwksUrl}. Absent: the authorities of the platform. */
  readonly ca?: string | undefined;
  /** Whose tokens count, as `<namespace>/<name>`: others in the cluster may be anybody's. */
  readonly serviceAccount: string;
}

export interface IssuerOptions {
  readonly url: string;
  readonly clientId: string;
  /** Absent: a public client, with PKCE alone. */
  readonly clientSecret?: string | undefined;
  /** PEM. Absent: the authorities of the platform. */
  readonly ca?: string | undefined;
  /** Where the issuer sends people back: the public URL and `/api/callback`, unless it is given. */
  readonly callbackUrl?: string | undefined;
}
