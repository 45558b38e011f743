import { ConfigError } from './config.js';
import { didYouMean } from './nearest.js';

/** A flag of a command line in the style of Go's pflag. */
export interface Flag {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly kind: 'string' | 'boolean';
  readonly help: string;
  readonly default?: string;
  /** Joins the values with commas if the flag is repeated. */
  readonly repeatable?: boolean;
}

export interface ParsedFlags {
  readonly values: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
}

/**
 * Reads `--name=value`, `--name value`, `--name` (boolean), `-v 2`, `-v=2` and `-v2`; `--` ends the flags.
 * @throws ConfigError naming the flag that is unknown or lacks its value.
 */
export function parseFlags(args: readonly string[], flags: readonly Flag[]): ParsedFlags {
  const values = new Map<string, string>();
  const positional: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      positional.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      positional.push(arg);
      continue;
    }
    const { flag, attached } = find(arg, flags);
    if (flag.kind === 'boolean') {
      if (attached !== undefined && attached !== 'true' && attached !== 'false')
        throw new ConfigError(`--${flag.name}: must be true or false, not "${attached}"`);
      values.set(flag.name, attached ?? 'true');
      continue;
    }
    const value = attached ?? args[++at];
    if (value === undefined) throw new ConfigError(`--${flag.name}: needs a value`);
    const before = flag.repeatable === true ? values.get(flag.name) : undefined;
    values.set(flag.name, before === undefined ? value : `${before},${value}`);
  }
  return { values, positional };
}

function find(arg: string, flags: readonly Flag[]): { readonly flag: Flag; readonly attached: string | undefined } {
  const long = /^--([^=]+)(?:=(.*))?$/su.exec(arg);
  if (long !== null) {
    const flag = flags.find(({ name }) => name === long[1]);
    if (flag !== undefined) return { flag, attached: long[2] };
    throw new ConfigError(
      `unknown flag: --${long[1] ?? ''}${didYouMean(
        long[1] ?? '',
        flags.map(({ name }) => name),
        '--',
      )}`,
    );
  }
  const flag = flags.find(({ short }) => short !== undefined && short === arg[1]);
  if (flag === undefined) throw new ConfigError(`unknown flag: ${arg.split('=')[0] ?? arg}`);
  const rest = arg.slice(2);
  return { flag, attached: rest === '' ? undefined : rest.startsWith('=') ? rest.slice(1) : rest };
}

/** The value of a flag with a closed set of values. @throws ConfigError */
export function choice<T extends string>({ values }: ParsedFlags, name: string, words: readonly [T, ...T[]]): T {
  const given = values.get(name);
  if (given === undefined) return words[0];
  const known = words.find((word) => word === given);
  if (known === undefined) throw new ConfigError(`--${name}: must be one of ${words.join(', ')}, not "${given}"`);
  return known;
}

/** Every command has it. */
export const helpFlag: Flag = { name: 'help', short: 'h', kind: 'boolean', help: 'print this and exit' };

/** Help of a flag that other programs have and Hawser ignores. */
export const COMPATIBLE = 'accepted for compatibility';

/** Whether Hawser accepts a flag and ignores it. */
export function isIdle({ help }: Flag): boolean {
  return help === COMPATIBLE;
}

/** Formats flags as help text, one per line; ignored flags come last. */
export function flagHelp(flags: readonly Flag[]): string {
  return [...flags.filter((flag) => !isIdle(flag)), ...flags.filter(isIdle)]
    .map(
      ({ name, short, kind, help, default: preset }) =>
        `  ${short === undefined ? '    ' : `-${short}, `}--${name}${kind === 'string' ? ' string' : ''}\n          ${help}${preset === undefined ? '' : ` (default ${preset})`}`,
    )
    .join('\n');
}

/** Splits a comma-separated list. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
