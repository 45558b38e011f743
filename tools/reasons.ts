// Finds where the sources set a reason of a condition or an Event, by syntax alone: a string for a property `reason`,
// for a parameter named `reason` (or ending with `Reason`), a type of that name, or one of `conditionReasons` and
// `ownReasons`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A reason and the first place that sets it: `file:line`. */
export type FoundReasons = ReadonlyMap<string, string>;

export interface SourceText {
  readonly file: string;
  readonly text: string;
}

const TOKEN = /^[A-Z][A-Za-z]+$/u;
const CONSTANTS: ReadonlySet<string> = new Set(['conditionReasons', 'ownReasons']);

/** All sources that report on objects, without their tests. A command reports its refusals only on the terminal. */
export function reportingSources(root: string): readonly SourceText[] {
  return (
    globSync(
      [
        'packages/{konnector,provider}/*/src/**/*.ts',
        'packages/cli/{konnector,syncagent}-explain/src/**/*.ts',
        'packages/syncagent/{apiresourceschema,publication,syncagent-sync,syncagent-apiexport,syncmanager}/src/**/*.ts',
        'packages/api/core-kbind/src/metadata.ts',
        'apps/supervisor/src/**/*.ts',
      ],
      { cwd: root },
    )
      // The gateway reports nothing on objects: its reasons are those of an API server's answers.
      .filter((file) => !file.startsWith('packages/provider/gateway/'))
      .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
      .sort()
      .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  );
}

/** `constants`: files that define `conditionReasons` and the like for others. */
export function findReasons(sources: readonly SourceText[], constants: readonly SourceText[]): FoundReasons {
  const parsed = sources.map(parse);
  const values = new Map([...constants.map(parse), ...parsed].flatMap((file) => [...constantsOf(file)]));
  const parameters = new Map<string, ReadonlySet<number>>();
  for (const [name, index] of [...constants.map(parse), ...parsed].flatMap((file) => [...reasonParameters(file)]))
    parameters.set(name, new Set([...(parameters.get(name) ?? []), index]));
  const texts = new Map(parsed.flatMap(textConstantsOf));
  const found = new Map<string, string>();
  for (const file of parsed) {
    // Functions of several files may share a name: a file calls its own.
    const known = new Map([...parameters, ...functionsOf(file)]);
    const take = (node: ts.Node, text: string): void => {
      if (!TOKEN.test(text) || found.has(text)) return;
      found.set(text, `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
    };
    visit(file, (node) => {
      for (const value of reasonValues(node, known)) {
        for (const literal of literalsOf(value)) take(literal, literal.text);
        const constant = ts.isIdentifier(value) ? texts.get(value.text) : undefined;
        if (constant !== undefined) take(value, constant);
      }
      if (
        ts.isPropertyAccessExpression(node) &&
        ts.isIdentifier(node.expression) &&
        CONSTANTS.has(node.expression.text)
      ) {
        const value = values.get(`${node.expression.text}.${node.name.text}`);
        if (value !== undefined) take(node, value);
      }
    });
  }
  return found;
}

function parse({ file, text }: SourceText): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => {
    visit(child, see);
  });
}

const isReasonName = (name: string): boolean => name === 'reason' || name.endsWith('Reason');

/** Reasons among the values (or types) in `node`, if `node` can hold one. */
function reasonValues(node: ts.Node, parameters: ReadonlyMap<string, ReadonlySet<number>>): readonly ts.Node[] {
  if (ts.isPropertyAssignment(node) && nameOf(node.name) === 'reason') return [node.initializer];
  if (ts.isPropertySignature(node) && nameOf(node.name) === 'reason' && node.type !== undefined) return [node.type];
  if (ts.isVariableDeclaration(node) && nameOf(node.name) === 'reason' && node.initializer !== undefined)
    return [node.initializer];
  if (ts.isTypeAliasDeclaration(node) && isReasonName(node.name.text)) return [node.type];
  if (!ts.isCallExpression(node)) return [];
  const called = ts.isIdentifier(node.expression)
    ? node.expression.text
    : ts.isPropertyAccessExpression(node.expression)
      ? node.expression.name.text
      : '';
  return [...(parameters.get(called) ?? [])].flatMap((index) => node.arguments[index] ?? []);
}

/**
 * Strings that the value can be: itself, or the branches of a condition or union. Not the strings it is compared with.
 */
function literalsOf(node: ts.Node): readonly ts.StringLiteral[] {
  if (ts.isStringLiteral(node)) return [node];
  if (ts.isLiteralTypeNode(node)) return literalsOf(node.literal);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(literalsOf);
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
    return [...literalsOf(node.left), ...literalsOf(node.right)];
  if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node)) return literalsOf(node.expression);
  return [];
}

/** Functions and methods with a parameter `reason`, and its position. */
function reasonParameters(file: ts.SourceFile): readonly (readonly [string, number])[] {
  return [...functionsOf(file)].flatMap(([name, indices]) => [...indices].map((index) => [name, index] as const));
}

/** All functions and methods, and the position of their `reason`. */
function functionsOf(file: ts.SourceFile): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  visit(file, (node) => {
    const named = ts.isFunctionDeclaration(node)
      ? { name: node.name?.text, parameters: node.parameters }
      : ts.isMethodDeclaration(node)
        ? { name: nameOf(node.name), parameters: node.parameters }
        : ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isArrowFunction(node.initializer)
          ? { name: nameOf(node.name), parameters: node.initializer.parameters }
          : undefined;
    if (named?.name === undefined) return;
    const indices = found.get(named.name) ?? new Set();
    named.parameters.forEach((parameter, index) => {
      if (nameOf(parameter.name) === 'reason') indices.add(index);
    });
    found.set(named.name, indices);
  });
  return found;
}

function constantsOf(file: ts.SourceFile): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  visit(file, (node) => {
    const name = ts.isVariableDeclaration(node) ? nameOf(node.name) : undefined;
    if (name === undefined || !CONSTANTS.has(name) || !ts.isVariableDeclaration(node) || node.initializer === undefined)
      return;
    visit(node.initializer, (inner) => {
      if (ts.isPropertyAssignment(inner) && ts.isStringLiteral(inner.initializer))
        found.push([`${name}.${nameOf(inner.name) ?? ''}`, inner.initializer.text]);
    });
  });
  return found;
}

/** `const SOME_REASON = 'SomeReason'`, used in other places by its name. */
function textConstantsOf(file: ts.SourceFile): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  visit(file, (node) => {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return;
    const name = nameOf(node.name) ?? '';
    for (const literal of ts.isAsExpression(node.initializer) || ts.isStringLiteral(node.initializer)
      ? literalsOf(node.initializer)
      : [])
      if (/^[A-Z_]+$/u.test(name)) found.push([name, literal.text]);
  });
  return found;
}

function nameOf(node: ts.PropertyName | ts.BindingName): string | undefined {
  return ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteral(node) ? node.text : undefined;
}
