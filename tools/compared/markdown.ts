import type { Entry } from './entries.ts';

/** docs/compared.md, whole. */
export function comparedText(entries: readonly Entry[]): string {
  return `${HEAD}\n${entries.map(row).join('\n')}\n`;
}

const HEAD = `# Compared with the Go konnector

Generated from tools/compared/entries.ts by \`npm run compared\`.

What the Go konnector 0.8.1 does that loses data, leaks, hangs, runs hot or reaches too far, and what ours does in its place. The names are those that the tests have.

Each test passes, and fails with its switch: that puts into our sources what the Go konnector does (\`globalThis.hawserPlanted\`, which no build contains), so the test is known to see it.
Where the last column names a simulation, \`npm run simulate -- --planted NAME\` finds it; where it names no switch, the test stands alone.

| | the Go konnector | | ours | shown by | switch |
| --- | --- | --- | --- | --- | --- |`;

function row({ entry, kind, go, ours, shownBy }: Entry): string {
  return `| ${[entry, go, kind, ours, ...shown(shownBy)].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function shown(by: Entry['shownBy']): readonly [string, string] {
  switch (by.kind) {
    case 'roughEdge':
      return [by.titles.map((title) => `[${title}](../${by.file})`).join('; '), `\`${by.planted}\``];
    case 'simulated':
      return ['[simulation](testing.md#planted-mistakes)', `\`${by.planted}\``];
    case 'test':
      return [`[${by.title}](../${by.file})`, ''];
  }
}
