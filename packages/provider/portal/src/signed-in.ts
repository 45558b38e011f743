import type { FastifyRequest } from 'fastify';
import { Refusal } from './answer.js';
import type { Session } from './session.js';
import type { Presented, Sessions } from './sessions.js';
import type { SubjectLimit } from './subject-limit.js';

/** Identifies the sender of a request. */
export class SignedIn {
  readonly #sessions: Sessions;
  readonly #publicUrl: URL;
  readonly #limit: SubjectLimit;
  /** Several parts of one answer may need the sender. */
  readonly #counted = new WeakSet<FastifyRequest>();

  constructor(sessions: Sessions, publicUrl: URL, limit: SubjectLimit) {
    this.#sessions = sessions;
    this.#publicUrl = publicUrl;
    this.#limit = limit;
  }

  /** Undefined without a sign-in. @throws {Refusal} for a cross-site request, or too many requests */
  async find(request: FastifyRequest): Promise<Presented | undefined> {
    const found = await this.#sessions.find(request);
    if (found?.by === 'cookie' && request.method !== 'GET') this.sameSite(request);
    if (found !== undefined && !this.#counted.has(request)) {
      this.#counted.add(request);
      this.#limit.count(found.session.person);
    }
    return found;
  }

  /** @throws {Refusal} without a sign-in */
  async session(request: FastifyRequest): Promise<Session> {
    const found = await this.find(request);
    if (found === undefined)
      throw new Refusal(
        401,
        'AUTHENTICATION_FAILED',
        'Sign in first: with kubectl bind login, or at /api/authorize. A sign-in ends after some time, and when you sign out.',
        { 'www-authenticate': 'Bearer realm="hawser"' },
      );
    return found.session;
  }

  /** Browsers send cookies by themselves: cross-site requests are refused. */
  sameSite(request: FastifyRequest): void {
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const foreign =
      origin === undefined
        ? site !== undefined && site !== 'same-origin' && site !== 'none'
        : origin !== this.#publicUrl.origin;
    if (foreign)
      throw new Refusal(403, 'AUTHORIZATION_FAILED', 'This request comes from another site, and is refused.');
  }
}
