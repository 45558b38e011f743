import { type Document, LineCounter, isScalar, parseDocument as parseYaml, visit } from 'yaml';
import type { KubeconfigProblem } from './problem.js';

/** An object as read: every value is still unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

export type EntryKind = 'context' | 'cluster' | 'user';

/** A kubeconfig of which only the outer shape is checked. */
export interface KubeconfigDocument {
  readonly currentContext: unknown;
  /** All entries of that name: none, one, or by mistake several. */
  named(kind: EntryKind, name: string): readonly Fields[];
  readonly lists: Readonly<Record<EntryKind, readonly Fields[]>>;
}

export type ParsedDocument =
  | { readonly ok: true; readonly document: KubeconfigDocument }
  | { readonly ok: false; readonly problem: KubeconfigProblem };

/** Many times the size of a kubeconfig with a bundle of authorities. */
const MAX_BYTES = 256 * 1024;

/**
 * Enough for a hundred contexts. The YAML parser's time grows with the square of these: a hostile text of 200 kB takes
 * it minutes.
 */
const MAX_MARKS = 4_000;
const MARK = /[\n[\]{},:&*!?%@`#|>"']|-(?=\s)/gu;

/**
 * Parses the text of a kubeconfig, YAML or JSON. Never throws, whatever the text. An `untrusted` text is also limited
 * in size and parsing time.
 */
export function parseDocument(input: string | Uint8Array, origin: 'own' | 'untrusted'): ParsedDocument {
  const read = readValue(input, origin);
  if ('problem' in read) return { ok: false, problem: read.problem };
  const { value } = read;
  if (value === null || value === undefined) return refuse('Empty', 'The kubeconfig is empty.');
  if (!isFields(value)) return refuse('NotKubeconfig', 'The value is YAML, but no kubeconfig: it is not a map.');
  const lists = { context: list(value, 'contexts'), cluster: list(value, 'clusters'), user: list(value, 'users') };
  if (Object.values(lists).includes(undefined))
    return refuse(
      'NotKubeconfig',
      'The value is not a kubeconfig: contexts, clusters and users must be lists of maps.',
    );
  return { ok: true, document: documentOf(get(value, 'current-context'), lists as KubeconfigDocument['lists']) };
}

export function documentOf(currentContext: unknown, lists: KubeconfigDocument['lists']): KubeconfigDocument {
  return {
    currentContext,
    lists,
    named: (kind, name) =>
      lists[kind]
        .filter((entry) => get(entry, 'name') === name)
        .map((entry) => {
          const body = get(entry, kind);
          return isFields(body) ? body : {};
        }),
  };
}

/** The value of an own key: inherited properties were not in the text. */
export function get(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Whether a key has a value. Go treats absent, null and empty alike. */
export function isSet(fields: Fields, key: string): boolean {
  const value = get(fields, key);
  return value !== undefined && value !== null && value !== '' && value !== false;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(fields: Fields, key: string): readonly Fields[] | undefined {
  const value = get(fields, key) ?? [];
  return Array.isArray(value) && value.every(isFields) ? value : undefined;
}

type Read = { readonly value: unknown } | { readonly problem: KubeconfigProblem };

const problem = (code: KubeconfigProblem['code'], message: string): Read => ({ problem: { code, message } });

function readValue(input: string | Uint8Array, origin: 'own' | 'untrusted'): Read {
  const tooLarge = problem(
    'TooLarge',
    `The value has more than ${MAX_BYTES} bytes or too many entries; a kubeconfig with one context is enough.`,
  );
  if (origin === 'untrusted' && input.length > MAX_BYTES) return tooLarge;
  let text: string;
  try {
    text = typeof input === 'string' ? input : new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    return problem('NotYaml', 'The value is not UTF-8 text.');
  }
  if (text.trim() === '') return { value: undefined };
  try {
    if (text.trimStart().startsWith('{')) return { value: JSON.parse(text) };
  } catch {
    // Flow style YAML begins with a brace, too.
  }
  if (origin === 'untrusted' && (text.match(MARK)?.length ?? 0) > MAX_MARKS) return tooLarge;
  return readYaml(text);
}

function readYaml(text: string): Read {
  try {
    const lines = new LineCounter();
    const parsed = parseYaml(text, {
      logLevel: 'error',
      prettyErrors: false,
      lineCounter: lines,
      schema: 'core',
      merge: false,
      stringKeys: true,
      uniqueKeys: false,
    });
    const [error] = parsed.errors;
    if (error !== undefined) {
      // Without the library's message: it may quote the text.
      const { line, col } = lines.linePos(error.pos[0]);
      return problem('NotYaml', `The value is not YAML (line ${line}, column ${col}).`);
    }
    if (hasRepeatedKey(parsed)) return problem('NotYaml', 'A key stands twice in one map of the value.');
    return { value: parsed.toJS({ maxAliasCount: 100 }) };
  } catch {
    return problem('NotYaml', 'The value is YAML that is nested or repeated beyond all reason.');
  }
}

/**
 * Replaces the library's check, which compares each key with each other: a large map would block the process for
 * seconds.
 */
function hasRepeatedKey(document: Document): boolean {
  let repeated = false;
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) repeated = true;
        seen.add(name);
      }
      return repeated ? visit.BREAK : undefined;
    },
  });
  return repeated;
}

function refuse(code: KubeconfigProblem['code'], message: string): ParsedDocument {
  return { ok: false, problem: { code, message } };
}
