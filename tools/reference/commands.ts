// The commands of `hawser` as a page: from the help of each, so that no flag is missing.

/** Prints the help for a command line, such as `['why', '--help']`. */
export type Help = (args: readonly string[]) => string;

/** What a help text says. */
export interface CommandHelp {
  /** What the command is for, before its usage. */
  readonly about: string;
  /** Lines of usage, each with the words of a command. */
  readonly usage: readonly string[];
  readonly flags: readonly FlagHelp[];
}

export interface FlagHelp {
  /** As one writes it, `-v, --v`. */
  readonly name: string;
  readonly default: string | undefined;
  readonly help: string;
}

const FLAG = /^ +(?:(-\w), )?(--[\w-]+)(?: string)?$/u;
const DEFAULT = /^(.*) \(default (.*)\)$/su;

/** Reads a help text. @throws Error naming the line that is neither a flag nor the words for one. */
export function parseHelp(text: string): CommandHelp {
  const [before = '', after = ''] = text.split(/^Flags[^\n]*:\n/mu, 2);
  const [about = '', usage = ''] = before.split(/^Usage:\n/mu, 2);
  const flags: FlagHelp[] = [];
  for (const line of after.split('\n').filter((one) => one.trim() !== '')) {
    const [, short, long] = FLAG.exec(line) ?? [];
    const last = flags.at(-1);
    if (long !== undefined) flags.push({ name: short === undefined || short === '-v' ? short ?? long : `${short}, ${long}`, default: undefined, help: '' });
    else if (last !== undefined && /^ {6,}\S/u.test(line)) flags[flags.length - 1] = withHelp(last, line.trim());
    else throw new Error(`the help has a line that is no flag: ${line}`);
  }
  return { about: about.trim(), usage: usage.split('\n').map((line) => line.replace(/^ {2}/u, '').trimEnd()).filter((line) => line !== ''), flags };
}

function withHelp(flag: FlagHelp, words: string): FlagHelp {
  const help = flag.help === '' ? words : `${flag.help} ${words}`;
  const [, said, preset] = DEFAULT.exec(help) ?? [];
  return said === undefined ? { ...flag, help } : { ...flag, help: said, default: preset };
}

/** Every command that the help of `hawser` names, and every variant that the help of a command names by `--roles`, each as the words that call it. */
export function commandsOf(help: Help): readonly (readonly string[])[] {
  const { usage } = parseHelp(help(['--help']));
  const named = unique(usage.map(wordsOf).filter(([first]) => first !== undefined && first !== 'version'));
  return named.flatMap((words) => [words, ...unique(parseHelp(help([...words, '--help'])).usage.map(wordsOf).filter((variant) => variant.includes('--roles') && variant.join(' ').startsWith(`${words.join(' ')} --roles`)))]);
}

/** `hawser why --roles syncagent KIND NAME [flags]` → why, --roles, syncagent: up to what stands for something else. */
function wordsOf(line: string): readonly string[] {
  const [program, ...words] = line.split(/\s+/u);
  if (program !== 'hawser') return [];
  const literal: string[] = [];
  for (const [index, word] of words.entries()) {
    if (!(/^[a-z]+$/u.test(word) ? index < 2 || literal.at(-1) === '--roles' : word === '--roles')) break;
    literal.push(word);
  }
  return literal;
}

function unique(all: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(all.filter((words) => words.length > 0).map((words) => [words.join(' '), words])).values()];
}

/** One section for each command. */
export function commandsMarkdown(help: Help): string {
  const overview = parseHelp(help(['--help']));
  const sections = commandsOf(help).map((words) => {
    const own = parseHelp(help([...words, '--help']));
    // The help of `run` is that of everything.
    return section(words, own.about === overview.about ? { ...own, about: '', usage: overview.usage.filter((line) => wordsOf(line).join(' ') === words.join(' ')) } : own);
  });
  return [`\`\`\`\n${overview.usage.join('\n')}\n\`\`\``, ...sections].join('\n\n');
}

function section(words: readonly string[], { about, usage, flags }: CommandHelp): string {
  const idle = flags.filter(({ help }) => help.startsWith('accepted for compatibility'));
  const rows = flags.filter((flag) => !idle.includes(flag)).map(({ name, default: preset, help }) => `| \`${name}\` | ${preset === undefined ? '' : `\`${preset}\``} | ${cell(help)} |`);
  const names = idle.map(({ name }) => `\`${name}\``).join(', ');
  return [
    `### hawser ${words.join(' ')}`,
    ...(about === '' ? [] : [prose(about)]),
    `\`\`\`\n${usage.join('\n')}\n\`\`\``,
    ['| flag | default | |', '| --- | --- | --- |', ...rows].join('\n'),
    ...(names === '' ? [] : [`Accepted for compatibility, without effect: ${names}.`]),
  ].join('\n\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}

/** Lists of the help stay as they are. */
function prose(text: string): string {
  return text.split('\n\n').map((paragraph) => (/^ {2}\S/mu.test(paragraph) ? `\`\`\`\n${paragraph}\n\`\`\`` : cell(paragraph))).join('\n\n');
}
