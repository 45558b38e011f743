// Fails if a function of a package or an app is longer than a page: 60 lines of its own, or 150 with nested functions.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './workspace.ts';

const OWN = 60;
const WHOLE = 150;

interface Counted {
  /** Lines of functions in it. */
  nested: number;
}

const problems = globSync('{packages,apps}/**/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test\.ts$|\/testing\/|\/node_modules\/|\/dist\//u.test(file))
  .sort()
  .flatMap(longFunctionsOf);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('functions: none is longer than a page');

function longFunctionsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  const visit = (node: ts.Node, within: Counted | undefined): void => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) {
      ts.forEachChild(node, (child) => {
        visit(child, within);
      });
      return;
    }
    const counted: Counted = { nested: 0 };
    ts.forEachChild(node, (child) => {
      visit(child, counted);
    });
    const first = lineOf(node.getStart());
    const lines = lineOf(node.end) - first + 1;
    if (within !== undefined) within.nested += lines - 1;
    const own = lines - counted.nested;
    if (own > OWN || lines > WHOLE)
      found.push(`${file}:${first}: ${own} lines of its own, ${lines} in all; at most ${OWN} and ${WHOLE}`);
  };
  visit(source, undefined);
  return found;
}
