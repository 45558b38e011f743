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
  /** Of a session. */
  readonly newId: () => string;
  readonly audit: Logger;
}

/** A terminal that a person lets in. */
export interface Approval {
  /** Of the code that they have typed: see {@link hashOfUserCode}. */
  readonly hash: string;
  /** The session of their browser: the approval ends with it. */
  readonly by: string;
  /** The refresh token of the identity provider. Undefined: the login of the terminal is not renewed. */
  readonly idp?: string | undefined;
}

/** What a terminal asks with, and what a person types. */
export interface DeviceCode {
  readonly deviceCode: string;
  /** `BCDF-GHJK`. */
  readonly userCode: string;
  readonly expiresInSeconds: number;
}

/** What has come of a sign-in. */
export type DeviceOutcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'signedIn'; readonly token: RenewableToken }
  /** Too old, not ours, or of a terminal with another secret. */
  | { readonly kind: 'refused' };

const CODE_MS = 600_000;
/** Without vowels, so that no words come of them, and without what is mistaken for another (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`, 'u');

/**
 * Sign-in of a terminal on a machine that no browser reaches, in the way of RFC 8628: the terminal shows a code, and a person who has signed in types it into a page.
 * A sign-in that has begun is kept nowhere: what the terminal presents is sealed. What a person approves is a Lease, named by a hash of the code, so any replica can hand out the token, once, and to none but the terminal with the
 * secret of which a challenge was sent beforehand.
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

  /** The terminal that shows the code is signed in as the person, with a session of its own that ends when `session` does. @throws {Refusal | ApiError} */
  async approve(
    session: Session,
    { hash, by, idp }: Approval,
    { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { clock, newId, audit } = this.#options;
    const expires = Math.floor(Math.min(session.expires, clock.now() + CODE_MS) / 1_000) * 1_000;
    // Of its own, so that signing out in the browser or in the terminal ends that one alone.
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
    // Who has signed out since gives nothing any more.
    const hasLeft = revocations.has(String(found.claims?.['by']));
    if (session === undefined || hasLeft || !(await found.use(signal))) return { kind: 'refused' };
    const idp = found.claims?.['idp'];
    return { kind: 'signedIn', token: await refreshes.first(session, typeof idp === 'string' ? idp : undefined) };
  }

  /** Deletes what no terminal has taken in time. @throws {ApiError} */
  sweep(signal: AbortSignal): Promise<void> {
    return this.#grants.sweep(signal);
  }
}

/** Of a code as a person types it. Names the approval, and tells nothing of the code. @throws {Refusal} for what is no code */
export function hashOfUserCode(userCode: string): string {
  const letters = userCode.toUpperCase().replaceAll(/[^A-Z]/gu, '');
  if (!CODE.test(letters))
    throw new Refusal(400, 'BAD_REQUEST', 'This is not a code of a terminal. It has eight letters, as BCDF-GHJK.');
  return hashOf(letters);
}

/** Each letter as likely as every other. */
function lettersFrom(randomBytes: (size: number) => Uint8Array): string {
  let letters = '';
  while (letters.length < LENGTH)
    for (const byte of randomBytes(LENGTH))
      if (byte < 256 - (256 % LETTERS.length) && letters.length < LENGTH)
        letters += LETTERS.charAt(byte % LETTERS.length);
  return letters;
}
