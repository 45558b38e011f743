import { type Library, functionsOf } from './check/declarations.js';
import type { Type } from './check/type.js';
import { check, type Checked } from './check/checker.js';
import { foldConstants } from './check/constants.js';
import { validateLiterals } from './check/literals.js';
import { arithmetic } from './library/arithmetic.js';
import { authorization } from './library/authorization.js';
import { conversion, typeNames } from './library/conversion.js';
import { formats } from './library/formats.js';
import { indexSignatures } from './library/index-signatures.js';
import { lists, sets } from './library/lists.js';
import { network } from './library/network.js';
import { optionals } from './library/optionals.js';
import { quantity } from './library/quantity.js';
import { regex } from './library/regex.js';
import { semver } from './library/semver.js';
import { stringFormat } from './library/string-format.js';
import { stringFunctions } from './library/strings.js';
import { time } from './library/time.js';
import { urls } from './library/urls.js';
import type { Step } from './comprehension.js';
import { compile } from './interpreter.js';
import type { Expr } from './syntax/ast.js';
import { CelSyntaxError, displayIssues, type Issue } from './syntax/issue.js';
import { parse } from './syntax/parser.js';
import { CelError } from './values/error.js';

/** Functions of kube-apiserver 1.36 (`apiserver/pkg/cel/environment/base.go`). */
const libraries: readonly Library[] = [
  arithmetic,
  indexSignatures,
  conversion,
  time,
  stringFunctions,
  stringFormat,
  optionals,
  regex,
  lists,
  sets,
  urls,
  quantity,
  network,
  formats,
  semver,
  authorization,
];

const functions = functionsOf(...libraries);

const withLibrary = new Map<Library, typeof functions>();

/** The functions, with a library that takes precedence. */
const functionsWith = (library: Library): typeof functions => {
  const known = withLibrary.get(library) ?? functionsOf(library, ...libraries);
  withLibrary.set(library, known);
  return known;
};

/** A compiled expression. */
export interface Program {
  readonly resultType: Type;
  /** Whether it refers to a name: `oldSelf`. */
  readonly refersTo: (name: string) => boolean;
  readonly run: Step;
}

/** Allowances beyond the rules of CRDs. */
export interface Leniency {
  /** Additional functions, tried before others of the same name. */
  readonly library: Library;
  /** List and map literals may have values of different types. */
  readonly mixedLiterals: boolean;
}

/** Why an expression is rejected, with the API server's message. */
export interface Rejected {
  /** `compilation`: not understood; `type`: wrong result type; `instantiation`: an invalid constant. */
  readonly rejectedIn: 'compilation' | 'type' | 'instantiation';
  readonly reason: string;
}

const notUnderstood = (source: string, issues: readonly Issue[]): Rejected => ({
  rejectedIn: 'compilation',
  reason: displayIssues(source, issues),
});

const checkedProgram = (
  source: string,
  expr: Expr,
  checked: Checked,
  wanted: Type['kind'] | undefined,
  mixed: boolean,
): Program | Rejected => {
  const issues = checked.issues.length > 0 ? checked.issues : validateLiterals(expr, checked, mixed);
  if (issues.length > 0) {
    return notUnderstood(source, issues);
  }
  if (wanted !== undefined && checked.resultType.kind !== wanted) {
    return { rejectedIn: 'type', reason: `must evaluate to a ${wanted}` };
  }
  try {
    foldConstants(expr, checked);
  } catch (error) {
    if (error instanceof CelError) {
      return { rejectedIn: 'instantiation', reason: error.message };
    }
    throw error;
  }
  const names = new Set(checked.names.values());
  return { resultType: checked.resultType, refersTo: (name) => names.has(name), run: compile(expr, checked) };
};

/**
 * Compiles an expression against its declared names.
 *
 * @param wanted - the required result type; `dyn` does not satisfy it. Any if missing
 * @throws {UnsupportedExpression} for an expression that an API server may accept but this package cannot run
 */
export const compileExpression = (
  source: string,
  variables: Readonly<Record<string, Type>>,
  wanted?: Type['kind'],
  leniency?: Leniency,
): Program | Rejected => {
  let expr: Expr;
  try {
    expr = parse(source);
  } catch (error) {
    if (error instanceof CelSyntaxError) {
      return notUnderstood(source, error.issues);
    }
    throw error;
  }
  const known = leniency === undefined ? functions : functionsWith(leniency.library);
  const checked = check(expr, { functions: known, variables: new Map([...typeNames, ...Object.entries(variables)]) });
  return checkedProgram(source, expr, checked, wanted, leniency?.mixedLiterals ?? false);
};
