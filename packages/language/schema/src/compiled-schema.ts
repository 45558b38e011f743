import type { JsonValue } from '@hawser/json';
import { Correlation } from './correlation.js';
import { applyDefaults } from './defaulting.js';
import { type CoerceOptions, type Coerced, coerceMetadata, validateEmbeddedResources } from './embedded-resource.js';
import type { FieldError } from './field-error.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { validateListTypes } from './list-types.js';
import { dropNulls } from './nulls.js';
import { getOwn, isObject } from './own.js';
import { prune } from './pruning.js';
import { schemaErrors } from './schema-errors.js';
import { type StructuralSchema, toStructural } from './structural-schema.js';
import { ValueValidator } from './value-validator.js';

export interface PruneOptions {
  /** Keep `apiVersion`, `kind` and `metadata` even if the schema lacks them. Default true. */
  readonly isResourceRoot?: boolean | undefined;
}

/** A schema ready for use. It holds no state of any object, and can be used for any number of them. */
export interface AdmitOptions extends CoerceOptions {
  /** Keep a `null` without a default, as in the result of a server-side apply. Default: drop it. */
  readonly keepNulls?: boolean | undefined;
}

export interface CompiledSchema {
  /** The schema tree, for rules and server-side apply. */
  readonly structural: StructuralSchema;
  /**
   * Drops unknown fields, in place. Returns their sorted paths, in the form of `fieldValidation=Strict`: `unknown field
   * "spec.foo"`.
   */
  prune(object: JsonValue, options?: PruneOptions): string[];
  /** Drops, in place, each `null` that the schema forbids and has no default for. */
  dropNulls(object: JsonValue): void;
  /** Drops nulls and applies defaults, in place. */
  applyDefaults(object: JsonValue): void;
  /** Converts `metadata` of embedded resources, and of the root if requested, to the API server's form, in place. */
  coerceMetadata(object: JsonValue, options?: CoerceOptions & PruneOptions): Coerced;
  /**
   * Does everything that an API server does with an object on read, in its order: prune, drop nulls, coerce metadata
   * (the root's too), apply defaults. In place; after an error the object must not be used.
   */
  admit(object: JsonValue, options?: AdmitOptions): Coerced;
  /**
   * The API server's errors about an object, in its order: schema, embedded resources, list types. Does not check CEL
   * rules, the object's own metadata and its scale subresource. With `old`, the stored object that it replaces,
   * forgives problems of unchanged values.
   */
  validate(object: JsonValue, old?: JsonValue): FieldError[];
  /** `validate` for an update of the status subresource: checks only the part of the schema below `status`. */
  validateStatus(object: JsonValue, old: JsonValue): FieldError[];
}

/**
 * An API server's validation of objects of one CRD version. {@link validateCustomResourceDefinition} must accept the
 * schema.
 */
export function compileSchema(schema: JsonSchemaProps): CompiledSchema {
  return new Compiled(schema);
}

class Compiled implements CompiledSchema {
  readonly structural: StructuralSchema;
  readonly #validator: ValueValidator;
  readonly #statusValidator: ValueValidator | undefined;

  constructor(schema: JsonSchemaProps) {
    this.structural = toStructural(schema);
    this.#validator = new ValueValidator(schema);
    const status = this.structural.properties.get('status');
    this.#statusValidator = status === undefined ? undefined : new ValueValidator(status.props);
  }

  prune(object: JsonValue, options: PruneOptions = {}): string[] {
    return prune(object, this.structural, options.isResourceRoot ?? true);
  }

  dropNulls(object: JsonValue): void {
    dropNulls(object, this.structural);
  }

  applyDefaults(object: JsonValue): void {
    dropNulls(object, this.structural);
    applyDefaults(object, this.structural);
  }

  coerceMetadata(object: JsonValue, options: CoerceOptions & PruneOptions = {}): Coerced {
    return coerceMetadata(object, this.structural, options.isResourceRoot ?? false, options);
  }

  admit(object: JsonValue, options: AdmitOptions = {}): Coerced {
    const unknownFields = this.prune(object);
    if (options.keepNulls !== true) dropNulls(object, this.structural);
    const coerced = coerceMetadata(object, this.structural, true, options);
    applyDefaults(object, this.structural);
    return { unknownFields: [...unknownFields, ...coerced.unknownFields].sort(), error: coerced.error };
  }

  validate(object: JsonValue, old?: JsonValue): FieldError[] {
    const correlation = old === undefined ? undefined : new Correlation(object, old, this.structural);
    return [
      ...schemaErrors(this.#validator, object, correlation, ''),
      ...validateEmbeddedResources(object, this.structural),
      ...this.#listTypeErrors(object, old),
    ];
  }

  validateStatus(object: JsonValue, old: JsonValue): FieldError[] {
    const status = isObject(object) ? getOwn(object, 'status') : undefined;
    const correlation = new Correlation(object, old, this.structural).field('status');
    const errors =
      status === undefined || this.#statusValidator === undefined
        ? []
        : schemaErrors(this.#statusValidator, status, correlation, 'status');
    return [...errors, ...this.#listTypeErrors(object, old)];
  }

  /** Old problems are allowed to stay. */
  #listTypeErrors(object: JsonValue, old: JsonValue | undefined): FieldError[] {
    const errors = validateListTypes(object, this.structural);
    return errors.length > 0 && old !== undefined && validateListTypes(old, this.structural).length > 0 ? [] : errors;
  }
}
