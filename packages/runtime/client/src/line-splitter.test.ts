import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.js';

describe('LineSplitter', () => {
  const lines = fc.array(
    fc.string({ unit: 'binary', minLength: 1 }).map((line) => line.replaceAll('\n', ' ')),
    { maxLength: 8 },
  );

  it('gives the lines back, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        lines,
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (written, last, sizes) => {
          const rest = last.replaceAll('\n', '');
          const bytes = Buffer.from(`${written.map((line) => `${line}\n`).join('')}${rest}`);
          const splitter = new LineSplitter();
          const read: string[] = [];
          let start = 0;
          for (let index = 0; start < bytes.length; index++) {
            const end = start + sizes[index % sizes.length]!;
            splitter.push(bytes.subarray(start, end), (line) => read.push(line));
            start = end;
          }
          expect(read).toEqual(written);
          expect(splitter.rest()).toBe(rest);
        },
      ),
    );
  });

  it('leaves out empty lines', () => {
    const read: string[] = [];
    new LineSplitter().push(Buffer.from('\n\na\n\nb\n'), (line) => read.push(line));
    expect(read).toEqual(['a', 'b']);
  });

  it('refuses a line without end', () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let count = 0; count < 40; count++) splitter.push(chunk, () => undefined);
    }).toThrow('longer than');
  });
});
