import type { Clock } from '@hawser/clock';
import type * as OpenIdClient from 'openid-client';
import type { CredentialSource } from './dynamic-connection.js';
import { KubeconfigError } from './kubeconfig-error.js';
import type { WatchedFile } from './watched-file.js';

/** Settings written by `kubectl config set-credentials --auth-provider=oidc`. */
export interface OidcLoginOptions {
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Authority of the issuer; undefined: the system's authorities. */
  readonly ca: string | WatchedFile | undefined;
}

type Credential = Awaited<ReturnType<CredentialSource['get']>>;

/** Renews a token this long before it expires: requests take time, and clocks differ. */
const aheadMs = 30_000;
const timeoutSeconds = 15;

/**
 * An OIDC login (`auth-provider: oidc`) of the operator's own kubeconfig. Uses the ID token while it is valid, then
 * gets a new one for the refresh token; loads the OIDC library only then. Runs one renewal at a time for all callers.
 * Keeps renewed tokens in memory, because it never writes people's files. An issuer that accepts each refresh token
 * once needs a new login after a restart.
 */
export class OidcLogin implements CredentialSource {
  readonly #options: OidcLoginOptions;
  readonly #clock: Clock;
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  #renewing: Promise<Credential> | undefined;

  constructor(options: OidcLoginOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#idToken = options.idToken;
    this.#refreshToken = options.refreshToken;
  }

  get(renew: boolean): Promise<Credential> {
    if (!renew && this.#idToken !== undefined && expiryOf(this.#idToken) - aheadMs > this.#clock.now())
      return Promise.resolve(credential(this.#idToken));
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<Credential> {
    const { issuer, clientId, clientSecret } = this.#options;
    const refreshToken = this.#refreshToken;
    if (issuer === undefined || clientId === undefined || refreshToken === undefined)
      throw noCredentials(
        this.#idToken === undefined
          ? 'it has no id-token'
          : 'its id-token has expired, and there is no refresh-token with idp-issuer-url and client-id',
      );
    const [oidc, { Agent, fetch }] = await Promise.all([import('openid-client'), import('undici')]);
    const { ca } = this.#options;
    const authority = typeof ca === 'string' || ca === undefined ? ca : await ca.refresh(true);
    const agent = new Agent({ allowH2: false, connect: authority === undefined ? {} : { ca: authority } });
    try {
      const request = (url: string, init: object): Promise<Response> =>
        fetch(url, { ...init, dispatcher: agent }) as unknown as Promise<Response>;
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
        [oidc.customFetch]: request,
        timeout: timeoutSeconds,
      });
      const { id_token: idToken, refresh_token: next } = await firstOf(waysIn(oidc, clientSecret), (authentication) => {
        const configuration = new oidc.Configuration(found.serverMetadata(), clientId, undefined, authentication);
        configuration[oidc.customFetch] = request;
        configuration.timeout = timeoutSeconds;
        return oidc.refreshTokenGrant(configuration, refreshToken);
      });
      if (idToken === undefined) throw noCredentials('the issuer sent no id-token for the refresh-token');
      this.#idToken = idToken;
      this.#refreshToken = next ?? refreshToken;
      return credential(idToken);
    } catch (error) {
      throw error instanceof KubeconfigError ? error : noCredentials(reasonOf(error));
    } finally {
      await agent.destroy();
    }
  }
}

/**
 * Client authentication methods in the order in which golang.org/x/oauth2, and so kubectl, tries them. No kubeconfig
 * field names the issuer's method.
 */
function waysIn(
  { ClientSecretBasic, ClientSecretPost, None }: typeof OpenIdClient,
  clientSecret: string | undefined,
): readonly OpenIdClient.ClientAuth[] {
  return clientSecret === undefined ? [None()] : [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
}

/**
 * Returns the first success; throws the first error. Never sends a refresh token again that the issuer has examined and
 * refused: many issuers take that for a stolen token, and end the login.
 */
async function firstOf<T, R>(tries: readonly T[], attempt: (one: T) => Promise<R>): Promise<R> {
  let first: unknown;
  for (const one of tries) {
    try {
      return await attempt(one);
    } catch (error) {
      first ??= error;
      if ((error as { readonly error?: unknown }).error === 'invalid_grant') break;
    }
  }
  throw first;
}

const credential = (idToken: string): Credential => ({ headers: { authorization: `Bearer ${idToken}` } });

function noCredentials(why: string): KubeconfigError {
  return new KubeconfigError(
    'NoCredentials',
    `the OIDC login of the kubeconfig gave no credentials: ${why}. Sign in again`,
  );
}

/** The issuer's error code (`invalid_grant`), or the code of the connection; other parts may quote tokens. */
function reasonOf(error: unknown): string {
  const {
    error: named,
    code,
    cause,
  } = error as {
    readonly error?: unknown;
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown };
  };
  for (const text of [named, cause?.code, code])
    if (typeof text === 'string' && /^[\w-]{1,80}$/u.test(text)) return text;
  return 'the issuer cannot be used';
}

/** Milliseconds since the epoch; 0: the token has no expiry. */
function expiryOf(idToken: string): number {
  try {
    const payload = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly exp?: unknown;
    };
    return typeof payload.exp === 'number' ? payload.exp * 1_000 : 0;
  } catch {
    return 0;
  }
}
