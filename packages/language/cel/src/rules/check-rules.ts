import type { FieldError, JsonSchemaProps, RuleContext, ValidationRule } from '@hawser/schema';
import type { Type } from '../check/type.js';
import { trimSpace } from '../library/strings.js';
import { declarationOf } from '../schema/declaration.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import { resolveFieldPath } from './field-path.js';

/** A rule that an API server may accept, but this package cannot run. */
export interface UnsupportedRule {
  /** Path of the rule in the CRD. */
  readonly path: string;
  /** The unsupported feature, for messages. */
  readonly feature: string;
}

/** Problems of a schema's rules, before any object is written. */
export interface RuleCheck {
  /** Why an API server refuses the CRD. */
  readonly errors: readonly FieldError[];
  /** Why this package cannot serve the CRD. */
  readonly unsupported: readonly UnsupportedRule[];
}

interface Visit {
  readonly path: string;
  readonly schema: JsonSchemaProps;
  readonly isResource: boolean;
  /** Path of the nearest enclosing list whose items cannot be matched across two versions of an object. */
  readonly uncorrelatable: string | undefined;
}

const reasons: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

const invalid = (path: string, value: FieldError['value'], detail: string): FieldError =>
  value === undefined
    ? { type: 'FieldValueInvalid', path, detail }
    : { type: 'FieldValueInvalid', path, value, detail };
const required = (path: string, detail: string): FieldError => ({ type: 'FieldValueRequired', path, detail });

const textErrors = (rule: ValidationRule, path: string): FieldError[] => {
  const [text, message] = [trimSpace(rule.rule), trimSpace(rule.message ?? '')];
  if (text === '') {
    return [required(`${path}.rule`, 'rule is not specified')];
  }
  if ((rule.message ?? '') !== '' && message === '') {
    return [invalid(`${path}.message`, rule.message, 'must be non-empty if specified')];
  }
  if (message.includes('\n')) {
    return [invalid(`${path}.message`, rule.message, 'must not contain line breaks')];
  }
  return text.includes('\n') && message === ''
    ? [required(`${path}.message`, 'message must be specified if rule contains line breaks')]
    : [];
};

const fieldPathErrors = (fieldPath: string, path: string, schema: JsonSchemaProps): FieldError[] => {
  if (fieldPath === '') {
    return [];
  }
  const at = `${path}.fieldPath`;
  return [
    ...(trimSpace(fieldPath) === '' ? [invalid(at, fieldPath, 'must be non-empty if specified')] : []),
    ...(fieldPath.includes('\n') ? [invalid(at, fieldPath, 'must not contain line breaks')] : []),
    ...(resolveFieldPath(fieldPath, schema) === undefined ? [invalid(at, fieldPath, 'must be a valid path')] : []),
  ];
};

/** Errors found without compiling. */
const formErrors = (rule: ValidationRule, path: string, schema: JsonSchemaProps): FieldError[] => {
  const { messageExpression = '', reason } = rule;
  const errors = textErrors(rule, path);
  if (messageExpression !== '' && trimSpace(messageExpression) === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    const supported = reasons.map((name) => `"${name}"`).join(', ');
    errors.push({
      type: 'FieldValueNotSupported',
      path: `${path}.reason`,
      value: reason,
      detail: `supported values: ${supported}`,
    });
  }
  return [...errors, ...fieldPathErrors(rule.fieldPath ?? '', path, schema)];
};

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Refuses the whole rule. Errors show it with the Go type's field names, in their order. */
const refused = (path: string, rule: ValidationRule, detail: string): FieldError => {
  const value = {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  const shown = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => htmlEscapes[character] ?? character);
  return { type: 'FieldValueInvalid', path, value, shown, detail };
};

const compiledErrors = (compiled: CompiledRule, path: string, uncorrelatable: string | undefined): FieldError[] => {
  const { rule, outcome } = compiled;
  const errors: FieldError[] = [];
  if (outcome.kind === 'rejected') {
    errors.push(refused(`${path}.rule`, rule, outcome.detail));
  }
  if (compiled.messageError !== undefined) {
    errors.push(refused(`${path}.messageExpression`, rule, compiled.messageError));
  }
  if (compiled.usesOldSelf && uncorrelatable !== undefined) {
    errors.push(
      invalid(
        `${path}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
      ),
    );
  }
  if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined && outcome.kind !== 'unsupported') {
    errors.push(
      invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  }
  return errors;
};

const checkCompiled = (compiled: CompiledRule, path: string, uncorrelatable: string | undefined): RuleCheck => ({
  errors: compiledErrors(compiled, path, uncorrelatable),
  unsupported:
    compiled.outcome.kind === 'unsupported' ? [{ path: `${path}.rule`, feature: compiled.outcome.feature }] : [],
});

class RuleChecker {
  readonly formErrors: FieldError[] = [];
  readonly compileErrors: FieldError[] = [];
  readonly unsupported: UnsupportedRule[] = [];

  /** Children first: a malformed schema is not compiled, and neither is its parent. */
  visit(visit: Visit): void {
    const before = this.formErrors.length;
    for (const child of childrenOf(visit)) {
      this.visit(child);
    }
    const rules = visit.schema['x-kubernetes-validations'] ?? [];
    const rulePath = (index: number): string => `${visit.path}.x-kubernetes-validations[${index}]`;
    rules.forEach((rule, index) => this.formErrors.push(...formErrors(rule, rulePath(index), visit.schema)));
    const declaration = rules.length === 0 ? undefined : declarationOf(visit.schema, visit.isResource, 'selfType');
    if (declaration !== undefined && this.formErrors.length === before) {
      rules.forEach((rule, index) => {
        this.#compile(rule, rulePath(index), visit, declaration);
      });
    }
  }

  #compile(rule: ValidationRule, path: string, visit: Visit, declaration: Type): void {
    const { errors, unsupported } = checkCompiled(
      compileRule(rule, visit.schema, declaration),
      path,
      visit.uncorrelatable,
    );
    this.compileErrors.push(...errors);
    this.unsupported.push(...unsupported);
  }
}

const childrenOf = ({ schema, path, uncorrelatable }: Visit): Visit[] => {
  const visit = (child: JsonSchemaProps, segment: string, barrier = uncorrelatable): Visit => ({
    schema: child,
    path: `${path}.${segment}`,
    isResource: child['x-kubernetes-embedded-resource'] === true,
    uncorrelatable: barrier,
  });
  const children = Object.entries(schema.properties ?? {}).map(([name, child]) => visit(child, `properties[${name}]`));
  if (typeof schema.additionalProperties === 'object') {
    children.unshift(visit(schema.additionalProperties, 'additionalProperties'));
  }
  if (schema.items !== undefined) {
    children.push(
      visit(
        schema.items,
        'items',
        schema['x-kubernetes-list-type'] === 'map' ? uncorrelatable : (uncorrelatable ?? path),
      ),
    );
  }
  return children;
};

/**
 * Compiles every rule of a schema, like an API server when a CRD is written. Does not estimate costs.
 *
 * @param path - of the schema in the CRD: `spec.validation.openAPIV3Schema` or
 * `spec.versions[0].schema.openAPIV3Schema`
 */
export const checkRules = (schema: JsonSchemaProps, path: string): RuleCheck => {
  const checker = new RuleChecker();
  checker.visit({ schema, path, isResource: true, uncorrelatable: undefined });
  return { errors: [...checker.formErrors, ...checker.compileErrors], unsupported: checker.unsupported };
};

/**
 * Compiles one rule; its form, and that of everything in its schema, must be valid. The CRD validation of
 * `@hawser/schema` calls it per rule (`checkRule`).
 */
export const checkRule = ({ rule, index, path, schema, isResource, uncorrelatable }: RuleContext): RuleCheck => {
  const declaration = declarationOf(schema, isResource, 'selfType');
  return declaration === undefined
    ? { errors: [], unsupported: [] }
    : checkCompiled(
        compileRule(rule, schema, declaration),
        `${path}.x-kubernetes-validations[${index}]`,
        uncorrelatable,
      );
};
