import type { Attempt, AttemptGroup } from '../../e2e/src/attempts.ts';

const BEGIN = '<!-- Generated from e2e/src/attempts.ts by `npm run security`. -->';
const END = '<!-- End of the attempts. -->';

/** `text` with the table of attempts in its place. @throws Error if the place is not marked. */
export function withAttempts(text: string, groups: readonly AttemptGroup[]): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/security.md has no place for the attempts: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${groups.map(section).join('\n\n')}\n\n${END}${after}`;
}

function section({ title, attempts }: AttemptGroup): string {
  return [`### ${title}`, '', '| a consumer that … | with | request | stopped by | what comes of it |', '| --- | --- | --- | --- | --- |', ...attempts.map(row)].join('\n');
}

function row(attempt: Attempt): string {
  const { tries, method, path, stop, scope } = attempt;
  const tried = `\`${method} ${path.split('?')[0] ?? ''}\`${scope === undefined ? '' : ` (scope ${scope})`}`;
  return `| ${tries} | ${credential(attempt)} | ${tried.replace(/n{20,}/u, 'n…n')} | ${stop} | ${result(attempt)} |`;
}

function credential({ with: used }: Attempt): string {
  if (used === 'revoked') return 'a revoked token';
  return used === 'unbound' ? 'its kubeconfig, after its export went' : 'its kubeconfig';
}

function result({ outcome }: Attempt): string {
  switch (outcome.kind) {
    case 'refused':
      return outcome.codes.join(', ');
    case 'ineffective':
      return 'no effect';
    case 'told':
      return `nothing is done; \`${outcome.reason}\` says why`;
  }
}
