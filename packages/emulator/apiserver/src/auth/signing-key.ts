import { type KeyObject, createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { Random } from '@hawser/clock';
import { isObject, type JsonObject, parse, stringify } from '@hawser/json';
import { stringField } from '../object/json.js';

/** DER of a PKCS #8 Ed25519 key up to its 32 bytes (RFC 8410). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

const MOST_VERIFIED = 1_000;

/**
 * Signs and verifies JSON Web Tokens (RFC 7519) with Ed25519: the same claims always give the same token, which makes a
 * run repeatable to the byte. Real servers use RSA or ECDSA; clients do not check.
 */
export class SigningKey {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #header: string;
  /** Claims by verified token: a client sends the same one with every request. */
  readonly #verified = new Map<string, JsonObject>();

  /** @param seed 32 bytes. */
  constructor(seed: Uint8Array) {
    this.#private = createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: 'der', type: 'pkcs8' });
    this.#public = createPublicKey(this.#private);
    const id = createHash('sha256')
      .update(this.#public.export({ format: 'der', type: 'spki' }))
      .digest('base64url');
    this.#header = encode({ alg: 'EdDSA', kid: id });
  }

  sign(claims: JsonObject): string {
    const content = `${this.#header}.${encode(claims)}`;
    return `${content}.${sign(null, Buffer.from(content), this.#private).toString('base64url')}`;
  }

  /** The claims of a token signed with this key; `undefined` for any other text. Does not check times. */
  verify(token: string): JsonObject | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const claims = this.#verify(token);
    if (claims === undefined) return undefined;
    if (this.#verified.size >= MOST_VERIFIED) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }

  #verify(token: string): JsonObject | undefined {
    const [header, claims, signature, ...rest] = token.split('.');
    if (header === undefined || claims === undefined || signature === undefined || rest.length > 0) return undefined;
    if (stringField(decode(header), 'alg') !== 'EdDSA') return undefined;
    if (!verify(null, Buffer.from(`${header}.${claims}`), this.#public, Buffer.from(signature, 'base64url')))
      return undefined;
    return decode(claims);
  }
}

/** Bytes for a key, as good as the random numbers: a seeded server's key can be guessed. */
export function randomSeed(random: Random): Uint8Array {
  return Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256));
}

function encode(value: JsonObject): string {
  return Buffer.from(stringify(value)).toString('base64url');
}

function decode(text: string): JsonObject | undefined {
  try {
    const value = parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
