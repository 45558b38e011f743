import { encodeBase64, hashSync } from 'bcryptjs';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto';
import type { Budget } from '../exec/budget.js';
import { fn, type FunctionMap, type RefusedFunction } from '../template-function.js';
import { byteLength, fromBytes, toBytes } from '../values/bytes.js';
import { GoObject } from '../values/go-object.js';
import { derivePassword } from './derive-password.js';
import type { RandomBytes, SprigOptions } from './options.js';

const digest = (algorithm: string) =>
  fn(['string'], (text) => createHash(algorithm).update(toBytes(text)).digest('hex'));

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (const byte of toBytes(text)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return String(b * 65536 + a);
}

/** Step cost of a slow hash: two of them use nearly the whole budget. */
const slowHash = 7_000_000;

function bcrypt(password: string, random: RandomBytes, budget: Budget): string {
  budget.charge(slowHash);
  if (byteLength(password) > 72) throw new Error('a password of more than 72 bytes');
  return hashSync(password, `$2a$10$${encodeBase64(random(16), 16)}`);
}

/** Keys are truncated or zero-padded to 32 bytes, and used without derivation. */
function aesKey(password: string): Buffer {
  const key = Buffer.alloc(32);
  toBytes(password).copy(key, 0, 0, 32);
  return key;
}

function encrypt(password: string, text: string, random: RandomBytes): string {
  if (text === '') return '';
  const iv = random(16);
  const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
  return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString('base64');
}

function decrypt(password: string, text: string): string {
  if (text === '') return '';
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Error('the text is not an encrypted value');
  const decipher = createDecipheriv('aes-256-cbc', aesKey(password), bytes.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  if (padding > padded.length) throw new Error('the password does not fit');
  return fromBytes(padded.subarray(0, padded.length - padding));
}

function privateKey(type: string): string {
  switch (type) {
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ type: 'sec1', format: 'pem' })
        .toString();
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    case '':
    case 'rsa':
    case 'dsa':
      throw new Error('keys of this type take seconds to make, in which nothing else happens; use ecdsa or ed25519');
    default:
      return `Unknown type ${type}`;
  }
}

function certificate(encodedCertificate: string, encodedKey: string): GoObject {
  const [pem, key] = [Buffer.from(encodedCertificate, 'base64'), Buffer.from(encodedKey, 'base64')];
  try {
    new X509Certificate(pem);
    createPrivateKey(key);
  } catch {
    // The library's reason could quote the key.
    throw new Error('a certificate or its key cannot be read');
  }
  return new GoObject({ type: 'sprig.certificate', fields: { Cert: pem.toString('utf8'), Key: key.toString('utf8') } });
}

const noCertificates: RefusedFunction = {
  refused: 'certificates are not made by templates here; let an issuer make a Secret, and relate it',
};

export function crypto({ random }: SprigOptions): FunctionMap {
  return {
    sha1sum: digest('sha1'),
    sha256sum: digest('sha256'),
    sha512sum: digest('sha512'),
    adler32sum: fn(['string'], adler32),
    bcrypt: fn(['string'], (password, { budget }) => bcrypt(password, random, budget)),
    htpasswd: fn(['string', 'string'], (user, password, { budget }) =>
      user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(password, random, budget)}`,
    ),
    derivePassword: fn(
      ['uint32', 'string', 'string', 'string', 'string'],
      (counter, type, password, user, site, { budget }) => {
        budget.charge(slowHash);
        return derivePassword(counter, type, password, user, site);
      },
    ),
    encryptAES: fn(['string', 'string'], (password, text) => encrypt(password, text, random)),
    decryptAES: fn(['string', 'string'], decrypt),
    genPrivateKey: fn(['string'], privateKey),
    buildCustomCert: fn(['string', 'string'], certificate),
    genCA: noCertificates,
    genCAWithKey: noCertificates,
    genSelfSignedCert: noCertificates,
    genSelfSignedCertWithKey: noCertificates,
    genSignedCert: noCertificates,
    genSignedCertWithKey: noCertificates,
  };
}
