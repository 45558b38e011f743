import type { Threat, ThreatGroup } from './threats.ts';

/** Marks of the tables: threats by providers, and by others. */
const marks = {
  providers: {
    begin: '<!-- Generated from tools/security/threats.ts by `npm run security`. -->',
    end: '<!-- End of what is generated. -->',
  },
  others: {
    begin: '<!-- Generated from tools/security/other-threats.ts by `npm run security`. -->',
    end: '<!-- End of what others could do. -->',
  },
} as const;

/**
 * `text` with the tables inserted.
 * @throws Error if the place is not marked.
 */
export function withThreats(
  text: string,
  groups: readonly ThreatGroup[],
  table: keyof typeof marks = 'providers',
): string {
  const { begin, end } = marks[table];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end);
  if (before === undefined || after === undefined || after.length < 2)
    throw new Error(`docs/reference/threats.md has no place for the table: ${begin} … ${end}`);
  return `${before}${begin}\n\n${groups.map(section).join('\n\n')}\n\n${end}${after.slice(1).join(end)}`;
}

function section({ title, who = 'a provider that …', threats }: ThreatGroup): string {
  return [
    `### ${title}`,
    '',
    `| ${who} | | effect | reported as | test |`,
    '| --- | --- | --- | --- | --- |',
    ...threats.map(row),
  ].join('\n');
}

function row({ threat, outcome, answer, reasons, tests }: Threat): string {
  const reported = reasons.map((reason) => `\`${reason}\``).join(', ');
  const shown = tests.map(({ file, title }) => `[${title.replaceAll('|', '\\|')}](../../${file})`).join('; ');
  return `| ${threat} | ${outcome} | ${answer} | ${reported} | ${shown} |`;
}
