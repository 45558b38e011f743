import { createHmac, scryptSync } from 'node:crypto';
import { toBytes } from '../values/bytes.js';

// The Master Password algorithm, with the constants of its specification.
const SEED = 'com.lyndir.masterpassword';

const templates: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    'CvcvnoCvcvCvcv',
    'CvcvCvcvnoCvcv',
    'CvcvCvcvCvcvno',
    'CvccnoCvcvCvcv',
    'CvccCvcvnoCvcv',
    'CvccCvcvCvcvno',
    'CvcvnoCvccCvcv',
    'CvcvCvccnoCvcv',
    'CvcvCvccCvcvno',
    'CvcvnoCvcvCvcc',
    'CvcvCvcvnoCvcc',
    'CvcvCvcvCvccno',
    'CvccnoCvccCvcv',
    'CvccCvccnoCvcv',
    'CvccCvccCvcvno',
    'CvcvnoCvccCvcc',
    'CvcvCvccnoCvcc',
    'CvcvCvccCvccno',
    'CvccnoCvcvCvcc',
    'CvccCvcvnoCvcc',
    'CvccCvcvCvccno',
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const VOWELS = 'AEIOU';
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXYZ';

const characters: Readonly<Record<string, string>> = {
  V: VOWELS,
  C: CONSONANTS,
  v: VOWELS.toLowerCase(),
  c: CONSONANTS.toLowerCase(),
  A: VOWELS + CONSONANTS,
  a: VOWELS + VOWELS.toLowerCase() + CONSONANTS + CONSONANTS.toLowerCase(),
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `${VOWELS}${VOWELS.toLowerCase()}${CONSONANTS}${CONSONANTS.toLowerCase()}0123456789!@#$%^&*()`,
};

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A site's password from a master password. Takes some 200 ms. */
export function derivePassword(counter: number, type: string, password: string, user: string, site: string): string {
  const forms = Object.hasOwn(templates, type) ? templates[type] : undefined;
  if (forms === undefined) return `cannot find password template ${type}`;
  const [userBytes, siteBytes] = [toBytes(user), toBytes(site)];
  const salt = Buffer.concat([Buffer.from(SEED), uint32(userBytes.length), userBytes]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(SEED), uint32(siteBytes.length), siteBytes, uint32(counter)]))
    .digest();
  const form = forms[(seed[0] ?? 0) % forms.length] ?? '';
  return Array.from(form, (kind, index) => {
    const choices = characters[kind] ?? '';
    return choices.charAt((seed[index + 1] ?? 0) % choices.length);
  }).join('');
}
