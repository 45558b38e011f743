import type { Attempt, AttemptGroup } from '../../e2e/src/attempts.ts';

const BEGIN = '<!-- Generated from e2e/src/attempts.ts by `npm run security`. -->';
const END = '<!-- End of the attempts. -->';

/**
 * `text` with the table of attempts inserted.
 * @throws Error if the place is not marked.
 */
export function withAttempts(text: string, groups: readonly AttemptGroup[]): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/reference/threats.md has no place for the attempts: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${groups.map(section).join('\n\n')}\n\n${END}${after}`;
}

function section({ title, attempts }: AttemptGroup): string {
  return [
    `### ${title}`,
    '',
    '| a consumer that … | with | request | stopped by | effect |',
    '| --- | --- | --- | --- | --- |',
    ...attempts.map(row),
  ].join('\n');
}

function row(attempt: Attempt): string {
  const { tries, method, path, stop, times } = attempt;
  const tried = `\`${method} ${path.split('?')[0] ?? ''}\`${times === undefined ? '' : `, ${times} times`}${where(attempt)}`;
  return `| ${tries} | ${credential(attempt)} | ${tried.replace(/n{20,}/u, 'n…n')} | ${stop} | ${result(attempt)} |`;
}

/** The heading states the isolation. Attempts with other credentials run in one setting only. */
function where({ settings = [], with: used }: Attempt): string {
  const [only, another] = settings;
  if (only === undefined || another !== undefined || used !== undefined) return '';
  return only.endsWith(', shared') ? ' (shared)' : ' (not shared)';
}

function credential({ with: used }: Attempt): string {
  if (used === undefined) return 'its kubeconfig';
  switch (used) {
    case 'revoked':
      return 'a revoked token';
    case 'rotated':
      return 'a replaced token';
    case 'unbound':
      return 'its kubeconfig, after its export was deleted';
    case 'greedy':
      return 'its kubeconfig';
  }
}

function result(attempt: Attempt): string {
  const behind = attempt.gateway === undefined ? '' : BEHIND_GATEWAY[attempt.gateway];
  return `${outcomeOf(attempt)}${behind}`;
}

const BEHIND_GATEWAY = {
  own: '; behind a gateway it gets only its own objects',
  refused: '; behind a gateway it is refused',
  served: '; behind a gateway this is served',
};

function outcomeOf({ outcome }: Attempt): string {
  switch (outcome.kind) {
    case 'refused':
      return outcome.codes.join(', ');
    case 'ineffective':
      return 'no effect';
    case 'possible':
      return `it works; \`${outcome.reason}\` says so`;
    case 'told':
      return `the provider does nothing; \`${outcome.reason}\` says why`;
  }
}
