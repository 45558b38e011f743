import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import * as client from 'openid-client';
import { Agent } from 'undici';
import { fetchOver } from './agent-fetch.js';
import { Refusal } from './answer.js';
import type { IssuerOptions } from './options.js';
import type { Person } from './person.js';

export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A signed-in person. */
export interface Identified {
  readonly person: Person;
  /** Renews the sign-in. A credential. */
  readonly refreshToken: string | undefined;
}

/** Cache time of the issuer's metadata. */
const DISCOVERY_MS = 600_000;
/** Retry period for an issuer that does not answer. */
const RETRY_MS = 2_000;
const TIMEOUT_SECONDS = 10;

/**
 * The identity provider, by OpenID Connect: code flow with PKCE; checks signature, issuer, audience, times and nonce of
 * ID tokens. Its metadata is read on first use, and again after a failure: a portal started before its issuer works as
 * soon as the issuer does.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  readonly #callback: URL;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #agent: Agent;
  #found: Promise<client.Configuration> | undefined;
  #until = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerOptions, publicUrl: URL, clock: Clock, log: Logger) {
    this.#log = log;
    this.#options = options;
    this.#callback = new URL(options.callbackUrl ?? new URL('/api/callback', publicUrl));
    this.#clock = clock;
    this.#agent = new Agent({ allowH2: false, connect: options.ca === undefined ? {} : { ca: options.ca } });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  newSecrets(): SignInSecrets {
    return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
  }

  /** URL of the sign-in page. `renewable`: the sign-in will be renewed without the person. */
  async authorizationUrl({ state, nonce, verifier }: SignInSecrets, renewable = false): Promise<URL> {
    const configuration = await this.#configuration();
    return client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#callback.href,
      scope: this.#scopes(configuration, renewable),
      // Without it an identity provider need not grant `offline_access` (OpenID Connect Core §11).
      ...(renewable ? { prompt: 'consent' } : {}),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** Identifies the person from the callback's answer. @throws Refusal */
  async personBy(query: string, { state, nonce, verifier }: SignInSecrets): Promise<Identified> {
    const configuration = await this.#configuration();
    const answer = new URL(this.#callback);
    answer.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined)
        throw new Refusal(502, 'AUTHENTICATION_FAILED', 'The identity provider sent no ID token.');
      return { person: personOf(claims), refreshToken: tokens.refresh_token };
    } catch (error) {
      throw refusalOfSignIn(error);
    }
  }

  /**
   * Reads the person's current data from the identity provider.
   * @throws Refusal if it does not renew the sign-in, or names another person
   */
  async renew(person: Person, refreshToken: string): Promise<Identified> {
    const configuration = await this.#configuration();
    try {
      const tokens = await client.refreshTokenGrant(configuration, refreshToken);
      const claims = tokens.claims();
      const { refresh_token: next = refreshToken } = tokens;
      // It need not send an ID token: then nothing has changed.
      if (claims === undefined) return { person, refreshToken: next };
      const now = personOf(claims);
      if (now.subject !== person.subject || now.issuer !== person.issuer) throw notRenewed();
      return { person: now, refreshToken: next };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof client.ResponseBodyError && error.status < 500) throw notRenewed();
      this.#log.warn('the identity provider could not be asked to renew a sign-in', { url: this.#options.url, error });
      throw new Refusal(
        502,
        'AUTHENTICATION_FAILED',
        `The identity provider ${this.#options.url} does not answer as it should. Try again in a moment.`,
      );
    }
  }

  async #configuration(): Promise<client.Configuration> {
    if (this.#found === undefined || this.#clock.monotonic() >= this.#until) {
      const finding = this.#discover();
      this.#found = finding;
      this.#until = this.#clock.monotonic() + DISCOVERY_MS;
      finding.catch(() => {
        if (this.#found === finding) this.#until = this.#clock.monotonic() + RETRY_MS;
      });
    }
    try {
      return await this.#found;
    } catch (error) {
      this.#log.warn('the identity provider cannot be used', { url: this.#options.url, error });
      throw new Refusal(
        502,
        'AUTHENTICATION_FAILED',
        `The identity provider ${this.#options.url} cannot be reached, or does not speak OpenID Connect. Try again in a moment; if it goes on, tell your administrator.`,
      );
    }
  }

  #discover(): Promise<client.Configuration> {
    const { url, clientId, clientSecret } = this.#options;
    const server = new URL(url);
    return client.discovery(
      server,
      clientId,
      clientSecret,
      clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [client.enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [overLoopback] : [])],
        [client.customFetch]: (target, init) => fetchOver(this.#agent, target, init),
      },
    );
  }

  #scopes(configuration: client.Configuration, renewable: boolean): string {
    const offered = configuration.serverMetadata().scopes_supported;
    const wished = ['openid', 'profile', 'email', 'groups', ...(renewable ? ['offline_access'] : [])];
    return wished.filter((scope) => scope === 'openid' || offered?.includes(scope) !== false).join(' ');
  }
}

/** Plain HTTP: the options permit it only for the loopback interface. Deprecated there to prevent accidental use. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
const overLoopback = client.allowInsecureRequests;

function notRenewed(): Refusal {
  return new Refusal(
    401,
    'AUTHENTICATION_FAILED',
    'The identity provider does not renew this sign-in any more. Sign in again.',
  );
}

function personOf(claims: client.IDToken): Person {
  const { iss, sub } = claims;
  const { groups, name, preferred_username: account, email } = claims;
  return {
    issuer: iss,
    subject: sub,
    groups: Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string') : [],
    name: [name, account, email].find((text): text is string => typeof text === 'string' && text !== ''),
  };
}

/** The identity provider's text comes from the query, which anyone can write: only a valid error code is passed on. */
function refusalOfSignIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof client.AuthorizationResponseError) {
    const code = /^[a-z_]{1,40}$/u.test(error.error) ? error.error : 'unknown';
    return new Refusal(
      400,
      'AUTHENTICATION_FAILED',
      `The identity provider refused the sign-in (${code}). Start again.`,
    );
  }
  return new Refusal(
    400,
    'AUTHENTICATION_FAILED',
    'The answer of the identity provider does not hold for this sign-in. Start again; if it goes on, tell your administrator.',
  );
}
