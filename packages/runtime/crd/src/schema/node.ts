import type { JsonValue } from '@hawser/json';

/** The types a structural schema can name. */
export type SchemaType = 'object' | 'array' | 'string' | 'boolean' | 'integer';

/**
 * A rule that the API server evaluates as CEL. `immutable`: the value may not change; adding or removing the field is
 * allowed. `pinned`: the string may not change while the field exists, unless it was empty. `settled`: an update
 * neither adds nor removes these fields of an object. `invariant`: must hold for every value; `holds` is the same rule
 * for use without a server.
 */
export type Rule =
  | { readonly kind: 'immutable'; readonly message: string }
  | { readonly kind: 'pinned'; readonly message: string }
  | { readonly kind: 'settled'; readonly fields: readonly string[]; readonly message: string }
  | {
      readonly kind: 'invariant';
      readonly expression: string;
      readonly message: string;
      readonly holds: (self: unknown) => boolean;
    };

/** One node of a schema: source of the CRD's OpenAPI, of the TypeScript type and of the validation. */
export interface SchemaNode {
  readonly type: SchemaType;
  readonly description?: string | undefined;
  readonly format?: 'date-time' | 'byte' | 'uri' | 'int32' | 'int64' | undefined;
  readonly default?: JsonValue | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly minItems?: number | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  readonly required?: readonly string[] | undefined;
  /** The value schema of a map. */
  readonly values?: SchemaNode | undefined;
  readonly items?: SchemaNode | undefined;
  /** Keys that order a list-map. */
  readonly listMapKeys?: readonly string[] | undefined;
  /** The list has no two equal entries. */
  readonly set?: boolean | undefined;
  /** An apply replaces the list, or the object, as a whole. */
  readonly atomic?: boolean | undefined;
  /** Keeps fields that the schema does not know. */
  readonly preserveUnknownFields?: boolean | undefined;
  readonly rules?: readonly Rule[] | undefined;
}
