import type { ApiRequest, AuthOptions, Authentication, UserInfo } from '../parts.js';
import type { ServiceAccountTokens, TokenProof } from './service-account-tokens.js';
import { authenticated } from './users.js';

/** Authenticates a request: by client certificate, known token, or ServiceAccount token, in this order. */
export class Authenticator {
  readonly #known: ReadonlyMap<string, UserInfo>;

  constructor(
    options: AuthOptions,
    readonly tokens: ServiceAccountTokens,
  ) {
    this.#known = new Map(Object.entries(options.tokens ?? {}));
  }

  authenticate({ user, certificate, headers }: ApiRequest): Authentication {
    if (user !== undefined) return { kind: 'user', user: authenticated(user) };
    if (certificate !== undefined)
      return {
        kind: 'user',
        user: authenticated({ name: certificate.commonName, groups: [...certificate.organizations] }),
      };
    const token = bearerToken(headers['authorization']);
    if (token === undefined) return { kind: 'anonymous' };
    const proof = this.checkToken(token);
    return proof !== undefined && 'user' in proof ? { kind: 'user', user: proof.user } : { kind: 'rejected' };
  }

  /** The identity that a token proves, with the group of all authenticated users. */
  checkToken(token: string, audiences?: readonly string[]): TokenProof {
    const known = this.#known.get(token);
    if (known !== undefined) return { user: authenticated(known), audiences: audiences ?? [] };
    const proof = this.tokens.check(token, audiences);
    return proof !== undefined && 'user' in proof ? { ...proof, user: authenticated(proof.user) } : proof;
  }
}

/** apiserver's form: one header, `Bearer`, and a token. */
function bearerToken(header: string | readonly string[] | undefined): string | undefined {
  const text = (typeof header === 'string' ? header : (header?.[0] ?? '')).trim();
  const [scheme = '', token = ''] = text.split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}
