import { equal, isObject, type JsonObject, type JsonValue } from '@hawser/json';
import type { CompiledSchema, FieldError } from '@hawser/schema';
import { invalid } from '../../object/invalid.js';
import { goText } from '../../object/go-text.js';
import { field, withField, withoutFields } from '../../object/json.js';
import { metaOf, withMeta } from '../../object/meta.js';
import { nameIsSubdomain, qualifiedName } from '../../object/names.js';
import { validateMeta, validateMetaUpdate } from '../../object/validate-meta.js';
import { quote } from '../../status.js';
import type { ScalePaths, Strategy } from '../resource-type.js';
import { type RuleValidator, noRules } from './rules.js';

export interface CustomResourceOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly schema: CompiledSchema | undefined;
  readonly rules: RuleValidator;
  readonly status: boolean;
  readonly scale: ScalePaths | undefined;
}

const MAX_INT_32 = 2 ** 31 - 1;

/** Rules for custom resources (apiextensions `registry/customresource`): generation, status, schema, then CEL rules. */
export function customStrategy(options: CustomResourceOptions): Strategy {
  const { schema, rules, namespaced } = options;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) =>
      withMeta(options.status ? withoutFields(object, 'status') : object, { generation: 1 }),
    prepareForUpdate(object, old) {
      const kept = options.status ? withField(object, 'status', field(old, 'status')) : object;
      return equal(withoutFields(kept, 'metadata'), withoutFields(old, 'metadata'))
        ? kept
        : withMeta(kept, { generation: (metaOf(old).generation ?? 0) + 1 });
    },
    validate(object) {
      const wrongType = typeMetaErrors(object, options);
      const errors =
        wrongType.length > 0
          ? wrongType
          : [
              ...validateMeta(metaOf(object), namespaced, nameIsSubdomain),
              ...(schema?.validate(object) ?? []),
              ...scaleErrors(object, options),
            ];
      return withRules(errors, rules, object, undefined);
    },
    validateUpdate(object, old) {
      const wrongType = typeMetaErrors(object, options);
      const errors =
        wrongType.length > 0
          ? wrongType
          : [
              ...validateMetaUpdate(metaOf(object), metaOf(old)),
              ...(schema?.validate(object, old) ?? []),
              ...scaleErrors(object, options),
            ];
      return withRules(errors, rules, object, old);
    },
    warnings: finalizerWarnings,
  };
}

/** Takes only the object's status; ignores other changes. */
export function customStatusStrategy(options: CustomResourceOptions): Strategy {
  const { schema, rules } = options;
  return {
    ...customStrategy(options),
    prepareForUpdate: (object, old) =>
      withMeta(withField(old, 'status', field(object, 'status')), { managedFields: metaOf(object).managedFields }),
    validateUpdate(object, old) {
      const wrongType = typeMetaErrors(object, options);
      const errors =
        wrongType.length > 0
          ? wrongType
          : [
              ...validateMetaUpdate(metaOf(object), metaOf(old)),
              ...(schema?.validateStatus(object, old) ?? []),
              ...scaleStatusErrors(object, options.scale),
            ];
      return withRules(errors, rules, object, old);
    },
    warnings: () => [],
  };
}

function typeMetaErrors(object: JsonObject, { apiVersion, kind }: CustomResourceOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (object['kind'] !== kind) errors.push(invalid('kind', object['kind'] ?? '', `must be ${kind}`));
  if (object['apiVersion'] !== apiVersion)
    errors.push(invalid('apiVersion', object['apiVersion'] ?? '', `must be ${apiVersion}`));
  return errors;
}

/** With these errors the object may break assumptions of the rules. */
const BLOCKING: readonly string[] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
];

function withRules(
  errors: readonly FieldError[],
  rules: RuleValidator,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldError[] {
  if (rules === noRules) return errors;
  if (!errors.some((error) => BLOCKING.includes(error.type))) return [...errors, ...rules.validate(object, old)];
  return [
    ...errors,
    invalid(
      '',
      null,
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
  ];
}

function scaleErrors(object: JsonObject, { scale }: CustomResourceOptions): readonly FieldError[] {
  return scale === undefined
    ? []
    : [...replicasErrors(object, scale.specReplicasPath), ...scaleStatusErrors(object, scale)];
}

function scaleStatusErrors(object: JsonObject, scale: ScalePaths | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  const { labelSelectorPath } = scale;
  return [
    ...replicasErrors(object, scale.statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : selectorErrors(object, labelSelectorPath)),
  ];
}

function selectorErrors(object: JsonObject, path: string): readonly FieldError[] {
  const problem = accessProblem(object, path);
  if (problem !== undefined) return [invalid(path, '', problem)];
  const selector = nested(object, path);
  if (selector === undefined || typeof selector === 'string') return [];
  return [
    invalid(
      path,
      '',
      `${path} accessor error: ${goText(selector)} is of the type ${goName(selector)}, expected string`,
    ),
  ];
}

/** A value on the way to a path that is not an object. */
function accessProblem(object: JsonObject, path: string): string | undefined {
  let value: JsonValue | undefined = object;
  const keys = splitPath(path);
  for (const [index, key] of keys.entries()) {
    if (value === null || value === undefined) return undefined;
    if (!isObject(value))
      return `.${keys.slice(0, index + 1).join('.')} accessor error: ${goText(value)} is of the type ${goName(value)}, expected map[string]interface{}`;
    value = field(value, key);
  }
  return undefined;
}

function replicasErrors(object: JsonObject, path: string): readonly FieldError[] {
  const problem = accessProblem(object, path);
  if (problem !== undefined) return [invalid(path, 0, problem)];
  const value = nested(object, path);
  if (value === undefined) return [];
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
    return value > MAX_INT_32 ? [invalid(path, value, `should be less than or equal to ${MAX_INT_32}`)] : [];
  }
  return [invalid(path, 0, `${path} accessor error: ${goText(value)} is of the type ${goName(value)}, expected int64`)];
}

/** The value at a path of a scale subresource: `.spec.replicas`. */
export function nested(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of splitPath(path)) {
    if (!isObject(value)) return undefined;
    value = field(value, key);
  }
  return value;
}

export const splitPath = (path: string): readonly string[] => path.replace(/^\./u, '').split('.');

function goName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  const names: Readonly<Record<string, string>> = {
    object: 'map[string]interface {}',
    number: 'float64',
    boolean: 'bool',
  };
  return names[typeof value] ?? typeof value;
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = old === undefined ? [] : (metaOf(old).finalizers ?? []);
  const added = [...new Set(metaOf(object).finalizers ?? [])].filter((finalizer) => !before.includes(finalizer)).sort();
  return added.flatMap((finalizer) => {
    const prefix = `metadata.finalizers: ${quote(finalizer)}:`;
    const warnings = qualifiedName(finalizer).map((message) => `${prefix} ${message}`);
    if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return warnings;
    const how = finalizer.includes('.')
      ? 'prefer a domain-qualified finalizer name including a path (/)'
      : 'prefer a domain-qualified finalizer name';
    return [...warnings, `${prefix} ${how} to avoid accidental conflicts with other finalizer writers`];
  });
}
