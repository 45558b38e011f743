import type { FieldError } from '../field-error.js';
import { forbidden, invalid, notSupported, required } from '../field-errors.js';
import { childPath, indexPath, keyPath } from '../field-path.js';
import { resolveFieldReference } from '../field-reference.js';
import { additionalSchema, itemsList, singleItems, structuralObstacle, withForbidden } from '../forbidden-keywords.js';
import type { JsonSchemaProps, ValidationRule } from '../json-schema-props.js';
import { itemsText } from './go-struct-text.js';
import { isSetOfNonAtomic, listKeyErrors } from './list-map-keys.js';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** A CEL rule and the context to check it. */
export interface RuleContext {
  readonly rule: ValidationRule;
  readonly index: number;
  /** Path of the rule's schema: `spec.validation.openAPIV3Schema.properties[spec]`. */
  readonly path: string;
  readonly schema: JsonSchemaProps;
  /** Whether it is a whole object's schema, which also has `apiVersion`, `kind` and `metadata`. */
  readonly isResource: boolean;
  /** How many values in one object the rule can apply to; `undefined` without a bound. */
  readonly maxCardinality: bigint | undefined;
  /** A list whose old and new items cannot be matched: `oldSelf` is forbidden below it. */
  readonly uncorrelatable: string | undefined;
}

export interface SchemaRuleOptions {
  readonly requireValidType: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireListKeys: boolean;
  /** Called only for rules whose schema, here and below, has no problems. */
  readonly checkRule: ((context: RuleContext) => readonly FieldError[]) | undefined;
}

interface SchemaContext {
  readonly path: string;
  readonly isRoot: boolean;
  readonly insideMetadata: boolean;
  /** Why defaults are forbidden; `undefined` if they are allowed. */
  readonly noDefaults: string | undefined;
  readonly uncorrelatable: string | undefined;
  /** `none`: in `allOf` and the like, which have no rules. */
  readonly cardinality: bigint | 'unbounded' | 'none';
}

interface Judged {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * The API server's errors about a schema, apart from structure. With `evaluateRules` false, checks CEL rules only for
 * form.
 */
export function schemaRuleErrors(
  schema: JsonSchemaProps,
  path: string,
  evaluateRules: boolean,
  options: SchemaRuleOptions,
): FieldError[] {
  const judged = judge(
    schema,
    {
      path,
      isRoot: true,
      insideMetadata: false,
      noDefaults: undefined,
      uncorrelatable: undefined,
      cardinality: evaluateRules ? 1n : 'none',
    },
    options,
  );
  return [...judged.schema, ...judged.rules];
}

function judge(schema: JsonSchemaProps, context: SchemaContext, options: SchemaRuleOptions): Judged {
  const judged: Judged = { schema: keywordErrors(schema, context, options), rules: [] };
  for (const [below, at] of childrenOf(schema, context)) {
    const inner = judge(below, at, options);
    judged.schema.push(...inner.schema);
    judged.rules.push(...inner.rules);
  }
  judged.schema.push(...extensionErrors(schema, context.path, options));
  const rules = schema['x-kubernetes-validations'] ?? [];
  for (const [index, rule] of rules.entries())
    judged.schema.push(
      ...ruleTextErrors(rule, schema, indexPath(childPath(context.path, 'x-kubernetes-validations'), index)),
    );
  if (judged.schema.length === 0 && context.cardinality !== 'none' && options.checkRule !== undefined) {
    for (const [index, rule] of rules.entries()) {
      judged.rules.push(
        ...options.checkRule({
          rule,
          index,
          schema,
          path: context.path,
          isResource: context.isRoot || schema['x-kubernetes-embedded-resource'] === true,
          maxCardinality: context.cardinality === 'unbounded' ? undefined : context.cardinality,
          uncorrelatable: context.uncorrelatable,
        }),
      );
    }
  }
  return judged;
}

function childrenOf(schema: JsonSchemaProps, context: SchemaContext): (readonly [JsonSchemaProps, SchemaContext])[] {
  const children: (readonly [JsonSchemaProps, SchemaContext])[] = [];
  const inside: SchemaContext = {
    ...context,
    isRoot: false,
    cardinality: cardinalityBelow(schema, context.cardinality),
  };
  const add = (below: JsonSchemaProps | undefined, path: string, at: Partial<SchemaContext> = {}): void => {
    if (below !== undefined) children.push([below, { ...inside, ...at, path }]);
  };
  const within = (keyword: string): string => childPath(context.path, keyword);
  add(
    additionalSchema(schema),
    within('additionalProperties'),
    context.insideMetadata ? { noDefaults: 'inside additionalProperties applying to object metadata' } : {},
  );
  const mapType = schema['x-kubernetes-map-type'] as string | undefined;
  const fields =
    mapType === undefined || mapType === 'granular' || mapType === 'atomic'
      ? {}
      : { uncorrelatable: context.uncorrelatable ?? context.path };
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = (context.isRoot || schema['x-kubernetes-embedded-resource'] === true) && META_FIELDS.has(key);
    add(property, keyPath(within('properties'), key), {
      ...fields,
      ...(isMeta ? { insideMetadata: true } : {}),
      ...(isMeta && context.isRoot ? { noDefaults: `in top-level ${key}` } : {}),
    });
  }
  const branch = { cardinality: 'none' } as const;
  add(schema.not, within('not'), branch);
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, below] of (schema[keyword] ?? []).entries())
      add(below, indexPath(within(keyword), index), branch);
  }
  const { definitions, dependencies } = withForbidden(schema);
  for (const [key, below] of Object.entries(definitions ?? {})) add(below, keyPath(within('definitions'), key), branch);
  const items =
    schema['x-kubernetes-list-type'] === 'map' ? {} : { uncorrelatable: context.uncorrelatable ?? context.path };
  add(singleItems(schema), within('items'), items);
  for (const [index, below] of itemsList(schema).entries()) add(below, indexPath(within('items'), index), items);
  for (const [key, below] of Object.entries(dependencies ?? {}))
    if (!Array.isArray(below)) add(below as JsonSchemaProps, keyPath(within('dependencies'), key), branch);
  return children;
}

const MAX_UINT64 = 2n ** 64n - 1n;

function cardinalityBelow(
  schema: JsonSchemaProps,
  cardinality: SchemaContext['cardinality'],
): SchemaContext['cardinality'] {
  if (typeof cardinality !== 'bigint') return cardinality;
  let most: number | undefined = 1;
  if (schema.type === 'object' && schema.additionalProperties !== undefined) most = schema.maxProperties;
  if (schema.type === 'array') most = schema.maxItems;
  if (most === undefined) return 'unbounded';
  const product = cardinality * BigInt(Math.max(0, most));
  return product > MAX_UINT64 ? MAX_UINT64 : product;
}

function keywordErrors(schema: JsonSchemaProps, context: SchemaContext, options: SchemaRuleOptions): FieldError[] {
  const { path } = context;
  const raw = withForbidden(schema);
  const errors: FieldError[] = [];
  const forbid = (keyword: string, detail = `${keyword} is not supported`): void => {
    errors.push(forbidden(childPath(path, keyword), detail));
  };
  const type = schema.type ?? '';
  if (options.requireValidType && type !== '' && !TYPES.includes(type))
    errors.push(notSupported(childPath(path, 'type'), type, TYPES));
  if ((schema.default ?? undefined) !== undefined && context.noDefaults !== undefined)
    forbid('default', `must not be set ${context.noDefaults}`);
  if ((raw.id ?? '') !== '') forbid('id');
  if (raw.additionalItems !== undefined) forbid('additionalItems');
  if (Object.keys(raw.patternProperties ?? {}).length > 0) forbid('patternProperties');
  if (Object.keys(raw.definitions ?? {}).length > 0) forbid('definitions');
  if (raw.dependencies !== undefined) forbid('dependencies');
  if (raw.$ref !== undefined) forbid('$ref');
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (itemsList(schema).length > 0) forbid('items', 'items must be a schema object and not an array');
  if (context.insideMetadata && schema['x-kubernetes-embedded-resource'] === true)
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  if (schema.uniqueItems === true)
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  if (
    schema.additionalProperties !== undefined &&
    schema.additionalProperties !== true &&
    Object.keys(schema.properties ?? {}).length > 0
  ) {
    forbid('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  }
  return errors;
}

function extensionErrors(schema: JsonSchemaProps, path: string, options: SchemaRuleOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(childPath(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  errors.push(...topologyErrors(schema, 'x-kubernetes-map-type', 'object', ['atomic', 'granular'], path));
  const nonAtomic = options.requireAtomicSets && schema.type === 'array' ? isSetOfNonAtomic(schema) : undefined;
  const wrongType = topologyErrors(schema, 'x-kubernetes-list-type', 'array', ['atomic', 'set', 'map'], path);
  if (nonAtomic !== undefined) {
    const items = singleItems(schema);
    errors.push(
      invalid(
        childPath(childPath(path, 'items'), `x-kubernetes-${nonAtomic}-type`),
        items?.['x-kubernetes-list-type'] ?? null,
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  }
  errors.push(...wrongType, ...mapErrors(schema, path));
  if (options.requireListKeys) errors.push(...listKeyErrors(schema, path));
  return errors;
}

function topologyErrors(
  schema: JsonSchemaProps,
  keyword: 'x-kubernetes-map-type' | 'x-kubernetes-list-type',
  type: string,
  known: readonly string[],
  path: string,
): FieldError[] {
  const value: string | undefined = schema[keyword];
  if (value === undefined) return [];
  const errors: FieldError[] = [];
  const actual = schema.type ?? '';
  const detail = `must be ${type} if ${keyword} is specified`;
  if (actual !== type)
    errors.push(
      actual === '' ? required(childPath(path, 'type'), detail) : invalid(childPath(path, 'type'), actual, detail),
    );
  if (!known.includes(value)) errors.push(notSupported(childPath(path, keyword), value, known));
  return errors;
}

function mapErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysPath = childPath(path, 'x-kubernetes-list-map-keys');
  if (keys.length > 0 && listType !== 'map') {
    const at = childPath(path, 'x-kubernetes-list-type');
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType !== 'map') return errors;
  if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  const items = singleItems(schema);
  const itemsPath = childPath(path, 'items');
  if (schema.items === undefined)
    errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  else if (items === undefined)
    errors.push({
      ...invalid(itemsPath, '', 'must only have a single schema if x-kubernetes-list-type is map'),
      shown: itemsText(schema),
    });
  else if (items.type !== 'object')
    errors.push(
      invalid(
        childPath(itemsPath, 'type'),
        items.type ?? '',
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  else errors.push(...keyErrors(keys, items, itemsPath, keysPath));
  return errors;
}

function keyErrors(keys: readonly string[], items: JsonSchemaProps, itemsPath: string, keysPath: string): FieldError[] {
  return keys.flatMap((key, index) => {
    const errors: FieldError[] = [];
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      errors.push(
        invalid(
          childPath(keyPath(childPath(itemsPath, 'properties'), key), 'type'),
          items.type ?? '',
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    }
    if (keys.indexOf(key) < index) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
    return errors;
  });
}

function ruleTextErrors(rule: ValidationRule, schema: JsonSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const message = rule.message ?? '';
  const trimmedMessage = message.trim();
  const messageExpression = rule.messageExpression ?? '';
  const fieldPath = rule.fieldPath ?? '';
  if (rule.rule.trim() === '') errors.push(required(childPath(path, 'rule'), 'rule is not specified'));
  else if (message !== '' && trimmedMessage === '')
    errors.push(invalid(childPath(path, 'message'), message, 'must be non-empty if specified'));
  else if (hasNewlines(trimmedMessage))
    errors.push(invalid(childPath(path, 'message'), message, 'must not contain line breaks'));
  else if (hasNewlines(rule.rule.trim()) && trimmedMessage === '')
    errors.push(required(childPath(path, 'message'), 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(childPath(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  if (rule.reason !== undefined && !REASONS.includes(rule.reason))
    errors.push(notSupported(childPath(path, 'reason'), rule.reason, REASONS));
  if (fieldPath === '') return errors;
  const at = childPath(path, 'fieldPath');
  if (fieldPath.trim() === '') errors.push(invalid(at, fieldPath, 'must be non-empty if specified'));
  if (hasNewlines(fieldPath)) errors.push(invalid(at, fieldPath, 'must not contain line breaks'));
  if (structuralObstacle(schema) === undefined && !resolveFieldReference(fieldPath, schema, true).ok)
    errors.push(invalid(at, fieldPath, 'must be a valid path'));
  return errors;
}

const hasNewlines = (text: string): boolean => /[\n\r]/.test(text);
