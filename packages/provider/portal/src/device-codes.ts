import type { Logger } from '@hawser/telemetry';
import { Refusal } from './answer.js';
import { identityOf } from './person.js';
import { type GrantStore, PersonalGrants, hashOf } from './personal-grants.js';
import type { Refreshes, RenewableToken } from './refreshes.js';
import type { Revocations } from './revocations.js';
import type { Session } from './session.js';
import { challengeOf, claimsOf, sessionIn } from './sessions.js';

export interface DeviceCodesOptions extends GrantStore {
  readonly refreshes: Pick<Refreshes, 'first'>;
  readonly revocations: Pick<Revocations, 'has'>;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Creates a session id. */
  readonly newId: () => string;
  readonly audit: Logger;
}

/** A terminal that a person approves. */
export interface Approval {
  /** Hash of the typed code: see {@link hashOfUserCode}. */
  readonly hash: string;
  /** Session of the person's browser: the approval ends with it. */
  readonly by: string;
  /** The refresh token of the identity provider. Undefined: the terminal's login is not renewed. */
  readonly idp?: string | undefined;
}

/** Device code of the terminal, and user code of the person. */
export interface DeviceCode {
  readonly deviceCode: string;
  /** `BCDF-GHJK`. */
  readonly userCode: string;
  readonly expiresInSeconds: number;
}

/** Result of a sign-in. */
export type DeviceOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'signedIn'; readonly token: RenewableToken }
  /** Expired, not ours, or of a terminal with another secret. */
  | { readonly kind: 'refused' };

const CODE_MS = 600_000;
/** No vowels, to avoid words, and no ambiguous letters (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`, 'u');

/**
 * Signs in a terminal on a machine without a browser, following RFC 8628: a signed-in person types the terminal's code
 * into a page. A started sign-in is stored nowhere: the terminal presents sealed data. An approval is a Lease, named by
 * a hash of the code: any replica can return the token, once, and only to the terminal with the secret of the initial
 * challenge.
 */
export class DeviceCodes {
  readonly #options: DeviceCodesOptions;
  readonly #grants: PersonalGrants;

  constructor(options: DeviceCodesOptions) {
    this.#options = options;
    this.#grants = new PersonalGrants({
      ...options,
      purpose: 'device-code',
      namePrefix: 'hawser-portal-device-',
      annotation: 'hawser.dev/device-grant',
      sealedAs: 'device-grant',
      tooMany: (most) =>
        `You have approved ${most} terminals that have not gone on. Let one of them go on, or wait ten minutes.`,
    });
  }

  /** `challenge`: S256, of a secret that the terminal keeps (RFC 7636). */
  async begin(challenge: string): Promise<DeviceCode> {
    const { clock, sealer, randomBytes } = this.#options;
    const letters = lettersFrom(randomBytes);
    const deviceCode = await sealer.seal('device', { user: hashOf(letters), challenge }, clock.now() + CODE_MS);
    const userCode = `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
    return { deviceCode, userCode, expiresInSeconds: CODE_MS / 1_000 };
  }

  /**
   * Signs the code's terminal in as the person, with its own session that ends when `session` does.
   * @throws {Refusal | ApiError}
   */
  async approve(
    session: Session,
    { hash, by, idp }: Approval,
    { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, newId, audit } = this.#options;
    const expires = Math.floor(Math.min(session.expires, clock.now() + CODE_MS) / 1_000) * 1_000;
    // Its own session: signing out in browser or terminal ends only that one.
    const claims = { ...claimsOf({ ...session, id: newId() }), by, ...(idp === undefined ? {} : { idp }) };
    await this.#grants.issue(session.person, { hash, claims, expires }, signal);
    audit.info('approved the sign-in of a terminal', {
      person: identityOf(session.person),
      renewable: idp !== undefined,
      requestId,
    });
  }

  /** @throws {ApiError} */
  async take(deviceCode: string, verifier: string, signal: AbortSignal): Promise<DeviceOutcome> {
    const { sealer, refreshes, revocations } = this.#options;
    const asked = await sealer.open('device', deviceCode);
    const user = asked?.['user'];
    if (typeof user !== 'string' || asked?.['challenge'] !== challengeOf(verifier)) return { kind: 'refused' };
    const found = await this.#grants.find(user, signal);
    if (found === undefined) return { kind: 'pending' };
    const session = sessionIn(found.claims);
    // A signed-out person grants nothing any more.
    const hasLeft = revocations.has(String(found.claims?.['by']));
    if (session === undefined || hasLeft || !(await found.use(signal))) return { kind: 'refused' };
    const idp = found.claims?.['idp'];
    return { kind: 'signedIn', token: await refreshes.first(session, typeof idp === 'string' ? idp : undefined) };
  }

  /** Deletes expired approvals. @throws {ApiError} */
  sweep(signal: AbortSignal): Promise<void> {
    return this.#grants.sweep(signal);
  }
}

/** Hash of a typed code. Names the approval, and reveals nothing of the code. @throws {Refusal} for an invalid code */
export function hashOfUserCode(userCode: string): string {
  const letters = userCode.toUpperCase().replaceAll(/[^A-Z]/gu, '');
  if (!CODE.test(letters))
    throw new Refusal(400, 'BAD_REQUEST', 'This is not a code of a terminal. It has eight letters, as BCDF-GHJK.');
  return hashOf(letters);
}

/** Each letter is equally likely. */
function lettersFrom(randomBytes: (size: number) => Uint8Array): string {
  let letters = '';
  while (letters.length < LENGTH)
    for (const byte of randomBytes(LENGTH))
      if (byte < 256 - (256 % LETTERS.length) && letters.length < LENGTH)
        letters += LETTERS.charAt(byte % LETTERS.length);
  return letters;
}
