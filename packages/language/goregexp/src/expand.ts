import type { Match } from './match.js';

/** A piece of a replacement: literal text, or a group by number; an unknown number stands for an empty text. */
export type ReplacementPart = string | number;

const REFERENCE = /^\$(?:\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/u;
const NUMBER = /^[0-9]+$/u;
const NO_GROUP = -1;

/**
 * Parses a replacement like Go's `Regexp.Expand`: `$1`, `${1}`, `$name`, `${name}`, and `$$` for a dollar sign. A name
 * is as long as possible, so `$1x` is the group `1x`. A dollar sign before anything else is literal. Never fails.
 */
export function parseReplacement(
  replacement: string,
  namedGroups: ReadonlyMap<string, number>,
): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let rest = replacement;
  for (let dollar = rest.indexOf('$'); dollar >= 0; dollar = rest.indexOf('$')) {
    if (dollar > 0) parts.push(rest.slice(0, dollar));
    rest = rest.slice(dollar);
    const reference = REFERENCE.exec(rest);
    if (reference === null) {
      parts.push('$');
      rest = rest.slice(rest.startsWith('$$') ? 2 : 1);
    } else {
      parts.push(groupOf(reference[1] ?? reference[2] ?? '', namedGroups));
      rest = rest.slice(reference[0].length);
    }
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function groupOf(name: string, namedGroups: ReadonlyMap<string, number>): number {
  // Go treats a number with a leading zero as a name, and numbers from 1e8 on as too large.
  if (NUMBER.test(name) && (name.length === 1 || !name.startsWith('0')))
    return Number(name) < 1e8 ? Number(name) : NO_GROUP;
  return namedGroups.get(name) ?? NO_GROUP;
}

/** The replacement for one match. */
export function expand(parts: readonly ReplacementPart[], match: Match): string {
  return parts.map((part) => (typeof part === 'string' ? part : (match.group(part) ?? ''))).join('');
}
