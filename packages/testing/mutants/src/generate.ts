import ts from 'typescript';

/** A small mistake that a rule, not a person, put into a source. */
export interface GeneratedMutant {
  /** From the repository's root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** The named function around it; empty: no function there has a name. */
  readonly within: string;
  readonly kind: MutantKind;
  /** Offsets of the replaced text. */
  readonly start: number;
  readonly end: number;
  /** That text, with each run of white space as one space. */
  readonly find: string;
  readonly replace: string;
}

export type MutantKind =
  | 'condition negated'
  | 'condition left out'
  | 'comparison negated'
  | 'guard dropped'
  | 'bound moved'
  | 'call left out'
  | 'element left out'
  | 'early return';

const flipped: ReadonlyMap<ts.SyntaxKind, readonly [MutantKind, string]> = new Map<
  ts.SyntaxKind,
  readonly [MutantKind, string]
>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['comparison negated', '!==']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['comparison negated', '===']],
  [ts.SyntaxKind.LessThanToken, ['bound moved', '<=']],
  [ts.SyntaxKind.LessThanEqualsToken, ['bound moved', '<']],
  [ts.SyntaxKind.GreaterThanToken, ['bound moved', '>=']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['bound moved', '>']],
]);

/** The usual mutants of a source, in order of place. Changes only text in the body of a function. */
export function generateMutants(text: string, file: string): readonly GeneratedMutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: GeneratedMutant[] = [];
  let within = '';
  const add = (kind: MutantKind, node: ts.Node | readonly [number, number], replace: string): void => {
    const [start, end] = 'kind' in node ? [node.getStart(source), node.end] : node;
    const { line, character } = source.getLineAndCharacterOfPosition(start);
    found.push({
      file,
      line: line + 1,
      column: character + 1,
      within,
      kind,
      start,
      end,
      find: oneLine(text.slice(start, end)),
      replace,
    });
  };
  const condition = (node: ts.Expression): void => {
    add('condition negated', node, `!(${node.getText(source)})`);
  };
  const mutate = (node: ts.Node): void => {
    if (ts.isIfStatement(node)) {
      condition(node.expression);
      if (node.elseStatement === undefined && leaves(node.thenStatement))
        add('guard dropped', node.expression, 'false');
    } else if (ts.isConditionalExpression(node)) condition(node.condition);
    else if (ts.isWhileStatement(node)) condition(node.expression);
    else if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.kind;
      const flip = flipped.get(operator);
      if (flip !== undefined && !(flip[0] === 'comparison negated' && isCondition(node)))
        add(flip[0], node, `${node.left.getText(source)} ${flip[1]} ${node.right.getText(source)}`);
      if (operator === ts.SyntaxKind.AmpersandAmpersandToken || operator === ts.SyntaxKind.BarBarToken) {
        add('condition left out', node, node.right.getText(source));
        add('condition left out', node, node.left.getText(source));
      }
    } else if (ts.isExpressionStatement(node) && isCall(node.expression)) add('call left out', node, ';');
    else if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'filter'
    )
      add('call left out', node, node.expression.expression.getText(source));
    else if (ts.isArrayLiteralExpression(node)) {
      node.elements.forEach((element, at) => {
        if (!ts.isSpreadElement(element) && !ts.isObjectLiteralExpression(element)) return;
        const next = node.elements[at + 1];
        add(
          'element left out',
          [element.getStart(source), next === undefined ? element.end : next.getStart(source)],
          '',
        );
      });
    } else if (ts.isFunctionDeclaration(node) && node.body !== undefined) {
      for (const value of resultsOf(node, source))
        add('early return', [node.body.getStart(source) + 1, node.body.getStart(source) + 1], ` return ${value};`);
    }
  };
  const visit = (node: ts.Node, inBody: boolean): void => {
    const outer = within;
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) within = node.name?.getText(source) ?? '';
    else if (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isArrowFunction(node.initializer))
      within = node.name.getText(source);
    if (inBody || ts.isFunctionDeclaration(node)) mutate(node);
    ts.forEachChild(node, (child) => {
      visit(child, inBody || ('body' in node && node.body === child && ts.isFunctionLike(node)));
    });
    within = outer;
  };
  visit(source, false);
  return found.toSorted((one, other) => one.start - other.start);
}

/** Place, text and replacement, for people. */
export function describeMutant({ file, line, column, kind, find, replace, within }: GeneratedMutant): string {
  return `${file}:${line}:${column}  ${kind}${within === '' ? '' : ` in ${within}`}\n    - ${find === '' ? '(nothing)' : find}\n    + ${oneLine(replace) === '' ? '(nothing)' : oneLine(replace)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function isCall(expression: ts.Expression): boolean {
  return (
    ts.isCallExpression(expression) || (ts.isAwaitExpression(expression) && ts.isCallExpression(expression.expression))
  );
}

/** Whether the whole node is a condition that is already negated. */
function isCondition(node: ts.Expression): boolean {
  const { parent } = node;
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node) ||
    (ts.isWhileStatement(parent) && parent.expression === node)
  );
}

function leaves(statement: ts.Statement): boolean {
  const last = ts.isBlock(statement) ? statement.statements.at(-1) : statement;
  return (
    last !== undefined &&
    (ts.isReturnStatement(last) ||
      ts.isThrowStatement(last) ||
      ts.isContinueStatement(last) ||
      ts.isBreakStatement(last))
  );
}

/** Values that a function can return at once, by its declared type. */
function resultsOf({ type }: ts.FunctionDeclaration, source: ts.SourceFile): readonly string[] {
  if (type === undefined) return [];
  const parts = ts.isUnionTypeNode(type) ? [...type.types] : [type];
  return parts.flatMap((part) => {
    const text = part.getText(source);
    if (text === 'boolean') return ['true', 'false'];
    if (text === 'undefined' || text === 'void' || text === 'Promise<void>') return ['undefined'];
    return text.endsWith('[]') || text.startsWith('readonly ') ? ['[]'] : [];
  });
}
