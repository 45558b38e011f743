// Renders a program's commands as a page, from the data behind help and completion.
import type { CommandDescription } from '../../packages/runtime/config/src/command-description.ts';
import { spellings } from '../../apps/supervisor/src/completion/completable.ts';
import { type Flag, isIdle } from '../../packages/runtime/config/src/flags.ts';
import { type CommandGroup, nameOf } from '../../apps/supervisor/src/usage.ts';

/** A table of all commands by task, then a section for each command that has flags, and for each of its variants. */
export function commandsMarkdown(
  program: string,
  groups: readonly CommandGroup[],
  descriptions: readonly CommandDescription[],
): string {
  const sections = groups
    .flatMap(({ commands }) => commands)
    .flatMap((command) => {
      const description = descriptions.find(({ name }) => name === nameOf(command));
      return description === undefined
        ? []
        : [section(program, description), ...(description.variants ?? []).map((variant) => section(program, variant))];
    });
  return [...groups.map((group) => overview(program, group)), ...sections].join('\n\n');
}

function overview(program: string, { title, commands }: CommandGroup): string {
  return [
    `| ${title.toLowerCase()} | |`,
    '| --- | --- |',
    ...commands.map(({ call, purpose }) => `| \`${program} ${call}\` | ${cell(purpose)} |`),
  ].join('\n');
}

function section(program: string, { name, about, usage, examples, flags }: CommandDescription): string {
  const idle = flags.filter(isIdle);
  const rows = flags
    .filter((flag) => !idle.includes(flag))
    .map(
      (flag) =>
        `| \`${spelling(flag)}\` | ${flag.default === undefined ? '' : `\`${flag.default}\``} | ${cell(flag.help)} |`,
    );
  return [
    `### ${program} ${name}${roleIn(usage)}`,
    prose(about),
    `\`\`\`\n${usage.join('\n')}\n\`\`\``,
    `\`\`\`sh\n${examples.map(({ purpose, line }) => `# ${purpose}\n${line}`).join('\n')}\n\`\`\``,
    ...(rows.length === 0 ? [] : [['| flag | default | |', '| --- | --- | --- |', ...rows].join('\n')]),
    ...(idle.length === 0
      ? []
      : [`Accepted for compatibility, without effect: ${idle.map((flag) => `\`${spelling(flag)}\``).join(', ')}.`]),
  ].join('\n\n');
}

/** ` --roles syncagent`, if the whole command is about that role. */
function roleIn(usage: readonly string[]): string {
  return usage
    .map((line) => / --roles [a-z]+/u.exec(line)?.[0] ?? '')
    .reduce((one, other) => (one === other ? one : ''));
}

function spelling(flag: Flag): string {
  return spellings(flag).toReversed().join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}

/** Keeps lists as they are. */
function prose(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => (/^ {2}\S/mu.test(paragraph) ? `\`\`\`\n${paragraph}\n\`\`\`` : cell(paragraph)))
    .join('\n\n');
}
