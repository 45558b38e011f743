import type { JsonValue } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import type { Type } from '../check/type.js';
import { Activation } from '../activation.js';
import { trimSpace } from '../library/strings.js';
import { convert } from '../schema/convert.js';
import { withObjectMeta } from '../schema/object-meta.js';
import { UnsupportedExpression } from '../unsupported.js';
import { CelError } from '../values/error.js';
import { Optional, type Value } from '../values/value.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import { type Correlation, correlateIndex, correlateKey, isForgiven } from './correlation.js';
import { defaultMessage, evaluationFailure, ruleFailure } from './failure.js';
import { isJsonArray, isJsonObject } from './json.js';
import { MapList } from './map-list.js';

/** The longest message from an expression, in bytes. */
const maxMessageBytes = 5 * 1024;

/** A value under validation, and its former version. */
export interface Subject {
  readonly path: string;
  readonly value: JsonValue;
  readonly oldValue: JsonValue | undefined;
  readonly correlation: Correlation;
}

/** Child nodes with rules at or below them. */
export interface Children {
  readonly items: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
}

interface Activations {
  readonly plain: Activation;
  readonly optional: Activation;
}

/** The rules for values at one place of a schema. Compiled when the first value arrives. */
export class RuleNode {
  #compiled: readonly CompiledRule[] | undefined;
  readonly #valueSchema: JsonSchemaProps;

  constructor(
    readonly schema: JsonSchemaProps,
    isResource: boolean,
    private readonly declaration: Type | undefined,
    readonly children: Children,
  ) {
    this.#valueSchema = isResource ? withObjectMeta(schema) : schema;
  }

  /** This node's own rules, compiled. */
  compiled(): readonly CompiledRule[] {
    const { declaration } = this;
    this.#compiled ??=
      declaration === undefined
        ? []
        : (this.schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule, this.schema, declaration));
    return this.#compiled;
  }

  /** @throws {UnsupportedExpression} */
  evaluate(subject: Subject, errors: FieldError[]): void {
    const { value } = subject;
    if (value === null) {
      return;
    }
    this.#evaluateRules(subject, errors);
    if (isJsonArray(value)) {
      this.#evaluateItems(value, subject, errors);
    } else if (isJsonObject(value)) {
      this.#evaluateProperties(value, subject, errors);
    }
  }

  #evaluateItems(items: readonly JsonValue[], subject: Subject, errors: FieldError[]): void {
    const node = this.children.items;
    if (node === undefined) {
      return;
    }
    const oldItems = new MapList(this.schema, subject.oldValue);
    items.forEach((value, index) => {
      const correlation = correlateIndex(subject.correlation, index);
      node.evaluate({ path: `${subject.path}[${index}]`, value, oldValue: oldItems.get(value), correlation }, errors);
    });
  }

  #evaluateProperties(
    value: Readonly<Record<string, JsonValue | undefined>>,
    subject: Subject,
    errors: FieldError[],
  ): void {
    const { additional, properties } = this.children;
    const old = isJsonObject(subject.oldValue) ? subject.oldValue : {};
    for (const [key, child] of additional === undefined && properties.size === 0 ? [] : Object.entries(value)) {
      const node = additional ?? properties.get(key);
      if (node !== undefined && child !== undefined) {
        const path = additional === undefined ? childPath(subject.path, key) : `${subject.path}[${key}]`;
        const oldValue = Object.hasOwn(old, key) ? old[key] : undefined;
        node.evaluate({ path, value: child, oldValue, correlation: correlateKey(subject.correlation, key) }, errors);
      }
    }
  }

  #evaluateRules(subject: Subject, errors: FieldError[]): void {
    const rules = this.compiled();
    if (rules.length === 0) {
      return;
    }
    const oldValue = subject.oldValue ?? undefined;
    const usesOldSelf = rules.some((rule) => rule.usesOldSelf);
    let activations: Activations | undefined;
    for (const compiled of rules) {
      if (compiled.usesOldSelf && oldValue === undefined && compiled.rule.optionalOldSelf !== true) {
        continue;
      }
      try {
        activations ??= this.#activations(subject.value, usesOldSelf ? oldValue : undefined, usesOldSelf);
        const error = this.#evaluateRule(compiled, activations, subject);
        if (error !== undefined) {
          errors.push(error);
        }
      } catch (error) {
        if (!(error instanceof CelError)) {
          throw error;
        }
        errors.push(evaluationFailure(subject.path, this.#valueSchema, compiled.rule, error.message));
      }
    }
  }

  #activations(value: JsonValue, oldValue: JsonValue | undefined, usesOldSelf: boolean): Activations {
    const self = new Activation('self', convert(value, this.#valueSchema), undefined);
    const oldSelf = oldValue === undefined ? undefined : convert(oldValue, this.#valueSchema);
    const with_ = (old: Value | undefined): Activation =>
      old === undefined ? self : new Activation('oldSelf', old, self);
    return {
      plain: with_(oldSelf),
      optional: usesOldSelf ? with_(oldSelf === undefined ? Optional.none : Optional.of(oldSelf)) : self,
    };
  }

  #evaluateRule(compiled: CompiledRule, activations: Activations, subject: Subject): FieldError | undefined {
    const { rule, outcome } = compiled;
    switch (outcome.kind) {
      case 'empty':
        return undefined;
      case 'unsupported':
        throw new UnsupportedExpression(outcome.feature);
      case 'rejected':
        return {
          type: 'FieldValueInvalid',
          path: subject.path,
          value: this.schema.type ?? '',
          detail: `rule compile error: ${outcome.detail}`,
        };
      case 'program':
    }
    const activation = rule.optionalOldSelf === true ? activations.optional : activations.plain;
    if (outcome.program.run(activation) === true || (!compiled.usesOldSelf && isForgiven(subject.correlation))) {
      return undefined;
    }
    const path = compiled.fieldPath === '' ? subject.path : childPath(subject.path, compiled.fieldPath);
    return ruleFailure(path, this.#valueSchema, subject.value, rule, messageOf(compiled, activations.plain));
  }
}

const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The message of a failed rule. Ignores a message expression that fails, or gives an empty or overlong text. */
const messageOf = (compiled: CompiledRule, activation: Activation): string => {
  const fallback = defaultMessage(compiled.rule);
  if (compiled.messageProgram === undefined) {
    return fallback;
  }
  try {
    const value = compiled.messageProgram.run(activation);
    const message = typeof value === 'string' ? trimSpace(value) : '';
    return message === '' || message.includes('\n') || Buffer.byteLength(message) > maxMessageBytes
      ? fallback
      : message;
  } catch (error) {
    if (error instanceof CelError) {
      return fallback;
    }
    throw error;
  }
};
