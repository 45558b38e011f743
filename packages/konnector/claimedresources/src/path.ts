/** A step of a path: into a field or list index, or into every element of a list. */
type Step = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'each' };

/** A parsed path of a claim's reference (`spec/kube-bind-api.md §5.3`). */
export type Path = readonly Step[];

/** A text found by a path, with the concrete keys and indexes that lead there. */
export interface Found {
  readonly at: readonly string[];
  readonly value: string;
}

/** Syntax of the gjson library beyond fields, indexes and `#`. A claim with it would mean something else here. */
const UNKNOWN = /[*?|!{}()=<>@~"]/u;

/**
 * Parses fields separated by dots, indexes, and `#` for every element of a list; a backslash escapes the next
 * character. Undefined for other gjson syntax (wildcards, queries, modifiers) and empty steps: no result is better than
 * a wrong one.
 */
export function parsePath(text: string): Path | undefined {
  const steps: Step[] = [];
  let name = '';
  let escaped = false;
  const end = (): boolean => {
    if (name === '') return false;
    steps.push(name === '#' && !escaped ? { kind: 'each' } : { kind: 'key', key: name });
    name = '';
    escaped = false;
    return true;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') {
      at++;
      name += text.charAt(at);
      escaped = true;
    } else if (character === '.') {
      if (!end()) return undefined;
    } else if (UNKNOWN.test(character)) return undefined;
    else name += character;
  }
  return end() ? steps : undefined;
}

/**
 * Collects every text at the path in `root`, in order, without surrounding white space. Numbers count as texts; a list
 * at the end of the path counts as its elements.
 */
export function follow(path: Path, root: unknown): readonly Found[] {
  let here: readonly { readonly at: readonly string[]; readonly node: unknown }[] = [{ at: [], node: root }];
  for (const step of path)
    here = here.flatMap(({ at, node }) => enter(step, node).map(([key, child]) => ({ at: [...at, key], node: child })));
  return here.flatMap(({ at, node }) => texts(at, node));
}

function enter(step: Step, node: unknown): readonly (readonly [string, unknown])[] {
  if (step.kind === 'each')
    return Array.isArray(node) ? node.map((child: unknown, index) => [String(index), child] as const) : [];
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step.key)) return [];
  if (Array.isArray(node) && !/^\d+$/u.test(step.key)) return [];
  return [[step.key, (node as Record<string, unknown>)[step.key]]];
}

/** Maximum depth of nested lists: deeper values name nothing. */
const MAX_LISTS = 16;

function texts(at: readonly string[], node: unknown, lists = 0): readonly Found[] {
  if (Array.isArray(node))
    return lists === MAX_LISTS
      ? []
      : node.flatMap((child: unknown, index) => texts([...at, String(index)], child, lists + 1));
  if (typeof node !== 'string' && typeof node !== 'number' && typeof node !== 'bigint') return [];
  const value = String(node).trim();
  return value === '' ? [] : [{ at, value }];
}

/**
 * Counts the leading steps that two paths share, up to and including the last shared `#`. Values found within these
 * belong together.
 */
export function sharedSteps(a: Path, b: Path): number {
  let shared = 0;
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined || other === undefined || one.kind !== other.kind) break;
    if (one.kind === 'each') shared = at + 1;
    else if (other.kind === 'key' && one.key !== other.key) break;
  }
  return shared;
}
