import type { JsonSchemaProps, ValidationRule } from '@hawser/schema';
import { optionalOf, type Type } from '../check/type.js';
import { compileExpression, type Program } from '../environment.js';
import { trimSpace } from '../library/strings.js';
import { UnsupportedExpression } from '../unsupported.js';
import { resolveFieldPath } from './field-path.js';

/** A compiled rule. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly outcome:
    | { readonly kind: 'program'; readonly program: Program }
    /** The rule is blank: nothing to evaluate. */
    | { readonly kind: 'empty' }
    | { readonly kind: 'rejected'; readonly detail: string }
    | { readonly kind: 'unsupported'; readonly feature: string };
  readonly usesOldSelf: boolean;
  readonly messageProgram: Program | undefined;
  readonly messageError: string | undefined;
  /** Relative to the rule's value; empty for the value itself. */
  readonly fieldPath: string;
}

type Outcome = CompiledRule['outcome'];

/** Prefixes of the reasons against an expression. */
const ruleDetails = {
  compilation: 'compilation failed: ',
  type: 'cel expression ',
  instantiation: 'program instantiation failed: ',
};
const messageDetails = {
  compilation: 'messageExpression compilation failed: ',
  type: 'messageExpression ',
  instantiation: 'messageExpression instantiation failed: ',
};

const compileRuleExpression = (rule: ValidationRule, variables: Readonly<Record<string, Type>>): Outcome => {
  if (trimSpace(rule.rule) === '') {
    return { kind: 'empty' };
  }
  try {
    const program = compileExpression(rule.rule, variables, 'bool');
    return 'rejectedIn' in program
      ? { kind: 'rejected', detail: ruleDetails[program.rejectedIn] + program.reason }
      : { kind: 'program', program };
  } catch (error) {
    if (error instanceof UnsupportedExpression) {
      return { kind: 'unsupported', feature: error.feature };
    }
    throw error;
  }
};

interface Message {
  readonly program?: Program;
  readonly error?: string;
  readonly unsupported?: string;
}

const compileMessage = (expression: string, variables: Readonly<Record<string, Type>>): Message => {
  try {
    const program = compileExpression(expression, variables, 'string');
    return 'rejectedIn' in program ? { error: messageDetails[program.rejectedIn] + program.reason } : { program };
  } catch (error) {
    if (error instanceof UnsupportedExpression) {
      return { unsupported: error.feature };
    }
    throw error;
  }
};

/** Compiles a rule for values of a schema. The result includes its problems. */
export const compileRule = (rule: ValidationRule, schema: JsonSchemaProps, self: Type): CompiledRule => {
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalOf(self) : self };
  const outcome = compileRuleExpression(rule, variables);
  const message: Message =
    outcome.kind !== 'program' || (rule.messageExpression ?? '') === ''
      ? {}
      : compileMessage(rule.messageExpression ?? '', variables);
  return {
    rule,
    outcome: message.unsupported === undefined ? outcome : { kind: 'unsupported', feature: message.unsupported },
    usesOldSelf: outcome.kind === 'program' && outcome.program.refersTo('oldSelf'),
    messageProgram: message.program,
    messageError: message.error,
    fieldPath: (rule.fieldPath ?? '') === '' ? '' : (resolveFieldPath(rule.fieldPath ?? '', schema) ?? ''),
  };
};
