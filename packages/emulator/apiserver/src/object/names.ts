import { byteLength } from './json.js';
import { remembered } from './remembered.js';

/**
 * Problems of a name, one message each; empty if valid. `prefix`: more text will follow (`generateName`). Messages are
 * those of apimachinery `util/validation` and `api/validate/content`.
 */
export type NameRule = (name: string, prefix?: boolean) => readonly string[];

export function regexError(message: string, regex: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${regex}')`;
}

/** The rule counts bytes everywhere, but says so only for label keys. */
type Unit = 'bytes' | 'characters';
const tooLong = (limit: number, unit: Unit = 'bytes'): string => `must be no more than ${limit} ${unit}`;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_REGEX = new RegExp(`^${LABEL}$`, 'u');
const LABEL_ERROR =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_REGEX = new RegExp(`^${SUBDOMAIN}$`, 'u');
const SUBDOMAIN_ERROR =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export function dns1123Label(value: string): readonly string[] {
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push(tooLong(63, 'characters'));
  if (LABEL_REGEX.test(value)) return errors;
  return [
    ...errors,
    // For a subdomain, describes its own problem instead of the other rule.
    SUBDOMAIN_REGEX.test(value) ? 'must not contain dots' : regexError(LABEL_ERROR, LABEL, 'my-name', '123-abc'),
  ];
}

export function dns1123Subdomain(value: string, unit: Unit = 'characters'): readonly string[] {
  const errors: string[] = [];
  if (byteLength(value) > 253) errors.push(tooLong(253, unit));
  if (!SUBDOMAIN_REGEX.test(value)) errors.push(regexError(SUBDOMAIN_ERROR, SUBDOMAIN, 'example.com'));
  return errors;
}

const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const KEY_REGEX = new RegExp(`^${KEY}$`, 'u');
const KEY_ERROR =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** A cluster's objects share a few dozen keys. */
const MOST_KEYS = 2_000;

/** `example.com/MyName`: keys of labels and annotations, finalizers, condition types. */
export const qualifiedName = remembered(MOST_KEYS, (value): readonly string[] => {
  const parts = value.split('/');
  const rule = regexError(KEY_ERROR, KEY, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2)
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const errors: string[] = [];
  const name = parts.at(-1) ?? '';
  const [prefix] = parts;
  if (parts.length === 2 && prefix !== undefined) {
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...dns1123Subdomain(prefix, 'bytes').map((message) => `prefix part ${message}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (byteLength(name) > 63) errors.push(`name part ${tooLong(63)}`);
  if (!KEY_REGEX.test(name)) errors.push(`name part ${rule}`);
  return errors;
});

const LABEL_VALUE = `(${KEY})?`;
const LABEL_VALUE_REGEX = new RegExp(`^${LABEL_VALUE}$`, 'u');
const LABEL_VALUE_ERROR =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function labelValue(value: string): readonly string[] {
  const errors: string[] = [];
  if (byteLength(value) > 63) errors.push(tooLong(63));
  if (!LABEL_VALUE_REGEX.test(value))
    errors.push(regexError(LABEL_VALUE_ERROR, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  return errors;
}

const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const CONFIG_KEY_REGEX = new RegExp(`^${CONFIG_KEY}$`, 'u');

/** A key of a ConfigMap's or Secret's data. */
export function configMapKey(value: string): readonly string[] {
  const errors: string[] = [];
  if (byteLength(value) > 253) errors.push(tooLong(253, 'characters'));
  if (!CONFIG_KEY_REGEX.test(value)) {
    errors.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  if (value === '.') errors.push("must not be '.'");
  else if (value === '..') errors.push("must not be '..'");
  else if (value.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

/** Names allowed in a URL path: names of RBAC objects, and the minimum for every name. */
export const pathSegment: NameRule = (name, prefix = false) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

export const nameIsSubdomain: NameRule = (name, prefix = false) =>
  dns1123Subdomain(prefix ? maskTrailingDash(name) : name);

export const nameIsLabel: NameRule = (name, prefix = false) => dns1123Label(prefix ? maskTrailingDash(name) : name);

/** Go cuts one character more than it puts back; only the length check differs. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}
