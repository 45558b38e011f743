import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { types } from '../check/type.js';
import { compileExpression } from '../environment.js';
import { Activation } from '../activation.js';
import { CelError } from '../values/error.js';
import { CelSyntaxError } from './issue.js';
import { parse } from './parser.js';

const pieces = fc.constantFrom(
  ...'self a b x in has ( ) [ ] { } . ? ! - + * / % < <= == != && || , : "text" \'q\' """t""" r"\\d" b"y" 1 2u 0x1F 1.5 .5 1e3 true false null all exists map filter size // @ # = & \\ ` \n'.split(
    ' ',
  ),
);

describe('any text at all', () => {
  it('is an expression, or has a syntax error at a place within it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(' ')),
        ),
        (source) => {
          try {
            parse(source);
          } catch (error) {
            expect(error).toBeInstanceOf(CelSyntaxError);
            const { issues } = error as CelSyntaxError;
            expect(issues.length).toBeGreaterThan(0);
            expect(issues.every(({ offset }) => offset >= 0 && offset <= source.length)).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('compiles, and runs to a value or an error of its own, or is refused', () => {
    const activation = new Activation('self', 5n, undefined);
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(' ')),
        (source) => {
          const program = compileExpression(source, { self: types.int });
          if ('rejectedIn' in program) {
            expect(program.reason).not.toBe('');
            return;
          }
          try {
            program.run(activation);
          } catch (error) {
            expect(error).toBeInstanceOf(CelError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('may nest as deeply as an API server lets it, and no deeper', () => {
    expect(() => parse(`${'('.repeat(200)}1${')'.repeat(200)}`)).not.toThrow();
    expect(() => parse(`${'('.repeat(100_000)}1${')'.repeat(100_000)}`)).toThrow(CelSyntaxError);
    expect(() => parse('!'.repeat(100_001) + 'true')).not.toThrow();
  });
});
