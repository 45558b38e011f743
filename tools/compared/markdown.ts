import type { Entry } from './entry.ts';

/** Comparison with one program. */
export interface Comparison {
  /** Heading, and column heading. */
  readonly program: string;
  readonly about: string;
  readonly entries: readonly Entry[];
}

/** The whole text of docs/reference/compared.md. */
export function comparedText(comparisons: readonly Comparison[]): string {
  return `${HEAD}\n${comparisons.map(section).join('\n')}`;
}

function section({ program, about, entries }: Comparison): string {
  const title = program.charAt(0).toUpperCase() + program.slice(1);
  return `\n## ${title}\n\n${about}\n\n| | ${program} | | Hawser | test | mutant |\n| --- | --- | --- | --- | --- | --- |\n${entries.map(row).join('\n')}\n`;
}

const HEAD = `# Compared with the Go programs

Generated from tools/compared by \`npm run compared\`.

Behaviour of the Go programs that loses data, leaks, hangs, runs hot or reaches too far, and what Hawser does instead. The names are those of the tests.

Each test passes, and fails with its mutant (\`packages/testing/mutants\`). The mutant makes Hawser do what the Go program does, so it proves that the test detects this.
If a row names the simulation, \`npm run simulate -- --mutant NAME\` finds the mutant. If a row names no mutant, there is only the test.`;

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
