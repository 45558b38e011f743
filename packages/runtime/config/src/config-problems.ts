import { LineCounter, type Document, isMap, isNode, parseDocument } from 'yaml';
import type * as z from 'zod';

import { YAML_LIMITS, notYaml } from './config-file.js';
import { configSchema } from './config.js';
import { didYouMean } from './nearest.js';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One problem in a config file. */
export interface ConfigProblem {
  /** From 1; undefined: the file as a whole. */
  readonly line: number | undefined;
  /** `konnector.orphans.policy`; empty: the file as a whole. */
  readonly path: string;
  /** The problem, and the allowed values. */
  readonly message: string;
}

/** Finds all problems of a config text, in the order of the text; empty: the config is valid. */
export function configProblems(text: string): readonly ConfigProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors.map(({ pos: [at], message }): ConfigProblem => ({
    line: lines.linePos(at).line,
    path: '',
    message: `is not YAML: ${(message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/u, '')}`,
  }));
  if (broken.length > 0) return broken;
  let value: unknown;
  try {
    value = document.toJS(YAML_LIMITS);
  } catch (error) {
    // Broken and excessive aliases show only here.
    return [{ line: undefined, path: '', message: notYaml(error) }];
  }
  if (value === null || value === undefined) return [];
  if (!isFields(value)) return [{ line: 1, path: '', message: 'must be a mapping' }];
  return allIssues(value)
    .flatMap(({ issue, input }) =>
      problemsOf(issue, input).map(({ path, message }) => ({
        line: lineOf(document, lines, path),
        path: shown(path),
        message,
      })),
    )
    .toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

interface Found {
  readonly issue: Issue;
  readonly input: unknown;
}

/**
 * Finds the issues of all fields. Rules about several fields run only once each field is valid: so this removes invalid
 * fields and checks again.
 */
function allIssues(value: Fields): readonly Found[] {
  const input = structuredClone(value);
  const seen = new Set<string>();
  const found: Found[] = [];
  for (;;) {
    const issues = configSchema.safeParse(input).error?.issues ?? [];
    // A missing field may be one that was removed.
    const fresh = issues.filter((issue) => pathsOf(issue).some((path) => !seen.has(idOf(path))));
    if (fresh.length === 0) return found;
    for (const issue of fresh) {
      found.push({ issue, input: valueAt(value, issue.path) });
      for (const path of pathsOf(issue)) {
        seen.add(idOf(path));
        remove(input, path);
      }
    }
  }
}

function idOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function pathsOf(issue: Issue): readonly Path[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

function problemsOf(issue: Issue, input: unknown): readonly { readonly path: Path; readonly message: string }[] {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(issue.path);
      return issue.keys.map((key) => ({ path: [...issue.path, key], message: unknownField(key, known) }));
    }
    case 'invalid_value':
      return [{ path: issue.path, message: `must be ${either(issue.values.map(String))}${butIs(input)}` }];
    case 'invalid_type':
      return [
        {
          path: issue.path,
          message:
            input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}${butIs(input)}`,
        },
      ];
    case 'too_small':
      return [
        {
          path: issue.path,
          message:
            issue.origin === 'number' || issue.origin === 'int'
              ? `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}${butIs(input)}`
              : 'must not be empty',
        },
      ];
    case 'too_big':
      return [{ path: issue.path, message: `must be at most ${issue.maximum}${butIs(input)}` }];
    case 'invalid_format':
      return [{ path: issue.path, message: `${issue.message}${butIs(input)}` }];
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return [{ path: issue.path, message: issue.message }];
  }
}

function unknownField(key: string, known: readonly string[]): string {
  const near = didYouMean(key, known, '');
  return `is not known${near}${near === '' ? '; there are' : ' There are'}: ${known.join(', ')}`;
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function butIs(input: unknown): string {
  if (input === null) return ', and has no value';
  if (Array.isArray(input)) return ', not a list';
  if (typeof input === 'object') return ', not a mapping';
  if (typeof input === 'number') return `, not ${input}`;
  return input === undefined ? '' : `, not ${JSON.stringify(input).slice(0, 60)}`;
}

/** The known fields at a path. */
function knownKeys(path: Path): readonly string[] {
  let schema: unknown = configSchema;
  for (const step of path)
    schema =
      typeof step === 'number'
        ? fieldOf(unwrapped(schema), 'element')
        : fieldOf(fieldOf(unwrapped(schema), 'shape'), String(step));
  return Object.keys(fieldOf(unwrapped(schema), 'shape') ?? {});
}

/** Unwraps a default or an optional. */
function unwrapped(schema: unknown): unknown {
  const inner = fieldOf(fieldOf(schema, 'def'), 'innerType');
  return inner === undefined ? schema : unwrapped(inner);
}

function lineOf(document: Document, lines: LineCounter, path: Path): number | undefined {
  // Report a missing field at the start of its mapping.
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const at = isMap(parent)
      ? parent.items.find((pair) => isNode(pair.key) && String(pair.key) === String(key))?.key
      : document.getIn(path.slice(0, length), true);
    const range = isNode(at) ? at.range : undefined;
    if (range !== undefined && range !== null) return lines.linePos(range[0]).line;
  }
  return undefined;
}

function shown(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./u, '');
}

type Fields = Record<PropertyKey, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? (value as Fields)[key] : undefined;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce(fieldOf, value);
}

function remove(value: unknown, path: Path): void {
  const parent = valueAt(value, path.slice(0, -1));
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null) return;
  // Keep the place of an element, to keep the paths of the others.
  if (Array.isArray(parent)) (parent as unknown as Fields)[key] = undefined;
  else Reflect.deleteProperty(parent, key);
}
