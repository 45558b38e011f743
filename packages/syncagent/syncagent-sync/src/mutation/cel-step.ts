import { ExpressionError, compileJsonExpression, type JsonExpression } from '@hawser/cel';
import { get } from '@hawser/gjson';
import type { JsonValue } from '@hawser/json';
import { setAt } from './at-path.js';
import type { Findings } from '../compilation.js';
import { MutationError } from './mutation-error.js';
import type { Step } from './step.js';

interface CelMutation {
  readonly path: string;
  readonly expression: string;
}

type Variable = 'self' | 'other' | 'value';

/** Sets a path to the value of an expression (spec/api-syncagent.md §13.6). */
export function celStep({ path, expression }: CelMutation, field: string, findings: Findings): Step | undefined {
  if (path === '') {
    findings.error(`${field}.path`, 'is empty');
    return undefined;
  }
  let compiled: JsonExpression<Variable>;
  try {
    compiled = compileJsonExpression<Variable>(expression, { self: 'int', other: 'int', value: 'double' });
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    findings.error(`${field}.expression`, error.message);
    return undefined;
  }
  return ({ self, other }) => {
    let result: JsonValue;
    try {
      result = compiled.evaluate({ self, other: other ?? null, value: get(self, path).value ?? null });
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new MutationError(field, `the expression fails: ${withoutValues(error.message, expression)}`);
    }
    return setAt(field, self, path, result);
  };
}

/** An evaluation's error without quotes from the object: keeps only details that are in the expression itself. */
function withoutValues(message: string, expression: string): string {
  const [what = '', ...details] = message.split(': ');
  const detail = details.join(': ');
  const plain = what.replace(/"[^"]*"/gu, '"…"');
  return detail === '' ||
    !(
      expression.includes(detail) ||
      (/^[a-z_!@?<>=+*/%&|-]+(?:\([a-z_., ]*\))?$/iu.test(detail) && what === 'no such overload')
    )
    ? plain
    : `${plain}: ${detail}`;
}
