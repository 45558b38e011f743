import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './answer.js';
import type { Cookies } from './cookies.js';
import type { Person } from './person.js';
import type { Revocations } from './revocations.js';
import type { Purpose, Sealer } from './seal.js';
import type { Session } from './session.js';

export interface SessionsOptions {
  readonly sealer: Sealer;
  readonly revocations: Pick<Revocations, 'has' | 'add' | 'useUp'>;
  readonly clock: Clock;
  readonly cookies: Cookies;
  /** Renewal period of a terminal's sign-in. */
  readonly refreshMs: number;
}

/** A sign-in, and whether it came with a cookie, which browsers send by themselves. */
export interface Presented {
  readonly session: Session;
  readonly by: 'cookie' | 'bearer';
}

/** Lifetime of a terminal's token in a redirect. */
export const TERMINAL_MS = 300_000;
/**
 * Reported lifetime: kubectl-bind 0.8 treats a token as expired five minutes before its end
 * (spec/kube-bind-cli-and-charts.md §4).
 */
export const TERMINAL_ANNOUNCED_MS = TERMINAL_MS + 300_000;

/** A terminal exchanges its code at once. */
const CODE_MS = 60_000;

/** Result of exchanging a code. */
export interface TerminalToken {
  readonly token: string;
  /** End of session and token. Milliseconds since the epoch. */
  readonly expires: number;
  readonly person: Pick<Person, 'name' | 'subject'>;
}

/** The session signed in by a code. */
export interface Redeemed {
  readonly session: Session;
  /** The refresh token of the identity provider. */
  readonly idp: string | undefined;
}

/** A browser keeps 4096 bytes per cookie, including name and attributes. */
const CHUNK = 3_600;
const MAX_CHUNKS = 8;

/**
 * Issues sessions and finds them in requests: in a cookie, split into parts as needed, or in a terminal's bearer token.
 */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async begin(reply: FastifyReply, session: Session): Promise<void> {
    const text = await this.#sealed('session', session, session.expires);
    const parts = text.match(new RegExp(`.{1,${CHUNK}}`, 'gu')) ?? [];
    if (parts.length > MAX_CHUNKS)
      throw new Refusal(
        403,
        'AUTHENTICATION_FAILED',
        `You are in too many groups (${session.person.groups.length}) for a cookie. Ask your administrator to have the identity provider send fewer.`,
      );
    const maxAge = Math.floor((session.expires - this.#options.clock.now()) / 1000);
    for (const [index, part] of parts.entries()) this.#options.cookies.set(reply, this.#name(index), part, maxAge);
    // Leftover parts of a longer one would be read with it.
    this.#clear(reply, parts.length);
  }

  /**
   * For a terminal with its own secret, which sent its S256 challenge (RFC 7636): a code seen in a URL is useless to
   * others. `idp`: the refresh token of the identity provider.
   */
  async code(session: Session, challenge: string, idp?: string): Promise<string> {
    const more = { challenge, ...(idp === undefined ? {} : { idp }) };
    return this.#sealed('code', session, this.#options.clock.now() + CODE_MS, more);
  }

  /** Undefined for an unknown, expired or used code, or another terminal's secret. @throws {ApiError} */
  async redeem(code: string, verifier: string): Promise<Redeemed | undefined> {
    const { sealer, revocations } = this.#options;
    const claims = await sealer.open('code', code);
    const session = sessionIn(claims);
    if (session === undefined || claims?.['challenge'] !== challengeOf(verifier)) return undefined;
    if (!(await revocations.useUp(`code of ${session.id}`, session.expires))) return undefined;
    const { idp } = claims;
    return { session, idp: typeof idp === 'string' ? idp : undefined };
  }

  /** For a terminal that has proved its session. */
  async terminalToken(session: Session): Promise<TerminalToken> {
    const { expires, person } = session;
    return { token: await this.#sealed('terminal', session, expires), expires, person };
  }

  /** For a terminal that needs it in the redirect. */
  async token(session: Session): Promise<string> {
    return this.#sealed('terminal', session, this.#options.clock.now() + TERMINAL_MS);
  }

  /** Undefined without a sign-in, or if it expired or was signed out. */
  async find(request: FastifyRequest): Promise<Presented | undefined> {
    const { authorization } = request.headers;
    const bearer = /^Bearer ([\w.-]+)$/iu.exec(authorization ?? '')?.[1];
    // An invalid bearer token is not replaced by a cookie.
    if (authorization !== undefined)
      return bearer === undefined ? undefined : this.#opened('terminal', bearer, 'bearer');
    const text = this.#cookie(request);
    return text === '' ? undefined : this.#opened('session', text, 'cookie');
  }

  /** Ends the session everywhere, and removes the cookie. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const found = await this.find(request);
    // Before the cookie goes: a failed end elsewhere can be tried again.
    if (found !== undefined) {
      const { clock, revocations, refreshMs } = this.#options;
      // Otherwise a renewal would continue with it.
      await revocations.add(found.session.id, Math.max(found.session.expires, clock.now() + refreshMs));
    }
    this.#clear(reply, 0);
  }

  async #opened(purpose: Purpose, text: string, by: Presented['by']): Promise<Presented | undefined> {
    const session = sessionIn(await this.#options.sealer.open(purpose, text));
    return session === undefined || this.#options.revocations.has(session.id) ? undefined : { session, by };
  }

  #sealed(
    purpose: Purpose,
    session: Session,
    until: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    return this.#options.sealer.seal(purpose, { ...claimsOf(session), ...more }, until);
  }

  #cookie(request: FastifyRequest): string {
    let text = '';
    for (let index = 0; index < MAX_CHUNKS; index++) {
      const part = request.cookies[this.#name(index)];
      if (part === undefined || part === '') break;
      text += part;
    }
    return text;
  }

  #clear(reply: FastifyReply, from: number): void {
    for (let index = from; index < MAX_CHUNKS; index++)
      if (this.#name(index) in reply.request.cookies) this.#options.cookies.clear(reply, this.#name(index));
  }

  #name(index: number): string {
    return this.#options.cookies.name(String(index));
  }
}

/** S256 challenge of the terminal's secret, sent in advance (RFC 7636). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** A session as sealed claims. */
export function claimsOf({ id, person, expires }: Session): Readonly<Record<string, unknown>> {
  const { issuer, subject, groups, name } = person;
  return { sid: id, iss: issuer, sub: subject, grp: groups, nam: name, end: expires };
}

export function sessionIn(claims: Readonly<Record<string, unknown>> | undefined): Session | undefined {
  const { sid, iss, sub, grp, nam, end } = claims ?? {};
  if (typeof sid !== 'string' || typeof iss !== 'string' || typeof sub !== 'string') return undefined;
  if (!Array.isArray(grp) || typeof end !== 'number') return undefined;
  return {
    id: sid,
    expires: end,
    person: {
      issuer: iss,
      subject: sub,
      groups: grp.filter((group): group is string => typeof group === 'string'),
      name: typeof nam === 'string' ? nam : undefined,
    },
  };
}
