import { type Library, method } from '../check/declarations.js';
import { listOf, types } from '../check/type.js';
import { list } from '../values/collections.js';
import { takeSearch } from '../values/steps.js';
import { integer, text } from './arguments.js';
import { compilePattern } from './pattern.js';

const findAll = (subject: string, pattern: string, limit: bigint): string[] => {
  const compiled = compilePattern(pattern, 'find');
  return takeSearch(subject.length, compiled.programSize(), () => {
    const matcher = compiled.matcher(subject);
    const found: string[] = [];
    while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) {
      found.push(matcher.group() ?? '');
    }
    return found;
  });
};

const { int, string } = types;

/** `find` and `findAll` (`kubernetes.regex`). */
export const regex: Library = [
  method('find', [string, string], string, (subject, pattern) => findAll(text(subject), text(pattern), 1n)[0] ?? ''),
  method('findAll', [string, string], listOf(string), (subject, pattern) =>
    list(findAll(text(subject), text(pattern), -1n)),
  ),
  method('findAll', [string, string, int], listOf(string), (subject, pattern, limit) =>
    list(findAll(text(subject), text(pattern), integer(limit))),
  ),
];
