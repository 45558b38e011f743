import type { Clock } from '@hawser/clock';
import { EncryptJWT, decodeProtectedHeader, jwtDecrypt } from 'jose';
import type { KeyStore } from './key-store.js';

/** Purpose of a sealed text: texts of different purposes are never confused. */
export type Purpose =
  'session' | 'sign-in' | 'terminal' | 'code' | 'form' | 'bundle' | 'device' | 'device-grant' | 'refresh';

/**
 * Seals claims into a text that only replicas of this portal can read and create (JWE, `dir`, A256GCM), for one purpose
 * and a limited time. So presented data need not be stored, and a hundred thousand unfinished sign-ins cost no memory.
 */
export class Sealer {
  readonly #keys: Pick<KeyStore, 'seal' | 'find'>;
  readonly #clock: Clock;

  constructor(keys: Pick<KeyStore, 'seal' | 'find'>, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** `expires`: milliseconds since the epoch. */
  async seal(purpose: Purpose, claims: Readonly<Record<string, unknown>>, expires: number): Promise<string> {
    const { id, bytes } = await this.#keys.seal();
    return new EncryptJWT({ ...claims })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id })
      .setAudience(purpose)
      .setExpirationTime(Math.floor(expires / 1000))
      .encrypt(bytes);
  }

  /** Undefined for a foreign, mismatched or expired text. */
  async open(purpose: Purpose, text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const { kid } = decodeProtectedHeader(text);
      const key = typeof kid === 'string' ? await this.#keys.find(kid) : undefined;
      if (key === undefined) return undefined;
      const { payload } = await jwtDecrypt(text, key.bytes, {
        audience: purpose,
        currentDate: new Date(this.#clock.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (isJoseError(error)) return undefined;
      throw error;
    }
  }
}

/**
 * Whether a text is no token, not for us, or invalid. The API server's errors while reading keys are different, and
 * propagate.
 */
function isJoseError(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J'))
  );
}
