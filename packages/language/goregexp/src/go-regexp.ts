import { RE2JS, RE2JSException } from 're2js';
import { expand, parseReplacement } from './expand.js';
import { InvalidPattern } from './invalid-pattern.js';
import type { Match } from './match.js';

/**
 * A regular expression with the results of Go's `regexp.Regexp`: the leftmost match, and of those the first that a
 * backtracking search would find; in time linear in the text.
 *
 * Texts are sequences of code points, as in Go: `.` matches a whole emoji. A lone surrogate counts as U+FFFD.
 */
export interface GoRegExp {
  readonly pattern: string;
  /** Number of groups, without the whole match. */
  readonly groupCount: number;
  /** Whether the pattern matches anywhere in the text (`MatchString`). */
  readonly matches: (text: string) => boolean;
  /** The first match; undefined if there is none, unlike Go's `FindString`, which returns an empty text. */
  readonly find: (text: string) => string | undefined;
  /** The first match and its groups; a group that did not participate is undefined (`FindStringSubmatch`). */
  readonly findSubmatch: (text: string) => readonly (string | undefined)[] | undefined;
  /** All matches, or the first `limit` if it is not negative (`FindAllString`). */
  readonly findAll: (text: string, limit?: number) => readonly string[];
  /**
   * Replaces every match, with `$1`, `${1}`, `$name`, `${name}` and `$$` expanded (`ReplaceAllString`). Never fails: an
   * unknown group is empty.
   */
  readonly replaceAll: (text: string, replacement: string) => string;
  /** Replaces every match by the literal replacement (`ReplaceAllLiteralString`). */
  readonly replaceAllLiteral: (text: string, replacement: string) => string;
  /**
   * The text between matches: at most `limit` pieces, the last being the rest; none for 0; all for a negative limit
   * (`Split`).
   */
  readonly split: (text: string, limit?: number) => readonly string[];
}

/**
 * Compiles a pattern in the syntax of Go's `regexp` package, which is RE2's.
 *
 * @throws {InvalidPattern} if Go would refuse it
 */
export function compile(pattern: string): GoRegExp {
  const engine = compileEngine(pattern);
  const namedGroups = new Map(Object.entries(engine.namedGroups()));

  function* matchesIn(text: string): Generator<Match, undefined, undefined> {
    const matcher = engine.matcher(text);
    let lastEnd = -1;
    for (let position = 0; position <= text.length && matcher.find(position);) {
      const whole = { start: matcher.start(), end: matcher.end() };
      const empty = whole.end === whole.start;
      position = empty ? whole.end + Math.max(1, characterLength(text, whole.end)) : whole.end;
      // As in Go, no empty match directly after a match.
      if (empty && whole.start === lastEnd) continue;
      lastEnd = whole.end;
      yield {
        whole,
        group: (index) =>
          index >= 0 && index <= matcher.groupCount() ? (matcher.group(index) ?? undefined) : undefined,
      };
    }
  }

  const replaceEach = (original: string, replacementOf: (match: Match) => string): string => {
    const text = original.toWellFormed();
    let result = '';
    let from = 0;
    for (const match of matchesIn(text)) {
      result += text.slice(from, match.whole.start) + replacementOf(match);
      from = match.whole.end;
    }
    return result + text.slice(from);
  };

  return {
    pattern,
    groupCount: engine.groupCount(),
    matches: (text) => engine.matcher(text.toWellFormed()).find(),
    find: (text) => matchesIn(text.toWellFormed()).next().value?.group(0),
    findSubmatch: (text) => {
      const match = matchesIn(text.toWellFormed()).next().value;
      return match === undefined
        ? undefined
        : Array.from({ length: engine.groupCount() + 1 }, (_, index) => match.group(index));
    },
    findAll: (text, limit = -1) => {
      const found: string[] = [];
      if (limit === 0) return found;
      const wellFormed = text.toWellFormed();
      for (const { whole } of matchesIn(wellFormed)) {
        found.push(wellFormed.slice(whole.start, whole.end));
        if (found.length === limit) break;
      }
      return found;
    },
    replaceAll: (text, replacement) => {
      const parts = parseReplacement(replacement, namedGroups);
      return replaceEach(text, (match) => expand(parts, match));
    },
    replaceAllLiteral: (text, replacement) => replaceEach(text, () => replacement),
    split: (text, limit = -1) => split(text.toWellFormed(), limit, pattern, matchesIn),
  };
}

function compileEngine(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern.toWellFormed());
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new InvalidPattern(
      pattern,
      error.message.replace(/^error parsing regexp: /u, '').replace(/(?<=end of expression)$/u, ': ``'),
      { cause: error },
    );
  }
}

const characterLength = (text: string, index: number): number => ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);

function split(
  text: string,
  limit: number,
  pattern: string,
  matchesIn: (text: string) => Iterable<Match>,
): readonly string[] {
  if (limit === 0) return [];
  if (pattern !== '' && text === '') return [''];
  const pieces: string[] = [];
  let from = 0;
  let end = 0;
  for (const { whole } of matchesIn(text)) {
    if (limit > 0 && pieces.length === limit - 1) break;
    end = whole.start;
    if (whole.end !== 0) pieces.push(text.slice(from, end));
    from = whole.end;
  }
  if (end !== text.length) pieces.push(text.slice(from));
  return pieces;
}

/** A pattern that matches just this text (`QuoteMeta`). */
export function quoteMeta(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/gu, '\\$&');
}
