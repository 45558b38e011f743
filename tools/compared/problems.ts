import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { testTitles } from '../security/problems.ts';
import type { Entry } from './entry.ts';

/** Named tests that are missing, or that belong to another mutant. `simulated`: mutants that the simulation finds. */
export function comparedProblems(
  entries: readonly Entry[],
  root: string,
  simulated: readonly string[],
): readonly string[] {
  return entries.flatMap(({ entry, shownBy }) =>
    problemsOf(entry, shownBy, root, simulated).map((problem) => `tools/compared: "${entry}": ${problem}`),
  );
}

function problemsOf(
  entry: string,
  by: Entry['shownBy'],
  root: string,
  simulated: readonly string[],
): readonly string[] {
  if (by.kind === 'simulated') return simulated.includes(by.mutant) ? [] : [`the simulation finds no "${by.mutant}"`];
  const file = join(root, by.file);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (by.kind === 'test') return testTitles(text).has(by.title) ? [] : [`${by.file} has no test "${by.title}"`];
  const found = roughEdges(text);
  return by.titles
    .filter((title) => !found.some((one) => one.entry === entry && one.title === title && one.mutant === by.mutant))
    .map((title) => `${by.file} has no roughEdge('${entry}', '${title}', …, '${by.mutant}')`);
}

export interface RoughEdge {
  readonly entry: string;
  readonly title: string;
  readonly mutant: string;
}

/** The calls `roughEdge(entry, title, body, mutant = entry)` of a test file. */
export function roughEdges(text: string): readonly RoughEdge[] {
  const found: RoughEdge[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'roughEdge') {
      const [entry, title, , mutant = entry] = node.arguments;
      if ([entry, title, mutant].every((argument) => argument !== undefined && ts.isStringLiteralLike(argument)))
        found.push({ entry: literal(entry), title: literal(title), mutant: literal(mutant) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS));
  return found;
}

const literal = (node: ts.Expression | undefined): string =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : '';
