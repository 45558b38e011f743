import { describe, expect, it } from '@jest/globals';
import { codeBlocks, missingParts } from './readme.ts';

const readme = [
  '# @hawser/x',
  '',
  'Does one thing.',
  '',
  '```sh',
  'npm install @hawser/x',
  '```',
  '',
  '```ts',
  "import { x } from '@hawser/x';",
  'x();',
  '```',
  '',
  '## Guarantees',
  '',
  '## Limits',
  '',
].join('\n');

describe('the code blocks of a README', () => {
  it('stand on the lines that they have in the text', () => {
    const [block] = codeBlocks(readme, 'ts');
    expect(block?.split('\n').indexOf('x();')).toBe(readme.split('\n').indexOf('x();'));
  });

  it('are those of the language asked for', () => {
    expect(codeBlocks(readme, 'sh').map((block) => block.trim())).toEqual(['npm install @hawser/x']);
  });

  it('must be closed', () => {
    expect(() => codeBlocks('```ts\nx();\n', 'ts')).toThrow('not closed');
  });
});

describe('the parts of a README', () => {
  it('are all there', () => {
    expect(missingParts(readme)).toEqual([]);
  });

  it.each([
    ['Does one thing.', /sentence/u],
    ['npm install', /install/u],
    ['```ts', /example/u],
    ['## Guarantees', /Guarantees/u],
    ['## Limits', /Limits/u],
  ])('include %s', (part, named) => {
    expect(missingParts(readme.replace(part, ''))).toEqual([expect.stringMatching(named)]);
  });
});
