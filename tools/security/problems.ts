import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { ThreatGroup } from './threats.ts';

/** Missing tests that the table names, and reasons that are never reported. */
export function threatProblems(
  groups: readonly ThreatGroup[],
  root: string,
  reasons: ReadonlySet<string>,
): readonly string[] {
  const titles = new Map<string, ReadonlySet<string>>();
  const titlesOf = (file: string): ReadonlySet<string> => {
    const known =
      titles.get(file) ??
      (existsSync(join(root, file)) ? testTitles(readFileSync(join(root, file), 'utf8')) : new Set<string>());
    titles.set(file, known);
    return known;
  };
  return groups
    .flatMap(({ threats }) => threats)
    .flatMap(({ threat, reasons: reported, tests }) => [
      ...tests
        .filter(({ file, title }) => !titlesOf(file).has(title))
        .map(({ file, title }) => `tools/security/threats.ts: "${threat}": ${file} has no test "${title}"`),
      ...reported
        .filter((reason) => !reasons.has(reason))
        .map((reason) => `tools/security/threats.ts: "${threat}": reason ${reason} is not in packages/api/reasons`),
    ]);
}

/**
 * First arguments of `it(…)`, `it.each(…)(…)` and the like, and the first cell of each row of their tables. Skipped
 * tests do not count.
 */
export function testTitles(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { callee, table } = called(node);
      if (callee === 'it' || callee === 'it.each') {
        const [title] = node.arguments;
        if (title !== undefined && ts.isStringLiteralLike(title)) found.add(title.text);
        for (const row of table) {
          const cell = ts.isArrayLiteralExpression(row) ? row.elements[0] : row;
          if (cell !== undefined && ts.isStringLiteralLike(cell)) found.add(cell.text);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS));
  return found;
}

function called({ expression }: ts.CallExpression): { readonly callee: string; readonly table: readonly ts.Node[] } {
  if (!ts.isCallExpression(expression)) return { callee: nameOf(expression), table: [] };
  const [rows] = expression.arguments;
  return {
    callee: nameOf(expression.expression),
    table: rows !== undefined && ts.isArrayLiteralExpression(rows) ? rows.elements : [],
  };
}

function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)
    ? `${expression.expression.text}.${expression.name.text}`
    : '';
}
