import { describe, expect, it } from '@jest/globals';
import { anchors, brokenLinks, brokenNames, linksOf, type Repository } from './links.ts';

function repository(files: Readonly<Record<string, string>>): Repository {
  return {
    text: (file) => files[file],
    exists: (path) => path === '.' || Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
  };
}

describe('the anchors of a Markdown text', () => {
  it('are its headings, as GitHub writes them', () => {
    expect([...anchors('# One two\n\n## `x.y`: what is *it*?\n## In place of a Go konnector, and back')]).toEqual([
      'one-two',
      'xy-what-is-it',
      'in-place-of-a-go-konnector-and-back',
    ]);
  });

  it('have a number where a heading is there twice', () => {
    expect([...anchors('## Ready\n## Ready\n## Ready')]).toEqual(['ready', 'ready-1', 'ready-2']);
  });

  it('are none in code', () => {
    expect([...anchors('```sh\n# a comment\n```')]).toEqual([]);
  });
});

describe('links', () => {
  it('are found with their lines, but not in code', () => {
    expect(linksOf('[a](b.md)\n`[c](d.md)` and [e](f.md#g "title")\n```\n[h](i.md)\n```')).toEqual([
      { target: 'b.md', line: 1 },
      { target: 'f.md#g', line: 2 },
    ]);
  });

  it.each([
    ['another kind of fence', '```\n~~~\n```\n[x](here.md)'],
    ['a shorter fence', '````md\n```\n[no](code.md)\n```\n````\n[x](here.md)'],
  ])('are found after code with %s in it', (_title, text) => {
    expect(linksOf(text).map(({ target }) => target)).toEqual(['here.md']);
  });

  it('that are no addresses are told with their place', () => {
    expect(brokenLinks('a.md', repository({ 'a.md': '\n[x](100%.md)' }))).toEqual([
      'a.md:2: 100%.md: is not a valid address',
    ]);
  });

  it.each([
    ['a file', '[x](there.md)'],
    ['a heading', '[x](there.md#a-heading)'],
    ['a heading of the same file', '# Here\n[x](#here)'],
    ['a folder', '[x](../packages/one)'],
    ['another server', '[x](https://example.com/nowhere.md#nothing)'],
  ])('may lead to %s', (_, text) => {
    expect(
      brokenLinks(
        'docs/page.md',
        repository({ 'docs/page.md': text, 'docs/there.md': '## A heading', 'packages/one/README.md': '' }),
      ),
    ).toEqual([]);
  });

  it.each([
    ['a missing file', '[x](gone.md)', 'docs/page.md:1: gone.md: there is no such file'],
    ['a missing heading', '\n[x](there.md#gone)', 'docs/page.md:2: there.md#gone: docs/there.md has no such heading'],
    ['a missing heading of the same file', '[x](#gone)', 'docs/page.md:1: #gone: docs/page.md has no such heading'],
    [
      'a place outside of the repository',
      '[x](../../there.md)',
      'docs/page.md:1: ../../there.md: there is no such file',
    ],
  ])('are broken where they lead to %s', (_, text, problem) => {
    expect(brokenLinks('docs/page.md', repository({ 'docs/page.md': text, 'docs/there.md': '## A heading' }))).toEqual([
      problem,
    ]);
  });
});

describe('files of docs that a source names', () => {
  it('are there', () => {
    expect(
      brokenNames(
        'a.ts',
        repository({
          'a.ts': '// see docs/there.md#a-heading, https://example.com/docs/x.md',
          'docs/there.md': '## A heading',
        }),
      ),
    ).toEqual([]);
  });

  it.each([
    ['docs/gone.md', 'there is no such file'],
    ['docs/there.md#gone', 'docs/there.md has no such heading'],
  ])('are missed: %s', (name, problem) => {
    expect(brokenNames('a.ts', repository({ 'a.ts': `// see ${name}.`, 'docs/there.md': '## A heading' }))).toEqual([
      `a.ts:1: ${name}: ${problem}`,
    ]);
  });
});
