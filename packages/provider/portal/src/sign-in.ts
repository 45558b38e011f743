import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './answer.js';
import type { Cookies } from './cookies.js';
import type { Issuer, SignInSecrets } from './issuer.js';
import { type ClientType, decideRedirect } from './redirects.js';
import type { Sealer } from './seal.js';
import type { Session } from './session.js';
import { type Sessions, TERMINAL_TOLD_MS } from './sessions.js';

export interface SignInOptions {
  readonly issuer: Issuer;
  readonly sealer: Sealer;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly cookies: Cookies;
  readonly publicUrl: URL;
  readonly terminals: boolean;
  readonly sessionMs: number;
  /** How long terminals renew their sign-in. */
  readonly refreshMs: number;
  readonly newId: () => string;
}

/** The parameters of a sign-in (spec/kube-bind-backend.md §14.1). */
export interface SignInParameters {
  readonly redirect_url: string;
  readonly session_id: string;
  readonly client_type?: string | undefined;
  readonly cluster_id?: string | undefined;
  /** Of a terminal that exchanges a code instead of having its token in the redirect (RFC 7636). */
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/** One who has gone to the identity provider, and is awaited back in the same browser. */
interface Begun extends SignInSecrets {
  readonly redirect: string;
  readonly client: ClientType;
  readonly challenge: string | undefined;
  /** The caller's own: it is sent back, and decides nothing. */
  readonly callerId: string;
}

/** To sign in at the identity provider, second factors included. */
const BEGUN_MS = 600_000;
/** A browser that has more of them has left some behind: together they would not fit into a request. */
const MOST_BEGUN = 4;

/**
 * Sign-in by the identity provider. What has begun lies sealed in a cookie of the browser that began it, named by its state: an answer that comes to another browser, or a second time, finds nothing. The server
 * keeps nothing, so any replica can go on with it.
 */
export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async begin(request: FastifyRequest, reply: FastifyReply, parameters: SignInParameters): Promise<FastifyReply> {
    const { issuer, sealer, clock, cookies, publicUrl, terminals } = this.#options;
    const client: ClientType = parameters.client_type === 'cli' ? 'cli' : 'ui';
    const challenge = client === 'cli' ? parameters.code_challenge : undefined;
    if (challenge !== undefined && parameters.code_challenge_method !== 'S256')
      throw new Refusal(400, 'BAD_REQUEST', 'The sign-in is refused: code_challenge_method must be S256.');
    // A code is worth nothing without the secret of the terminal, so it may stand in a URL where a token may not.
    const redirect = decideRedirect(client, parameters.redirect_url, publicUrl, terminals || challenge !== undefined);
    if (redirect.kind === 'refused')
      throw new Refusal(400, 'BAD_REQUEST', `The sign-in is refused: ${redirect.reason}.`);
    const secrets = issuer.newSecrets();
    const begun: Begun = {
      ...secrets,
      redirect: redirect.url.href,
      client,
      challenge,
      callerId: parameters.session_id,
    };
    const url = await issuer.authorizationUrl(secrets, challenge !== undefined && this.#options.refreshMs > 0);
    const left = Object.keys(request.cookies).filter((name) => name.startsWith(this.#cookiePrefix));
    if (left.length >= MOST_BEGUN) for (const name of left) this.#options.cookies.clear(reply, name);
    const sealed = await sealer.seal('sign-in', { ...begun }, clock.now() + BEGUN_MS);
    cookies.set(reply, this.#cookieOf(secrets.state), sealed, BEGUN_MS / 1000);
    return reply.redirect(url.href, 302);
  }

  /** The identity provider has sent the person back. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { issuer, sealer, sessions, clock, sessionMs, newId } = this.#options;
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    const state = query.get('state') ?? '';
    const name = this.#cookieOf(state);
    const cookie = request.cookies[name];
    const begun = cookie === undefined ? undefined : begunIn(await sealer.open('sign-in', cookie));
    if (begun?.state !== state)
      throw new Refusal(
        400,
        'AUTHENTICATION_FAILED',
        'This sign-in was not begun in this browser, or more than ten minutes ago, or has been finished. Start again.',
      );
    // Whatever comes of it: it is tried once.
    this.#options.cookies.clear(reply, name);
    const { person, refreshToken } = await issuer.personBy(query.toString(), begun);
    const session: Session = { id: newId(), person, expires: clock.now() + sessionMs };
    const url = new URL(begun.redirect);
    if (begun.challenge !== undefined) {
      url.searchParams.set('code', await sessions.code(session, begun.challenge, refreshToken));
      url.searchParams.set('session_id', begun.callerId);
    } else if (begun.client === 'cli') {
      url.searchParams.set('access_token', await sessions.token(session));
      url.searchParams.set('token_type', 'Bearer');
      url.searchParams.set('expires_in', String(TERMINAL_TOLD_MS / 1000));
    } else {
      await sessions.begin(reply, session);
      url.searchParams.set('session_id', begun.callerId);
    }
    return reply.redirect(url.href, 302);
  }

  get #cookiePrefix(): string {
    return this.#options.cookies.name('sign-in-');
  }

  #cookieOf(state: string): string {
    return this.#cookiePrefix + createHash('sha256').update(state).digest('hex').slice(0, 16);
  }
}

function begunIn(claims: Readonly<Record<string, unknown>> | undefined): Begun | undefined {
  const { state, nonce, verifier, redirect, client, challenge, callerId } = claims ?? {};
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string') return undefined;
  if (typeof redirect !== 'string' || typeof callerId !== 'string') return undefined;
  return {
    state,
    nonce,
    verifier,
    redirect,
    callerId,
    client: client === 'cli' ? 'cli' : 'ui',
    challenge: typeof challenge === 'string' ? challenge : undefined,
  };
}
