import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { CelError } from '../values/error.js';
import { takeSearch } from '../values/steps.js';

/** Loaded with the first pattern: takes 30 ms, and most programs never need it. */
const engine = (): typeof RE2JS => {
  const loaded = createRequire(import.meta.url)('re2js') as { readonly RE2JS: typeof RE2JS };
  return loaded.RE2JS;
};

const cache = new Map<string, RE2JS>();
const cacheLimit = 1000;

/**
 * A pattern with RE2's syntax and linear time.
 *
 * @param use - `matches` reports a faulty pattern like the core language, `find` like the regex library
 * @throws {CelError} for an invalid pattern
 */
export const compilePattern = (pattern: string, use: 'matches' | 'find'): RE2JS => {
  const known = cache.get(pattern);
  if (known !== undefined) {
    return known;
  }
  try {
    const compiled = engine().compile(pattern);
    if (cache.size >= cacheLimit) {
      cache.clear();
    }
    cache.set(pattern, compiled);
    return compiled;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CelError(use === 'find' ? `Illegal regex: ${reason}` : reason);
  }
};

/**
 * Whether a pattern matches anywhere in a text.
 * @throws {CelError} for an invalid pattern, or one that takes too long
 */
export const matches = (subject: string, pattern: string): boolean => {
  const compiled = compilePattern(pattern, 'matches');
  return takeSearch(subject.length, compiled.programSize(), () => compiled.test(subject));
};
