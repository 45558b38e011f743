import { type JsonValue, equal } from '@hawser/json';
import type { Correlation } from './correlation.js';
import { EnumCheck } from './enum-check.js';
import type { Findings } from './findings.js';
import { type FormatCheck, formatCheckFor, knownFormat } from './format-check.js';
import { singleItems } from './forbidden-keywords.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { goQuote } from './go-text.js';
import { NumberCheck } from './number-check.js';
import { type MutableObject, getOwn } from './own.js';
import { StringCheck } from './string-check.js';
import { TypeCheck } from './type-check.js';
import { kindOf } from './value-kind.js';
import type { Walk } from './walk.js';

/**
 * Validates values with kube-openapi's results for one (sub)schema: the same findings, and the same number of passed
 * checks, which selects the findings to show among alternatives. Compiles nested schemas on first use.
 */
export class ValueValidator {
  readonly #schema: JsonSchemaProps;
  readonly #type: TypeCheck;
  readonly #strings: StringCheck;
  readonly #format: FormatCheck | undefined;
  readonly #numbers: NumberCheck;
  readonly #enum: EnumCheck;
  /** For fields seen in values. */
  readonly #properties = new Map<string, ValueValidator>();
  #additional: ValueValidator | undefined;
  #items: ValueValidator | undefined;
  readonly #anyOf: readonly ValueValidator[];
  readonly #oneOf: readonly ValueValidator[];
  readonly #allOf: readonly ValueValidator[];
  readonly #not: ValueValidator | undefined;

  constructor(schema: JsonSchemaProps) {
    const format = knownFormat(schema);
    this.#schema = schema;
    this.#type = new TypeCheck(schema, format);
    this.#strings = new StringCheck(schema);
    this.#format = formatCheckFor(format);
    this.#numbers = new NumberCheck(schema);
    this.#enum = new EnumCheck(schema.enum ?? []);
    this.#anyOf = (schema.anyOf ?? []).map((branch) => new ValueValidator(branch));
    this.#oneOf = (schema.oneOf ?? []).map((branch) => new ValueValidator(branch));
    this.#allOf = (schema.allOf ?? []).map((branch) => new ValueValidator(branch));
    this.#not = schema.not === undefined ? undefined : new ValueValidator(schema.not);
  }

  /** With a `correlation`, forgives errors of unchanged values. */
  validate(value: JsonValue, walk: Walk, correlation?: Correlation): void {
    if (correlation === undefined) {
      this.#check(value, walk, undefined);
      return;
    }
    const found = walk.apart(() => {
      this.#check(value, walk, correlation);
    });
    if (!found.valid && correlation.isUnchanged()) walk.findings.matches += found.matches;
    else walk.findings.merge(found);
  }

  #check(value: JsonValue, walk: Walk, correlation: Correlation | undefined): void {
    const kind = kindOf(value);
    if (kind === 'null') {
      this.#type.validate(value, kind, walk);
      this.#enum.validate(value, kind, walk);
      return;
    }
    if (this.#type.applies) {
      this.#type.validate(value, kind, walk);
      walk.findings.matches++;
    }
    this.#checkBranches(value, walk);
    switch (kind) {
      case 'string':
        this.#checkString(value as string, walk);
        break;
      case 'int':
      case 'float':
        this.#numbers.validate(value as number | bigint, walk);
        walk.findings.matches++;
        break;
      case 'array':
        this.#checkArray(value as readonly JsonValue[], walk, correlation);
        break;
      case 'boolean':
      case 'object':
        break;
    }
    this.#enum.validate(value, kind, walk);
    if (kind === 'object') this.#checkObject(value as MutableObject, walk, correlation);
    // One each for the branches (plus their own counts), for `enum`, and for the whole.
    walk.findings.matches += 4 + (kind === 'object' ? 1 : 0);
  }

  #checkString(value: string, walk: Walk): void {
    this.#strings.validate(value, walk);
    walk.findings.matches++;
    if (this.#format === undefined) return;
    walk.findings.matches++;
    if (this.#format.accepts(value)) return;
    const name = walk.path;
    walk.add({
      kind: 'type',
      name,
      value,
      message: `${name} in body must be of type ${this.#format.name}: ${goQuote(value)}`,
    });
  }

  #checkArray(value: readonly JsonValue[], walk: Walk, correlation: Correlation | undefined): void {
    const items = singleItems(this.#schema);
    if (items !== undefined) {
      const validator = (this.#items ??= new ValueValidator(items));
      for (let index = 0; index < value.length; index++) {
        walk.enter(index);
        validator.validate(value[index] ?? null, walk, correlation?.item(index));
        walk.leave();
      }
    }
    const { minItems, maxItems, uniqueItems } = this.#schema;
    if (minItems !== undefined && value.length < minItems) {
      const name = walk.path;
      walk.add({
        kind: 'invalid',
        name,
        value: value.length,
        message: `${name} in body should have at least ${minItems} items`,
      });
    }
    if (maxItems !== undefined && value.length > maxItems) {
      const name = walk.path;
      walk.add({
        kind: 'tooMany',
        name,
        actual: value.length,
        max: maxItems,
        message: `${name} in body should have at most ${maxItems} items`,
      });
    }
    if (
      uniqueItems === true &&
      value.some((item, index) => value.slice(0, index).some((other) => equal(item, other)))
    ) {
      const name = walk.path;
      walk.add({ kind: 'invalid', name, value: '', message: `${name} in body shouldn't contain duplicates` });
    }
    walk.findings.matches += 2;
  }

  #checkObject(value: MutableObject, walk: Walk, correlation: Correlation | undefined): void {
    this.#checkCount(value, walk);
    const additional = this.#schema.additionalProperties;
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (field === undefined) continue;
      const property = this.#property(key);
      if (property !== undefined) {
        walk.enter(key);
        // An object's kind is converted before the comparison, and so always looks unchanged.
        const isType = walk.depth === 1 && (key === 'apiVersion' || key === 'kind');
        property.validate(field, walk, isType ? undefined : correlation?.field(key));
        walk.leave();
      } else if (additional === false) {
        const name = walk.path;
        walk.add({ kind: 'invalid', name, value: key, message: `${name}.${key} in body is a forbidden property` });
      } else if (typeof additional === 'object') {
        walk.enterAdditional(key);
        (this.#additional ??= new ValueValidator(additional)).validate(field, walk, correlation?.field(key));
        walk.leave();
      }
    }
    for (const key of this.#schema.required ?? []) {
      if (getOwn(value, key) !== undefined) continue;
      const name = `${walk.path}.${key}`;
      walk.add({ kind: 'required', name, message: `${name} in body is required` });
    }
  }

  #property(key: string): ValueValidator | undefined {
    const known = this.#properties.get(key);
    const { properties } = this.#schema;
    if (known !== undefined || properties === undefined || !Object.hasOwn(properties, key)) return known;
    const schema = properties[key];
    if (schema === undefined) return undefined;
    const validator = new ValueValidator(schema);
    this.#properties.set(key, validator);
    return validator;
  }

  #checkCount(value: MutableObject, walk: Walk): void {
    const { minProperties, maxProperties } = this.#schema;
    if (minProperties === undefined && maxProperties === undefined) return;
    const count = Object.values(value).filter((field) => field !== undefined).length;
    if (minProperties !== undefined && count < minProperties) {
      const name = walk.path;
      walk.add({
        kind: 'invalid',
        name,
        value: count,
        message: `${name} in body should have at least ${minProperties} properties`,
      });
    }
    if (maxProperties !== undefined && count > maxProperties) {
      const name = walk.path;
      walk.add({
        kind: 'tooMany',
        name,
        actual: count,
        max: maxProperties,
        message: `${name} in body should have at most ${maxProperties} properties`,
      });
    }
  }

  #checkBranches(value: JsonValue, walk: Walk): void {
    if (this.#anyOf.length > 0) this.#checkAnyOf(value, walk);
    if (this.#oneOf.length > 0) this.#checkOneOf(value, walk);
    if (this.#allOf.length > 0) this.#checkAllOf(value, walk);
    const not = this.#not;
    if (
      not !== undefined &&
      walk.apart(() => {
        not.validate(value, walk);
      }).valid
    ) {
      walk.add({ kind: 'composite', message: `${goQuote(walk.path)} must not validate the schema (not)` });
    }
  }

  #checkAnyOf(value: JsonValue, walk: Walk): void {
    let best: Findings | undefined;
    for (const branch of this.#anyOf) {
      const found = walk.apart(() => {
        branch.validate(value, walk);
      });
      if (found.valid) {
        walk.findings.merge(found);
        return;
      }
      if (best === undefined || found.matches > best.matches) best = found;
    }
    walk.add({ kind: 'composite', message: `${goQuote(walk.path)} must validate at least one schema (anyOf)` });
    if (best !== undefined) walk.findings.merge(best);
  }

  #checkOneOf(value: JsonValue, walk: Walk): void {
    let best: Findings | undefined;
    let first: Findings | undefined;
    let valid = 0;
    for (const branch of this.#oneOf) {
      const found = walk.apart(() => {
        branch.validate(value, walk);
      });
      if (found.valid) {
        valid++;
        first ??= found;
      } else if (best === undefined || found.matches > best.matches) best = found;
    }
    if (valid === 1) {
      if (first !== undefined) walk.findings.merge(first);
      return;
    }
    const how = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    walk.add({
      kind: 'composite',
      message: `${goQuote(walk.path)} must validate one and only one schema (oneOf). ${how}`,
    });
    if (valid === 0 && best !== undefined) walk.findings.merge(best);
  }

  #checkAllOf(value: JsonValue, walk: Walk): void {
    let valid = 0;
    for (const branch of this.#allOf) {
      const found = walk.apart(() => {
        branch.validate(value, walk);
      });
      if (found.valid) valid++;
      walk.findings.merge(found);
    }
    if (valid === this.#allOf.length) return;
    const how = valid === 0 ? '. None validated' : '';
    walk.add({ kind: 'composite', message: `${goQuote(walk.path)} must validate all the schemas (allOf)${how}` });
  }
}
