import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, whileAwaited } from './answer.js';
import type { Cookies } from './cookies.js';
import type { DeviceCodes } from './device-codes.js';
import type { Issuer, SignInSecrets } from './issuer.js';
import { identityOf } from './person.js';
import { type ClientType, decideRedirect } from './redirects.js';
import type { Sealer } from './seal.js';
import type { Session } from './session.js';
import { type Sessions, TERMINAL_ANNOUNCED_MS } from './sessions.js';

export interface SignInOptions {
  readonly issuer: Issuer;
  readonly sealer: Sealer;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly cookies: Cookies;
  readonly publicUrl: URL;
  readonly terminals: boolean;
  readonly sessionMs: number;
  /** Renewal period of a terminal's sign-in. */
  readonly refreshMs: number;
  readonly newId: () => string;
  /** Undefined: sign-in by device code is off. */
  readonly devices: Pick<DeviceCodes, 'approve'> | undefined;
}

/** A terminal approved by a person, until the identity provider confirms that person. */
export interface AwaitedApproval {
  /** Hash of the typed code. */
  readonly hash: string;
  /** Session of the browser in which it was typed. */
  readonly by: string;
  /** {@link identityOf} the person who typed it. */
  readonly owner: string;
}

/** Path of the page that confirms the terminal's sign-in. */
export const APPROVED_PATH = '/device/approved';

/** The parameters of a sign-in (spec/kube-bind-backend.md §14.1). */
export interface SignInParameters {
  readonly redirect_url: string;
  readonly session_id: string;
  readonly client_type?: string | undefined;
  readonly cluster_id?: string | undefined;
  /** Of a terminal that exchanges a code instead of receiving its token in the redirect (RFC 7636). */
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/** A sign-in at the identity provider, awaited in the same browser. */
interface Begun extends SignInSecrets {
  readonly redirect: string;
  readonly client: ClientType;
  readonly challenge: string | undefined;
  /** The caller's own value: returned as it is, without effect. */
  readonly callerId: string;
  readonly approval?: AwaitedApproval | undefined;
}

/** Time to sign in at the identity provider, including second factors. */
const BEGUN_MS = 600_000;
/** A browser with more has abandoned some: together they would exceed a request. */
const MOST_BEGUN = 4;

/**
 * Signs people in through the identity provider. A cookie of the starting browser holds the sealed state, named by its
 * state value: an answer in another browser, or a second one, finds nothing. The server stores nothing, so any replica
 * can continue.
 */
export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async begin(request: FastifyRequest, reply: FastifyReply, parameters: SignInParameters): Promise<FastifyReply> {
    const { publicUrl, terminals } = this.#options;
    const client: ClientType = parameters.client_type === 'cli' ? 'cli' : 'ui';
    const challenge = client === 'cli' ? parameters.code_challenge : undefined;
    if (challenge !== undefined && parameters.code_challenge_method !== 'S256')
      throw new Refusal(400, 'BAD_REQUEST', 'The sign-in is refused: code_challenge_method must be S256.');
    // A code is worthless without the terminal's secret: it may be in a URL where a token may not.
    const redirect = decideRedirect(client, parameters.redirect_url, publicUrl, terminals || challenge !== undefined);
    if (redirect.kind === 'refused')
      throw new Refusal(400, 'BAD_REQUEST', `The sign-in is refused: ${redirect.reason}.`);
    const url = await this.#begin(
      request,
      reply,
      { redirect: redirect.url.href, client, challenge, callerId: parameters.session_id },
      challenge !== undefined && this.#options.refreshMs > 0,
    );
    return reply.redirect(url.href, 302);
  }

  /**
   * Lets the person confirm at the identity provider that a terminal is signed in as them, while its login is renewed.
   * Not by a redirect: a form leads to no other host.
   */
  async beginApproval(request: FastifyRequest, reply: FastifyReply, approval: AwaitedApproval): Promise<URL> {
    const redirect = new URL(APPROVED_PATH, this.#options.publicUrl).href;
    return this.#begin(request, reply, { redirect, client: 'ui', challenge: undefined, callerId: '', approval }, true);
  }

  async #begin(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: Omit<Begun, keyof SignInSecrets>,
    renewable: boolean,
  ): Promise<URL> {
    const { issuer, sealer, clock, cookies } = this.#options;
    const secrets = issuer.newSecrets();
    const url = await issuer.authorizationUrl(secrets, renewable);
    const left = Object.keys(request.cookies).filter((name) => name.startsWith(this.#cookiePrefix));
    if (left.length >= MOST_BEGUN) for (const name of left) cookies.clear(reply, name);
    const sealed = await sealer.seal('sign-in', { ...wanted, ...secrets }, clock.now() + BEGUN_MS);
    cookies.set(reply, this.#cookieOf(secrets.state), sealed, BEGUN_MS / 1000);
    return url;
  }

  /** Handles the person's return from the identity provider. */
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
    // Whatever the result: one try only.
    this.#options.cookies.clear(reply, name);
    const { person, refreshToken } = await issuer.personBy(query.toString(), begun);
    const session: Session = { id: newId(), person, expires: clock.now() + sessionMs };
    const url = new URL(begun.redirect);
    if (begun.approval !== undefined) {
      await this.#approve(session, begun.approval, refreshToken, {
        requestId: request.id,
        signal: whileAwaited(reply),
      });
    } else if (begun.challenge !== undefined) {
      url.searchParams.set('code', await sessions.code(session, begun.challenge, refreshToken));
      url.searchParams.set('session_id', begun.callerId);
    } else if (begun.client === 'cli') {
      url.searchParams.set('access_token', await sessions.token(session));
      url.searchParams.set('token_type', 'Bearer');
      url.searchParams.set('expires_in', String(TERMINAL_ANNOUNCED_MS / 1000));
    } else {
      await sessions.begin(reply, session);
      url.searchParams.set('session_id', begun.callerId);
    }
    return reply.redirect(url.href, 302);
  }

  async #approve(
    session: Session,
    { hash, by, owner }: AwaitedApproval,
    idp: string | undefined,
    context: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { devices } = this.#options;
    // Only a replica with other options lacks it.
    if (devices === undefined)
      throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'This portal signs no terminal in by a code.');
    if (identityOf(session.person) !== owner)
      throw new Refusal(
        403,
        'AUTHENTICATION_FAILED',
        'Another person typed the code than has signed in now. Sign out on these pages, and start again.',
      );
    await devices.approve(session, { hash, by, idp }, context);
  }

  get #cookiePrefix(): string {
    return this.#options.cookies.name('sign-in-');
  }

  #cookieOf(state: string): string {
    return this.#cookiePrefix + createHash('sha256').update(state).digest('hex').slice(0, 16);
  }
}

function begunIn(claims: Readonly<Record<string, unknown>> | undefined): Begun | undefined {
  const { state, nonce, verifier, redirect, client, challenge, callerId, approval } = claims ?? {};
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
    // Sealed by this portal, for this purpose.
    approval: approval as AwaitedApproval | undefined,
  };
}
