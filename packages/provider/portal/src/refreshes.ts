import { createHash } from 'node:crypto';
import type { Clock } from '@hawser/clock';
import { Refusal } from './answer.js';
import type { Issuer } from './issuer.js';
import type { Revocations } from './revocations.js';
import type { Sealer } from './seal.js';
import type { Session } from './session.js';
import { type Sessions, type TerminalToken, claimsOf, sessionIn } from './sessions.js';

export interface RefreshesOptions {
  readonly issuer: Pick<Issuer, 'renew'>;
  readonly sealer: Sealer;
  readonly sessions: Pick<Sessions, 'terminalToken'>;
  readonly revocations: Pick<Revocations, 'has' | 'add' | 'useUp' | 'giveBack'>;
  readonly clock: Clock;
  /** Duration of a sign-in. */
  readonly sessionMs: number;
  /** Time after a sign-in during which it is renewed without a browser. */
  readonly refreshMs: number;
}

/** A terminal's token, with its refresh token if renewable. */
export interface RenewableToken extends TerminalToken {
  /** Valid for one renewal. */
  readonly refreshToken?: string | undefined;
}

/**
 * Renews terminals' tokens while the identity provider renews the sign-in. The terminal keeps the provider's refresh
 * token sealed: neither it nor a thief of its file can use it there, and the portal stores nothing. Each token is valid
 * for one renewal; a second use ends the login.
 */
export class Refreshes {
  readonly #options: RefreshesOptions;

  constructor(options: RefreshesOptions) {
    this.#options = options;
  }

  /** For a new session. `idp`: the refresh token of the identity provider; undefined: none. */
  async first(session: Session, idp: string | undefined): Promise<RenewableToken> {
    return this.#renewable(session, idp, this.#options.clock.now() + this.#options.refreshMs);
  }

  /** @throws {Refusal} for an invalid or used token @throws {ApiError} */
  async renew(refreshToken: string): Promise<RenewableToken> {
    const { issuer, sealer, revocations, clock, sessionMs } = this.#options;
    const claims = await sealer.open('refresh', refreshToken);
    const former = sessionIn(claims);
    const { idp, until } = claims ?? {};
    if (former === undefined || typeof idp !== 'string' || typeof until !== 'number') throw ended();
    if (revocations.has(former.id)) throw ended();
    const id = `refresh token ${createHash('sha256').update(refreshToken).digest('hex')}`;
    if (!(await revocations.useUp(id, until))) {
      await revocations.add(former.id, until);
      throw ended();
    }
    try {
      const { person, refreshToken: next = idp } = await issuer.renew(former.person, idp);
      const session = { id: former.id, person, expires: Math.min(clock.now() + sessionMs, until) };
      return await this.#renewable(session, next, until);
    } catch (error) {
      // The token was not to blame, and can be tried again.
      if (!(error instanceof Refusal) || error.status >= 500) await revocations.giveBack(id);
      throw error;
    }
  }

  async #renewable(session: Session, idp: string | undefined, until: number): Promise<RenewableToken> {
    const { sealer, sessions, refreshMs } = this.#options;
    const token = await sessions.terminalToken(session);
    if (idp === undefined || refreshMs === 0) return token;
    return { ...token, refreshToken: await sealer.seal('refresh', { ...claimsOf(session), idp, until }, until) };
  }
}

function ended(): Refusal {
  return new Refusal(401, 'AUTHENTICATION_FAILED', 'This login cannot be renewed any more. Sign in again.');
}
