import type { JsonSchemaProps } from './json-schema-props.js';
import { isEmailAddress } from './formats/email-address.js';
import { isCidr, isIpv4, isIpv6 } from './formats/ip-address.js';
import { isMac } from './formats/mac-address.js';
import { isCreditCard, isIsbn10, isIsbn13, isSocialSecurityNumber } from './formats/numbers.js';
import { isDate, isDateTime, isDuration } from './formats/times.js';
import { isRequestUri } from './formats/uri.js';

/** Required form of a string format. */
export interface FormatCheck {
  /** As in the schema: `date-time` and `datetime` are one format. */
  readonly name: string;
  accepts(text: string): boolean;
}

const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const HOST_CHAR = '[a-zA-Z0-9\\p{S}\\p{L}]';
const HOSTNAME = new RegExp(
  `^(?:${HOST_CHAR}(?:-?${HOST_CHAR}{0,62})?|(?:${HOST_CHAR}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${HOST_CHAR})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);
const COLOR_PART = '[\\t\\n\\f\\r ]*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\\t\\n\\f\\r ]*';

/** By name without hyphens. https://kubernetes.io/docs/reference/using-api/, "formats" of `JSONSchemaProps`. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmailAddress],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', isSocialSecurityNumber],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matching(new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`))],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && new RegExp(`^${LABEL}$`).test(text)],
  ['k8slongname', (text) => text.length <= 253 && new RegExp(`^${LABEL}(?:\\.${LABEL})*$`).test(text)],
]);

/**
 * A schema's format if the API server (1.34 and later) knows it for the schema's type, else empty: it ignores all
 * others.
 */
export function knownFormat(schema: JsonSchemaProps): string {
  const format = schema.format ?? '';
  if (format === '') return '';
  // Two types count as none.
  const type = schema['x-kubernetes-int-or-string'] === true ? '' : (schema.type ?? '');
  switch (type) {
    case '':
    case 'string':
      return FORMATS.has(normalized(format)) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}

/** `undefined` for number formats and without a format. */
export function formatCheckFor(format: string): FormatCheck | undefined {
  const accepts = FORMATS.get(normalized(format));
  return accepts === undefined ? undefined : { name: format, accepts };
}

const normalized = (format: string): string => format.replaceAll('-', '');

function isHostname(text: string): boolean {
  if (!HOSTNAME.test(text)) return false;
  const bytes = (part: string): number => Buffer.byteLength(part);
  return bytes(text) <= 255 && text.split('.').every((label) => bytes(label) <= 63);
}
