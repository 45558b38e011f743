import type { Entry } from './entry.ts';

/** What is compared with one program. */
export interface Comparison {
  /** As a heading, and as that of its column. */
  readonly program: string;
  readonly about: string;
  readonly entries: readonly Entry[];
}

/** docs/reference/compared.md, whole. */
export function comparedText(comparisons: readonly Comparison[]): string {
  return `${HEAD}\n${comparisons.map(section).join('\n')}`;
}

function section({ program, about, entries }: Comparison): string {
  const title = program.charAt(0).toUpperCase() + program.slice(1);
  return `\n## ${title}\n\n${about}\n\n| | ${program} | | ours | shown by | mutant |\n| --- | --- | --- | --- | --- | --- |\n${entries.map(row).join('\n')}\n`;
}

const HEAD = `# Compared with the Go programs

Generated from tools/compared by \`npm run compared\`.

What the Go programs do that loses data, leaks, hangs, runs hot or reaches too far, and what ours does in its place. The names are those that the tests have.

Each test passes, and fails with its mutant (\`packages/testing/mutants\`), which makes ours do what the Go program does: so the test is known to see it.
Where the last column names a simulation, \`npm run simulate -- --mutant NAME\` finds it; where it names no mutant, the test stands alone.`;

function row({ entry, kind, go, ours, shownBy }: Entry): string {
  return `| ${[entry, go, kind, ours, ...shown(shownBy)].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function shown(by: Entry['shownBy']): readonly [string, string] {
  switch (by.kind) {
    case 'roughEdge':
      return [by.titles.map((title) => `[${title}](../../${by.file})`).join('; '), `\`${by.mutant}\``];
    case 'simulated':
      return ['[simulation](../why/testing.md#mutants)', `\`${by.mutant}\``];
    case 'test':
      return [`[${by.title}](../../${by.file})`, ''];
  }
}
