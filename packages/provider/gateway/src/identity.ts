import { createHash } from 'node:crypto';
import { type Client, isApiError } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { isFields } from '@hawser/json';
import type { Dialect } from '@hawser/kube-bind';
import { refusalOf } from './upstream-error.js';
import { Queues } from './queues.js';
import { Refused, unauthorized, unavailable } from './refused.js';

/** A consumer, by its ServiceAccount. */
export interface Identity {
  readonly kind: 'consumer';
  readonly dialect: Dialect;
  readonly clusterNamespace: string;
  /** uid of the ServiceAccount. */
  readonly uid: string;
  readonly username: string;
  readonly token: string;
  /** On the server's clock, in milliseconds since 1970; undefined: it does not expire by itself. */
  readonly expiresAt: number | undefined;
}

/** A user that the API server knows and this gateway does not serve. */
interface Other {
  readonly kind: 'other';
  readonly username: string;
}

/** As long as an API server caches a token itself. */
const REMEMBERED_MS = 10_000;
const REFUSED_MS = 2_000;
const MOST_REMEMBERED = 10_000;
/** Concurrent TokenReviews. */
const MOST_ASKED = 64;
/** Waiting reviews: when a gateway starts, all konnectors come at once. */
const MOST_WAITING = 4_000;
/** Per client address. Many konnectors may share one. */
const MOST_WAITING_OF_ONE = 2_000;
/** The caller for tokens of watches. */
const GATEWAY = '';
/** ServiceAccount tokens are JSON web tokens. The gateway reviews no other text. */
const TOKEN = /^[A-Za-z0-9_-]{2,4096}\.[A-Za-z0-9_-]{2,8192}\.[A-Za-z0-9_-]{2,2048}$/u;
const SERVICE_ACCOUNT = 'system:serviceaccount:';

interface Review {
  readonly outcome: Promise<Identity | Other | undefined>;
  until: number;
}

/** Asks the API server to which user a token belongs, and caches the answer for a short time. */
export class Identities {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #dialects: readonly Dialect[];
  /** By hash: no token is kept longer than its request. */
  readonly #reviews = new Map<string, Review>();
  /** By client address. */
  readonly #queues = new Queues({
    atOnce: MOST_ASKED,
    waiting: MOST_WAITING,
    waitingOfOne: MOST_WAITING_OF_ONE,
  });

  constructor(client: Client, clock: Clock, dialects: readonly Dialect[]) {
    this.#client = client;
    this.#clock = clock;
    this.#dialects = dialects;
  }

  /**
   * @param address of the client: requests of one address wait behind each other, not before others.
   * @throws {Refused} 401 for a missing or invalid token, 403 for a user that is no consumer, 429 if too many new
   * tokens wait, 503 if the API server cannot be asked
   */
  async identify(authorization: string | undefined, address: string): Promise<Identity> {
    const [scheme, token = '', ...more] = (authorization ?? '').split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || more.length > 0 || !TOKEN.test(token)) throw unauthorized();
    const found = await this.#review(token, address);
    if (found === undefined) throw unauthorized();
    if (found.kind === 'other') throw noConsumer(found.username);
    return found;
  }

  /**
   * Whether the API server still accepts the token. If it cannot be asked, the token counts as valid: the API server
   * still checks each forwarded request.
   */
  async isStillValid({ token }: Identity): Promise<boolean> {
    try {
      return (await this.#review(token, GATEWAY)) !== undefined;
    } catch {
      return true;
    }
  }

  #review(token: string, asker: string): Promise<Identity | Other | undefined> {
    const key = createHash('sha256').update(token).digest('base64url');
    const now = this.#clock.monotonic();
    const known = this.#reviews.get(key);
    if (known !== undefined && now < known.until) return known.outcome;
    this.#reviews.delete(key);
    const review: Review = { outcome: this.#queues.take(asker, () => this.#askServer(token)), until: Infinity };
    this.#remember(key, review, now);
    review.outcome.then(
      (found) => {
        review.until = this.#clock.monotonic() + (found === undefined ? REFUSED_MS : REMEMBERED_MS);
      },
      () => {
        review.until = 0;
      },
    );
    return review.outcome;
  }

  #remember(key: string, review: Review, now: number): void {
    if (this.#reviews.size >= MOST_REMEMBERED)
      for (const [each, { until }] of this.#reviews) if (until <= now) this.#reviews.delete(each);
    const [oldest] = this.#reviews.keys();
    if (this.#reviews.size >= MOST_REMEMBERED && oldest !== undefined) this.#reviews.delete(oldest);
    this.#reviews.set(key, review);
  }

  async #askServer(token: string): Promise<Identity | Other | undefined> {
    let answer: unknown;
    try {
      answer = await this.#client.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        metadata: {},
        spec: { token },
      });
    } catch (error) {
      // Without the cause, which concerns a request with a token.
      throw isApiError(error) ? refusalOf(error) : unavailable('the API server cannot be asked who this is');
    }
    const status = isFields(answer) && isFields(answer['status']) ? answer['status'] : {};
    const user = isFields(status['user']) ? status['user'] : {};
    const { username, uid } = user;
    if (status['authenticated'] !== true || typeof username !== 'string') return undefined;
    const [, , clusterNamespace = '', name = '', ...rest] = username.startsWith(SERVICE_ACCOUNT)
      ? username.split(':')
      : [];
    const dialect = this.#dialects.find(({ names }) => names.binder === name);
    return dialect === undefined || rest.length > 0 || typeof uid !== 'string' || clusterNamespace === ''
      ? { kind: 'other', username }
      : { kind: 'consumer', dialect, clusterNamespace, uid, username, token, expiresAt: expiryOf(token) };
  }
}

/** For a user that the API server knows and that is not, or no longer, a consumer of this provider. */
export function noConsumer(username: string): Refused {
  return new Refused(403, 'Forbidden', `User "${username}" is no consumer of this provider`);
}

/** The claim `exp` of a token that the API server has accepted. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isFields(claims) && typeof claims['exp'] === 'number' ? claims['exp'] * 1_000 : undefined;
  } catch {
    return undefined;
  }
}
