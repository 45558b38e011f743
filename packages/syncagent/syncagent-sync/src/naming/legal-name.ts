import { NamingError, type NamingField } from './naming-error.js';

/** A missing field prints this. */
const NO_VALUE = '<no value>';

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/u;
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/u;

interface NameKind {
  readonly legal: RegExp;
  readonly longest: number;
  /** One allowed character. */
  readonly character: RegExp;
  readonly allowed: string;
}

const kinds: Readonly<Record<NamingField, NameKind>> = {
  'spec.naming.name': {
    legal: SUBDOMAIN,
    longest: 253,
    character: /^[a-z0-9.-]$/u,
    allowed: 'lower case letters, digits, dashes and dots',
  },
  'spec.naming.namespace': {
    legal: LABEL,
    longest: 63,
    character: /^[a-z0-9-]$/u,
    allowed: 'lower case letters, digits and dashes',
  },
};

/**
 * Returns a name that an API server accepts: a DNS subdomain of at most 253 characters, a label of at most 63 for a
 * namespace.
 *
 * @throws {NamingError} for anything else
 */
export function legalName(field: NamingField, name: string): string {
  const { legal, longest, allowed } = kinds[field];
  if (name.includes(NO_VALUE)) {
    throw new NamingError(
      field,
      'missing',
      'the template prints a field that the object does not have',
      'Give the field a fallback in the PublishedResource, as with | default "none"; or set it on the object.',
    );
  }
  if (name === '')
    throw new NamingError(
      field,
      'empty',
      'the result is empty',
      'Have the PublishedResource add something that is never empty, such as a hash of the name.',
    );
  if (name.length > longest) {
    throw new NamingError(
      field,
      'too-long',
      `the result has ${name.length} characters, and ${longest} are allowed`,
      'Shorten its parts in the PublishedResource by sha3short, which keeps them distinct, rather than by trunc.',
    );
  }
  if (!legal.test(name)) {
    const found = illegalCharacter(field, name);
    const reason =
      found === undefined
        ? 'the result starts or ends with a dash or a dot, or has such beside a dot'
        : `the result contains ${describe(found)}`;
    throw new NamingError(
      field,
      'illegal',
      reason,
      `Have the PublishedResource use ${allowed} only, with a letter or digit at both ends: lower and sha3short help.`,
    );
  }
  return name;
}

/** The first character that no such name may have. */
export function illegalCharacter(field: NamingField, text: string): string | undefined {
  return Array.from(text).find((char) => !kinds[field].character.test(char));
}

/** Describes a character; of letters and digits only the kind, since the result may contain any part of the object. */
export function describe(char: string): string {
  if (/^\p{Lu}$/u.test(char)) return 'an upper case letter';
  if (/^[\p{L}\p{N}]$/u.test(char)) return 'a letter or digit that is not of ASCII';
  if (/^\s$/u.test(char)) return 'white space';
  return JSON.stringify(char);
}
