/** A step of a path: into a field (or the element of a list with that index), or into every element of a list. */
type Step = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'each' };

/** A parsed path of a claim's reference (`spec/kube-bind-api.md §5.3`). */
export type Path = readonly Step[];

/** A text that a path leads to, and the concrete keys and indexes that lead there. */
export interface Found {
  readonly at: readonly string[];
  readonly value: string;
}

/** What the path language of the gjson library has beyond fields, indexes and `#`. A claim with one of these would mean something else here. */
const UNKNOWN = /[*?|!{}()=<>@~"]/u;

/**
 * Parses fields separated by dots, indexes, and `#` for every element of a list; a backslash makes the next character part of the name. Undefined for
 * whatever else gjson understands (wildcards, queries, modifiers), and for empty steps: who asks for that gets nothing rather than something else.
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

/** Every text that the path leads to in `root`, in order, without white space around it. Numbers count as texts; a list at the end of the path as its elements. */
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

/** Lists within lists are followed no deeper: what is nested like that names nothing. */
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

/** How many leading steps two paths share, up to and including the last shared `#`: within these, what they find belongs together. */
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
