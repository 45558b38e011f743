import type { FunctionMap } from '@hawser/gotemplate';

/** Functions of sprig that answer differently each time. */
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
 * The same functions without those that answer differently each time. What a template makes of an object is compared with what is there: it has to be the
 * same again as long as the object is.
 */
export function repeatableFunctions(functions: FunctionMap): FunctionMap {
  return { ...functions, ...Object.fromEntries(unrepeatable.map((name) => [name, refused])) };
}

/** Functions that answer by the time of day. */
export const timeFunctions: FunctionMap = Object.fromEntries(
  ['ago', 'now'].map((name) => [name, { refused: 'it depends on the time' }]),
);
