import { type RuleSet, UnsupportedExpression, compileRules, rulesNotChecked, withinSteps } from '@hawser/cel';
import { isFields, isTooDeep, type JsonObject, type JsonValue, MAX_DEPTH } from '@hawser/json';
import {
  type CompiledSchema,
  type FieldError,
  type JsonSchemaProps,
  PatternWorkExceeded,
  compileSchema,
  withPatternWork,
} from '@hawser/schema';
import { type DefinitionSpec, definitionOf } from '@hawser/schemadiff';

/** Result of validating an object against a schema as if it were created. */
export interface ObjectVerdict {
  /** Reasons for a refusal: paths and reasons, no values. Empty: valid. */
  readonly errors: readonly string[];
  /** Paths of the fields that would be dropped. */
  readonly lost: readonly string[];
  /** The part of the schema that cannot be evaluated here. */
  readonly unsupported: string | undefined;
  /** Why this object was not judged: too large, or too deep, to stay within limits. Other objects may be judged. */
  readonly unjudged: string | undefined;
}

/** One version of a CRD, compiled to judge any number of objects. */
export interface Candidate {
  /**
   * Judges an object and changes it: drops fields, adds defaults. Never throws, and takes some tenths of a second at
   * most.
   */
  judge(object: JsonObject): ObjectVerdict;
}

/**
 * Compiles the version of a CRD that reads objects of `version`: itself, or the stored one if the CRD has dropped it.
 * Undefined if there is neither. Ignores transition rules: a created object has no older state.
 */
export function compileCandidate(spec: DefinitionSpec, version: string): Candidate | undefined {
  const { versions } = definitionOf(spec);
  const found = versions.find(({ name }) => name === version) ?? versions.find(({ storage }) => storage);
  if (found === undefined) return undefined;
  const props = withoutMessageExpressions(found.schema) as JsonSchemaProps;
  try {
    return new CompiledCandidate(compileSchema(props), compileRules(props));
  } catch (error) {
    // The schema in a contract object is unchecked: an API server may not accept it.
    const why = `the schema cannot be read (${error instanceof Error ? error.name : typeof error})`;
    return { judge: () => unjudged(why) };
  }
}

/**
 * The API server's limit for one call of a rule (`PerCallLimit`), here for all rules of an object: a tenth of a second
 * at most.
 */
const RULE_STEPS = 1_000_000;
/**
 * Limit for all texts of an object together: some tenths of a second at most. A megabyte with a pattern of 16
 * characters fits.
 */
const PATTERN_WORK = 16_000_000;

class CompiledCandidate implements Candidate {
  readonly #schema: CompiledSchema;
  readonly #rules: RuleSet;
  #unsupported: string | undefined;

  constructor(schema: CompiledSchema, rules: RuleSet) {
    this.#schema = schema;
    this.#rules = rules;
  }

  judge(object: JsonObject): ObjectVerdict {
    try {
      return withPatternWork(PATTERN_WORK, () => this.#judge(object));
    } catch (error) {
      if (error instanceof PatternWorkExceeded) return unjudged(error.message);
      if (isTooDeep(error)) return unjudged(`nested deeper than ${MAX_DEPTH} levels`);
      return unjudged(`it cannot be judged (${error instanceof Error ? error.name : typeof error})`);
    }
  }

  #judge(object: JsonObject): ObjectVerdict {
    const { unknownFields: lost, error } = this.#schema.admit(object);
    if (error !== undefined)
      return { errors: [textOf(error)], lost, unsupported: this.#unsupported, unjudged: undefined };
    const errors = this.#schema.validate(object);
    if (this.#rules.isEmpty || rulesNotChecked(errors) !== undefined)
      return { errors: errors.map(textOf), lost, unsupported: this.#unsupported, unjudged: undefined };
    const { result: broken, exhausted } = withinSteps(RULE_STEPS, () => this.#evaluate(object));
    // Rules that ran out of steps say nothing about the object.
    if (exhausted)
      return {
        errors: errors.map(textOf),
        lost,
        unsupported: this.#unsupported,
        unjudged: 'it is too large for the rules of the schema, which are given up after a million steps',
      };
    return { errors: [...errors, ...broken].map(textOf), lost, unsupported: this.#unsupported, unjudged: undefined };
  }

  #evaluate(object: JsonValue): readonly FieldError[] {
    if (this.#unsupported !== undefined) return [];
    try {
      return this.#rules.evaluate(object);
    } catch (error) {
      if (!(error instanceof UnsupportedExpression)) throw error;
      this.#unsupported = error.message;
      return [];
    }
  }
}

function unjudged(why: string): ObjectVerdict {
  return { errors: [], lost: [], unsupported: undefined, unjudged: why };
}

/** Omits the value: it is the consumer's, and may be a secret. */
function textOf(error: FieldError): string {
  const words: Partial<Record<FieldError['type'], string>> = {
    FieldValueRequired: 'is required',
    FieldValueDuplicate: 'is there twice',
    FieldValueNotSupported: 'has a value that is not among those allowed',
  };
  const text = words[error.type] ?? (error.detail === '' ? 'is not valid' : error.detail);
  return error.path === '' ? text : `${error.path}: ${text}`;
}

/** Removes message expressions: the message of a rule may quote the object, the text of the rule does not. */
function withoutMessageExpressions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMessageExpressions);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'x-kubernetes-validations' && Array.isArray(inner)
        ? inner.map(withoutMessage)
        : withoutMessageExpressions(inner),
    ]),
  );
}

function withoutMessage(rule: unknown): unknown {
  return isFields(rule)
    ? Object.fromEntries(Object.entries(rule).filter(([key]) => key !== 'messageExpression'))
    : rule;
}
