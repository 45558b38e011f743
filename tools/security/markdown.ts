import type { Threat, ThreatGroup } from './threats.ts';

const BEGIN = '<!-- Generated from tools/security/threats.ts by `npm run security`. -->';
const END = '<!-- End of what is generated. -->';

/** `text` with the table in its place. @throws Error if the place is not marked. */
export function withThreats(text: string, groups: readonly ThreatGroup[]): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/security.md has no place for the table: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${groups.map(section).join('\n\n')}\n\n${END}${after}`;
}

function section({ title, threats }: ThreatGroup): string {
  return [`### ${title}`, '', '| a provider that … | | what comes of it | told as | shown by |', '| --- | --- | --- | --- | --- |', ...threats.map(row)].join('\n');
}

function row({ threat, outcome, answer, reasons, tests }: Threat): string {
  const told = reasons.map((reason) => `\`${reason}\``).join(', ');
  const shown = tests.map(({ file, title }) => `[${title.replaceAll('|', '\\|')}](../${file})`).join('; ');
  return `| ${threat} | ${outcome} | ${answer} | ${told} | ${shown} |`;
}
