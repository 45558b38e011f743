/** The portal settings that decide whether its identity provider may run. */
export interface PortalReach {
  readonly address: string;
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
  readonly issuer: {
    readonly type: 'external' | 'embedded';
    readonly url: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly clientSecretFile: string;
    readonly caFile: string;
    readonly callbackUrl: string;
  };
}

export interface IssuerProblem {
  /** Path within `provider.portal`. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Finds conflicting fields; empty: none. An embedded identity provider has no passwords, so its portal must not be
 * reachable from another machine.
 */
export function issuerProblems(portal: PortalReach): readonly IssuerProblem[] {
  switch (portal.issuer.type) {
    case 'external':
      return (['url', 'clientId'] as const)
        .filter((field) => portal.issuer[field] === '')
        .map((field) => ({ path: ['issuer', field], message: 'is required, unless issuer.type is embedded' }));
    case 'embedded':
      return [...exposures(portal), ...leftOvers(portal)];
  }
}

function exposures({ address, publicUrl, trustedProxies, issuer }: PortalReach): readonly IssuerProblem[] {
  const { url, callbackUrl } = issuer;
  return [
    ...(loopback.has(hostOf(`http://${address}`))
      ? []
      : [problem(['address'], 'must be on the loopback interface, as 127.0.0.1:8443')]),
    ...(loopback.has(hostOf(publicUrl))
      ? []
      : [problem(['publicUrl'], 'must be on the loopback interface, as http://127.0.0.1:8443')]),
    ...(trustedProxies.length === 0 ? [] : [problem(['trustedProxies'], 'must be empty')]),
    ...(url === '' || (url.startsWith('http://') && isOrigin(url))
      ? []
      : [problem(['issuer', 'url'], 'must be on the loopback interface and without a path, as http://127.0.0.1:5556')]),
    ...(callbackUrl === '' || loopback.has(hostOf(callbackUrl))
      ? []
      : [problem(['issuer', 'callbackUrl'], 'must be on the loopback interface')]),
  ];
}

function leftOvers({ issuer }: PortalReach): readonly IssuerProblem[] {
  return (['clientId', 'clientSecret', 'clientSecretFile', 'caFile'] as const)
    .filter((field) => issuer[field] !== '')
    .map((field) => ({
      path: ['issuer', field],
      message: 'must be empty with issuer.type embedded. Remove it, or set issuer.type to external',
    }));
}

function problem(path: readonly string[], must: string): IssuerProblem {
  return {
    path,
    message: `${must}: issuer.type is embedded, and its people have no passwords. To let other machines in, set issuer.type to external (hawser-backend: --oidc-type) and name your identity provider`,
  };
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Empty: none, as in `:8443`. */
function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}

function isOrigin(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && [parsed.origin, `${parsed.origin}/`].includes(url);
}
