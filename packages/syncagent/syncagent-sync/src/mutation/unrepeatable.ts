import type { FunctionMap } from '@hawser/gotemplate';

/** Functions of sprig with a different result each time. */
const unrepeatable = [
  'bcrypt',
  'encryptAES',
  'genCA',
  'genCAWithKey',
  'genPrivateKey',
  'genSelfSignedCert',
  'genSelfSignedCertWithKey',
  'genSignedCert',
  'genSignedCertWithKey',
  'htpasswd',
  'randAlpha',
  'randAlphaNum',
  'randAscii',
  'randBytes',
  'randInt',
  'randNumeric',
  'shuffle',
  'uuidv4',
];

const refused = { refused: 'it answers differently each time, so that the objects would be written again and again' };

/**
 * Removes functions with a different result each time. A template's result is compared with the present value, so an
 * unchanged object must give the same result.
 */
export function repeatableFunctions(functions: FunctionMap): FunctionMap {
  return { ...functions, ...Object.fromEntries(unrepeatable.map((name) => [name, refused])) };
}

/** Functions that depend on the time of day. */
export const timeFunctions: FunctionMap = Object.fromEntries(
  ['ago', 'now'].map((name) => [name, { refused: 'it depends on the time' }]),
);
