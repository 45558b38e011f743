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
  /** `apiVersion`, `kind` and `metadata` stay although the schema does not have them. Default true. */
  readonly isResourceRoot?: boolean | undefined;
}

/** A schema ready for use. It holds no state of any object, and can be used for any number of them. */
export interface AdmitOptions extends CoerceOptions {
  /** A `null` without a default stays, as in what a server-side apply has made. Default: it is dropped. */
  readonly keepNulls?: boolean | undefined;
}

export interface CompiledSchema {
  /** The tree behind it, for rules and for server-side apply. */
  readonly structural: StructuralSchema;
  /** Drops unknown fields, in place. Returns their paths, sorted, as `fieldValidation=Strict` names them: `unknown field "spec.foo"`. */
  prune(object: JsonValue, options?: PruneOptions): string[];
  /** Drops, in place, `null` where the schema allows none and has no default for it. */
  dropNulls(object: JsonValue): void;
  /** Drops nulls and puts defaults, in place. */
  applyDefaults(object: JsonValue): void;
  /** Brings `metadata` of embedded resources, and of the root if asked for, into the API server's form, in place. */
  coerceMetadata(object: JsonValue, options?: CoerceOptions & PruneOptions): Coerced;
  /**
   * All that an API server does with an object that it has read, in its order: prune, drop nulls, coerce metadata (that of the root too), apply
   * defaults. In place; after an error the object is not fit for use.
   */
  admit(object: JsonValue, options?: AdmitOptions): Coerced;
  /**
   * What the API server refuses, with its words, in the order: schema, embedded resources, list types. Rules in CEL, the metadata of the object
   * itself and its scale subresource are not looked at. With `old`, the stored object that it replaces, what is wrong with values that have not
   * changed is forgiven.
   */
  validate(object: JsonValue, old?: JsonValue): FieldError[];
  /** As `validate`, for an update of the status subresource: of the schema only the part below `status` is looked at. */
  validateStatus(object: JsonValue, old: JsonValue): FieldError[];
}

/** The API server's validation of objects of one version of a CRD. The schema must be one that {@link validateCustomResourceDefinition} accepts. */
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

  /** What was wrong before may stay wrong. */
  #listTypeErrors(object: JsonValue, old: JsonValue | undefined): FieldError[] {
    const errors = validateListTypes(object, this.structural);
    return errors.length > 0 && old !== undefined && validateListTypes(old, this.structural).length > 0 ? [] : errors;
  }
}
