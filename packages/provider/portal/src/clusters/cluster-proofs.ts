import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type { FastifyRequest } from 'fastify';
import { type JWTPayload, type JWTVerifyGetKey, decodeJwt, errors, jwtVerify } from 'jose';
import { Refusal } from '../answer.js';
import type { ClusterIssuer } from '../options.js';
import { IssuerKeys } from './issuer-keys.js';

/** Header with the token of a cluster. No URL and no log has it. */
export const CLUSTER_TOKEN_HEADER = 'hawser-cluster-token';

/** Header of a refusal, with the value `required`: the same request with the cluster's token is accepted. */
export const CLUSTER_PROOF_HEADER = 'hawser-cluster-proof';

/** Signature algorithms of Kubernetes. None uses a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Kubernetes issues shorter ones; a token without expiry is no pod's. */
const LONGEST_LIFE = '24h';
/** For clock skew. */
const TOLERANCE_SECONDS = 30;
const LONGEST_TOKEN = 8_192;

export interface ClusterProofsOptions {
  readonly issuers: readonly ClusterIssuer[];
  /** Required audience of a token: the portal's public URL. */
  readonly audience: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface KnownIssuer extends ClusterIssuer {
  readonly keys: JWTVerifyGetKey;
}

/** Identifies a cluster by a token that its own API server signed for this portal. */
export class ClusterProofs {
  readonly #options: ClusterProofsOptions;
  readonly #keys = new IssuerKeys();
  readonly #known: readonly KnownIssuer[];

  constructor(options: ClusterProofsOptions) {
    this.#options = options;
    this.#known = options.issuers.map((issuer) => ({ ...issuer, keys: this.#keys.of(issuer) }));
  }

  async close(): Promise<void> {
    await this.#keys.close();
  }

  /** Whether the provider knows the issuer of this cluster's tokens: then its name alone does not bring it in. */
  needsProof(identity: string): boolean {
    return this.#known.some((one) => one.identity === identity);
  }

  /** The ServiceAccount whose tokens prove this cluster, as `<namespace>/<name>`. Undefined: none. */
  serviceAccountOf(identity: string): string | undefined {
    return this.#known.find((one) => one.identity === identity)?.serviceAccount;
  }

  /**
   * The identity of the cluster whose token a request carries; undefined: no token.
   * @throws {Refusal} for an invalid one
   */
  async identityOf({ headers, id }: Pick<FastifyRequest, 'headers' | 'id'>): Promise<string | undefined> {
    const { [CLUSTER_TOKEN_HEADER]: token } = headers;
    if (token === undefined) return undefined;
    if (typeof token !== 'string') throw refused('It is no token.');
    return this.identityBy(token, id);
  }

  /** The identity of the cluster that issued a token. @throws {Refusal} for an invalid one */
  async identityBy(token: string, requestId: string): Promise<string> {
    if (token.length > LONGEST_TOKEN) throw refused('It is no token.');
    const issuer = issuerIn(token);
    // Clusters use the same issuer name: only the key identifies them.
    const candidates = this.#known.filter((one) => one.issuer === issuer);
    if (candidates.length === 0) throw refused('Its issuer is not known here.');
    const tried = await Promise.all(
      candidates.map((one) => this.#holdsFor(one, token).catch((error: unknown) => ({ error }))),
    );
    const proven = tried.filter((one): one is KnownIssuer => !('error' in one));
    const [first] = proven;
    if (first !== undefined && proven.length === 1) return first.identity;
    if (proven.length > 1) {
      this.#options.log.error('two clusters have the same key; their tokens prove neither', {
        requestId,
        clusters: proven.map(({ identity }) => identity),
      });
      throw refused('Two clusters have its key.');
    }
    throw this.#refusalBy(
      tried.flatMap((one) => ('error' in one ? [one.error] : [])),
      requestId,
    );
  }

  async #holdsFor(one: KnownIssuer, token: string): Promise<KnownIssuer> {
    const { audience, clock } = this.#options;
    const { payload } = await jwtVerify(token, one.keys, {
      algorithms: ALGORITHMS,
      issuer: one.issuer,
      audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: LONGEST_LIFE,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    });
    if (serviceAccountOf(payload) !== one.serviceAccount)
      throw refused(`It is not of ServiceAccount ${one.serviceAccount}.`);
    return one;
  }

  /** The failure closest to a valid token is the most helpful. */
  #refusalBy(all: readonly unknown[], requestId: string): Refusal {
    const own = all.find((error) => error instanceof Refusal);
    if (own !== undefined) return own;
    if (all.some((error) => error instanceof errors.JWTExpired)) return refused('It has expired.');
    const claim = all.find((error) => error instanceof errors.JWTClaimValidationFailed);
    if (claim?.claim === 'aud') return refused(`It is not for the audience ${this.#options.audience}.`);
    const unread = all.find(isUnread);
    if (unread === undefined) return refused('Its signature, times or claims do not hold.');
    this.#options.log.warn('the keys of a cluster cannot be read', { requestId, error: unread });
    return new Refusal(
      502,
      'AUTHENTICATION_FAILED',
      'The keys of this cluster cannot be read now. Try again; if it goes on, tell the administrator of the provider.',
    );
  }
}

/** The keys could not be read; this says nothing about the token. */
function isUnread(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  const { JWKSTimeout, JWKSInvalid, JOSEError } = errors;
  return error instanceof JWKSTimeout || error instanceof JWKSInvalid || error.code === JOSEError.code;
}

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** `<namespace>/<name>`, if Kubernetes' claims agree with the subject. */
function serviceAccountOf({ sub, ['kubernetes.io']: own }: JWTPayload): string | undefined {
  const { namespace, serviceaccount } = (own ?? {}) as {
    readonly namespace?: unknown;
    readonly serviceaccount?: { readonly name?: unknown } | null;
  };
  const name = serviceaccount?.name;
  if (typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  return sub === `system:serviceaccount:${namespace}:${name}` ? `${namespace}/${name}` : undefined;
}

function refused(why: string): Refusal {
  return new Refusal(403, 'AUTHENTICATION_FAILED', `The token in ${CLUSTER_TOKEN_HEADER} proves no cluster. ${why}`);
}
