/**
 * Name rules, with apimachinery's messages. Each returns the problems, an empty list if there are none. Lengths are in
 * bytes of UTF-8.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${LABEL_KEY})?`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const LABEL_SHAPE = whole(LABEL);
const SUBDOMAIN_SHAPE = whole(SUBDOMAIN);
const LABEL_1035_SHAPE = whole(LABEL_1035);
const LABEL_KEY_SHAPE = whole(LABEL_KEY);
const LABEL_VALUE_SHAPE = whole(LABEL_VALUE);

export type NameRule = (name: string) => string[];

export function dns1123LabelErrors(name: string): string[] {
  const errors = lengthErrors(name, 63);
  if (LABEL_SHAPE.test(name)) return errors;
  if (SUBDOMAIN_SHAPE.test(name)) return [...errors, 'must not contain dots'];
  return [
    ...errors,
    regexError(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      LABEL,
      'my-name',
      '123-abc',
    ),
  ];
}

export function dns1123SubdomainErrors(name: string): string[] {
  const errors = lengthErrors(name, 253);
  if (SUBDOMAIN_SHAPE.test(name)) return errors;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(rule, SUBDOMAIN, 'example.com')];
}

export function dns1035LabelErrors(name: string): string[] {
  const errors = Buffer.byteLength(name) > 63 ? ['must be no more than 63 characters'] : [];
  if (LABEL_1035_SHAPE.test(name)) return errors;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, regexError(rule, LABEL_1035, 'my-name', 'abc-123')];
}

/** Keys of labels and annotations, names of finalizers: `name` or `prefix.example.com/name`. */
export function labelKeyErrors(key: string): string[] {
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const described = regexError(rule, LABEL_KEY, 'MyName', 'my.name', '123-abc');
  const parts = key.split('/');
  if (parts.length > 2)
    return [`a valid label key ${described} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  const errors: string[] = [];
  if (parts.length === 2) {
    const [prefix = ''] = parts;
    errors.push(
      ...(prefix === '' ? ['must be non-empty'] : dns1123SubdomainErrors(prefix)).map(
        (error) => `prefix part ${error}`,
      ),
    );
  }
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...lengthErrors(name, 63).map((error) => `name part ${error}`));
  if (!LABEL_KEY_SHAPE.test(name)) errors.push(`name part ${described}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  const errors = lengthErrors(value, 63);
  if (LABEL_VALUE_SHAPE.test(value)) return errors;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}

/** A segment of a URL's path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return pathSegmentPrefixErrors(name);
}

/** The beginning of a segment of a URL's path. */
export const pathSegmentPrefixErrors = (name: string): string[] =>
  ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);

const lengthErrors = (name: string, max: number): string[] =>
  Buffer.byteLength(name) > max ? [`must be no more than ${max} bytes`] : [];

function regexError(rule: string, pattern: string, ...examples: readonly string[]): string {
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}
