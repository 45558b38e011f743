// Checks that relative links of Markdown files lead to a file and heading, and that files of docs/ named in other
// sources exist.
import { posix } from 'node:path';

/** A repository: texts of the files to check, and whether a path is a file or a folder. */
export interface Repository {
  readonly text: (file: string) => string | undefined;
  readonly exists: (path: string) => boolean;
}

const FENCE = /^ *(`{3,}|~{3,})(.*)$/u;
const HEADING = /^#{1,6} +(.*?)(?: +#+)?$/u;
const LINK = /\]\(<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?: +"[^"]*")?\)/gu;
const EXTERNAL = /^(?:[a-z][-+.a-z]*:|\/\/)/iu;
/** A file of docs/ in a comment or message, perhaps with a heading. */
const NAMED = /(?<![\w./-])docs\/[\w./-]*\.md(?:#[-\w]+)?/gu;

/** Anchors that GitHub makes of a Markdown text's headings. */
export function anchors(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { line, code } of lines(text)) {
    const title = code ? undefined : HEADING.exec(line)?.[1];
    if (title === undefined) continue;
    const plain = slug(title);
    let anchor = plain;
    for (let again = 1; found.has(anchor); again++) anchor = `${plain}-${again}`;
    found.add(anchor);
  }
  return found;
}

/** Link targets of a Markdown text, with line numbers. Ignores code. */
export function linksOf(text: string): readonly { readonly target: string; readonly line: number }[] {
  return lines(text).flatMap(({ line, code, number }) =>
    code
      ? []
      : [...line.replaceAll(/`[^`]*`/gu, '').matchAll(LINK)].map(([, target = '']) => ({ target, line: number })),
  );
}

/** Broken links of a Markdown file, one line each: place and target. */
export function brokenLinks(file: string, repository: Repository): readonly string[] {
  return linksOf(repository.text(file) ?? '').flatMap(({ target, line }) => {
    if (EXTERNAL.test(target)) return [];
    const address = decoded(target);
    if (address === undefined) return [`${file}:${line}: ${target}: is not a valid address`];
    const [path = '', anchor] = address.split('#');
    const problem = problemOf(
      path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path)),
      anchor,
      repository,
    );
    return problem === undefined ? [] : [`${file}:${line}: ${target}: ${problem}`];
  });
}

function decoded(target: string): string | undefined {
  try {
    return decodeURI(target);
  } catch {
    return undefined;
  }
}

/** Missing files of docs/ that a source names. */
export function brokenNames(file: string, repository: Repository): readonly string[] {
  return (repository.text(file) ?? '').split('\n').flatMap((text, index) =>
    [...text.matchAll(NAMED)].flatMap(([name]) => {
      const [path = '', anchor] = name.split('#');
      const problem = problemOf(path, anchor, repository);
      return problem === undefined ? [] : [`${file}:${index + 1}: ${name}: ${problem}`];
    }),
  );
}

function problemOf(path: string, anchor: string | undefined, { text, exists }: Repository): string | undefined {
  if (path.startsWith('..') || !exists(path)) return 'there is no such file';
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return anchors(text(path) ?? '').has(anchor) ? undefined : `${path} has no such heading`;
}

function slug(title: string): string {
  return title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function lines(text: string): readonly { readonly line: string; readonly code: boolean; readonly number: number }[] {
  let open: string | undefined;
  return text.split('\n').map((line, index) => {
    const [, fence = '', info = ''] = FENCE.exec(line) ?? [];
    const code = fence !== '' || open !== undefined;
    if (open === undefined) open = fence === '' ? undefined : fence;
    // A code block ends only at a fence of the same kind, at least as long and with nothing behind it.
    else if (fence.startsWith(open) && info.trim() === '') open = undefined;
    return { line, code, number: index + 1 };
  });
}
