import { noSuchOverload } from './error.js';
import { utcSeconds } from './time.js';
import { Url } from './url.js';
import type { OpaqueValue, Value } from './value.js';

/** Problems of a text, with the API server's messages; empty if valid. */
type Check = (text: string) => string[];

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const namePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const valuePattern = `(${namePattern})?`;

const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^(?:${pattern})$`).test(text) && !text.endsWith('\n');

const patternError = (message: string, pattern: string, ...examples: readonly string[]): string =>
  `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;

const tooLong = (text: string, limit: number): string[] =>
  Buffer.byteLength(text) > limit ? [`must be no more than ${limit} bytes`] : [];

const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const label1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const nameMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const valueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const label: Check = (text) => {
  const errors = tooLong(text, 63);
  if (matches(labelPattern, text)) {
    return errors;
  }
  return [
    ...errors,
    matches(subdomainPattern, text)
      ? 'must not contain dots'
      : patternError(labelMessage, labelPattern, 'my-name', '123-abc'),
  ];
};

const subdomain: Check = (text) => [
  ...tooLong(text, 253),
  ...(matches(subdomainPattern, text) ? [] : [patternError(subdomainMessage, subdomainPattern, 'example.com')]),
];

const label1035: Check = (text) => [
  ...tooLong(text, 63),
  ...(matches(label1035Pattern, text) ? [] : [patternError(label1035Message, label1035Pattern, 'my-name', 'abc-123')]),
];

const namePart = (name: string): string[] => {
  const length = name === '' ? ['must be non-empty'] : tooLong(name, 63);
  const pattern = matches(namePattern, name)
    ? []
    : [patternError(nameMessage, namePattern, 'MyName', 'my.name', '123-abc')];
  return [...length, ...pattern].map((error) => `name part ${error}`);
};

const qualifiedName: Check = (text) => {
  const parts = text.split('/');
  if (parts.length > 2) {
    const error = patternError(nameMessage, namePattern, 'MyName', 'my.name', '123-abc');
    return [`a valid label key ${error} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [prefix = '', name] = parts;
  if (name === undefined) {
    return namePart(prefix);
  }
  const prefixErrors = prefix === '' ? ['must be non-empty'] : subdomain(prefix);
  return [...prefixErrors.map((error) => `prefix part ${error}`), ...namePart(name)];
};

const labelValue: Check = (text) => [
  ...tooLong(text, 63),
  ...(matches(valuePattern, text) ? [] : [patternError(valueMessage, valuePattern, 'MyValue', 'my_value', '12345')]),
];

/** A name prefix may end in a dash: more text will follow. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const check =
  (isValid: (text: string) => boolean, error: string): Check =>
  (text) =>
    isValid(text) ? [] : [error];

const isDate = (text: string): boolean => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year !== undefined && utcSeconds(Number(year), Number(month), Number(day)) !== undefined;
};

const isDateTime = (text: string): boolean => {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hours = '99', minutes = '99', seconds = '99'] =
    /^(\d\d):(\d\d):(\d\d)(?:[^\n][0-9]+)?(?:z|[+-]\d\d:\d\d)$/u.exec(time) ?? [];
  return isDate(date) && Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
};

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const uri: Check = (text) => {
  const failure = Url.requestFailure(text);
  return failure === undefined ? [] : [failure];
};

/** A required form of texts. */
export class NamedFormat implements OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat';

  constructor(
    readonly name: string,
    readonly validate: Check,
  ) {}

  equals(other: Value): boolean {
    if (!(other instanceof NamedFormat)) {
      throw noSuchOverload();
    }
    return this.name === other.name;
  }
}

const checks: Readonly<Record<string, Check>> = {
  dns1123Label: label,
  dns1123Subdomain: subdomain,
  dns1035Label: label1035,
  qualifiedName,
  dns1123LabelPrefix: asPrefix(label),
  dns1123SubdomainPrefix: asPrefix(subdomain),
  dns1035LabelPrefix: asPrefix(label1035),
  labelValue,
  uri,
  uuid: check((text) => uuid.test(text), 'does not match the UUID format'),
  byte: check((text) => base64.test(text), 'invalid base64'),
  date: check(isDate, 'invalid date'),
  datetime: check(isDateTime, 'invalid datetime'),
};

/** By the name in expressions (`apiserver/pkg/cel/library/format.go`). */
export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map(
  Object.entries(checks).map(([name, validate]) => [name, new NamedFormat(name, validate)]),
);
