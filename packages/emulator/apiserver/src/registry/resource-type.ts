import type { PrintedTable } from '@hawser/table';
import type { ScaleOwnership } from './custom/scale-ownership.js';
import type { JsonObject } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import type { GroupResource } from '../status.js';
import type { FieldOwnership } from './field-ownership.js';

/** A resource: its objects are stored in one version, and served in one or more. */
export interface ResourceType extends GroupResource {
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Bucket of its objects in the store. */
  readonly bucket: string;
  /** Key prefix that appears in some messages: `/registry/configmaps`. */
  readonly storagePath: string;
  readonly storageVersion: string;
  /** By name, the preferred one first: `v1` → …; for Events the key is the whole apiVersion's version of its group. */
  readonly versions: readonly ServedVersion[];
  /**
   * Effect of a deletion without a policy on dependents. `unsupported`: the type takes no part in garbage collection.
   */
  readonly garbageCollection: 'background' | 'orphan' | 'unsupported';
  /** Answers a deletion with the object instead of a Status. */
  readonly returnsDeletedObject: boolean;
  readonly custom: boolean;
  /** A built-in kind served through a proxy that does not know it: list items state their kind. */
  readonly unstructured?: boolean;
  /** Deletion starts by special rules: namespaces, CRDs. */
  readonly beginDeletion?: BeginDeletion;
  /** Further conditions for the removal of a deleted object, besides empty metadata.finalizers. */
  readonly mayBeRemoved?: (object: JsonObject) => boolean;
}

/** One group and version that serves a resource. Objects below are in this version. */
export interface ServedVersion {
  /** Usually the type's own. Events are served in two groups. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly served: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: JsonSchemaProps | undefined;
  /** For a built-in kind: the name of its OpenAPI definition, which says how to merge lists. */
  readonly definition: string | undefined;
  readonly codec: Codec;
  readonly strategy: Strategy;
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly selectableFields: readonly string[];
  readonly fields: FieldLabels;
  readonly table: PrintedTable;
  readonly ownership: FieldOwnership;
}

export interface Codec {
  /** Decodes an object of a request. Throws DecodeError. */
  decode(document: JsonObject, options?: DecodeOptions): DecodedObject;
  fromStorage(object: JsonObject): JsonObject;
  toStorage(object: JsonObject): JsonObject;
  /** The object just written in this version is stored: no need to read it again. */
  written?(stored: JsonObject): void;
}

export interface DecodeOptions {
  /** Custom resources only: keeps a `null` that the schema forbids, for validation to refuse. Default: drops it. */
  readonly keepNulls?: boolean | undefined;
}

export interface DecodedObject {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
}

export interface StrategyContext {
  /** `YYYY-MM-DDThh:mm:ssZ` of this request. */
  readonly now: string;
}

/**
 * Type-specific steps of a write (apiserver `rest.RESTCreateStrategy` and its siblings). Returns changed copies, never
 * changes its input.
 */
export interface Strategy {
  prepareForCreate(object: JsonObject, context: StrategyContext): JsonObject;
  validate(object: JsonObject): readonly FieldError[];
  prepareForUpdate(object: JsonObject, old: JsonObject, context: StrategyContext): JsonObject;
  validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[];
  warnings?(object: JsonObject, old: JsonObject | undefined): readonly string[];
  canonicalize?(object: JsonObject): JsonObject;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
}

/** A part of an object with its own rules and path. */
export type Subresource =
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly strategy: Strategy;
      readonly verbs: readonly string[];
      readonly ownership: FieldOwnership;
    }
  | {
      readonly kind: 'scale';
      readonly name: 'scale';
      readonly paths: ScalePaths;
      readonly ownership: ScaleOwnership;
      readonly verbs: readonly string[];
    };

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

export interface FieldLabels {
  /** Values of an object for this type's field selectors. */
  valuesOf(object: JsonObject): ReadonlyMap<string, string>;
  /** The label of a field in {@link valuesOf}. Throws the 400 of an unknown one. */
  convert(label: string): string;
}

export interface DeleteContext {
  readonly now: string;
  readonly propagation: Propagation;
}

/** What a request says about dependents. `orphanDependents` is the older form. */
export interface Propagation {
  readonly policy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents: boolean | undefined;
}

/** The object to store instead of removing it, or the next step. */
export type BeginDeletion = (
  object: JsonObject,
  context: DeleteContext,
) =>
  { readonly kind: 'store'; readonly object: JsonObject } | { readonly kind: 'pending' } | { readonly kind: 'generic' };
