import type { PrintedTable } from '@hawser/table';
import type { ScaleOwnership } from './custom/scale-ownership.js';
import type { JsonObject } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import type { GroupResource } from '../status.js';
import type { FieldOwnership } from './field-ownership.js';

/** A resource: its objects are stored once, in one version, and served in one or more. */
export interface ResourceType extends GroupResource {
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Where its objects are in the store. */
  readonly bucket: string;
  /** Key prefix that shows in some messages: `/registry/configmaps`. */
  readonly storagePath: string;
  readonly storageVersion: string;
  /** By name, the preferred one first: `v1` → …; for Events the key is the whole apiVersion's version of its group. */
  readonly versions: readonly ServedVersion[];
  /** What deletion without a policy does to dependents. `unsupported`: the type takes no part in garbage collection. */
  readonly garbageCollection: 'background' | 'orphan' | 'unsupported';
  /** A deletion is answered with the object instead of a Status. */
  readonly returnsDeletedObject: boolean;
  readonly custom: boolean;
  /** A built-in kind that a proxy serves which does not know it: items of lists say what they are. */
  readonly unstructured?: boolean;
  /** Deletion begins by other rules than everybody's: namespaces, CRDs. */
  readonly beginDeletion?: BeginDeletion;
  /** Beyond metadata.finalizers: what else must be empty before an object that is being deleted goes. */
  readonly mayBeRemoved?: (object: JsonObject) => boolean;
}

/** One group and version in which a resource is served. Its objects, in what follows, are in this version. */
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
  /** Of a built-in kind: the name of its OpenAPI definition, which says how lists are merged. */
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
  /** Reads an object as a request has it. Throws DecodeError. */
  decode(document: JsonObject, options?: DecodeOptions): DecodedObject;
  fromStorage(object: JsonObject): JsonObject;
  toStorage(object: JsonObject): JsonObject;
  /** What this version has just written is stored: it needs not be read again to be known. */
  written?(stored: JsonObject): void;
}

export interface DecodeOptions {
  /** Custom resources only: a `null` that the schema does not allow stays, for the validation to refuse. Default: it is dropped. */
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

/** What a type does on a write (apiserver `rest.RESTCreateStrategy` and its siblings). Returns changed copies, never changes what it gets. */
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

/** A part of an object with rules of its own, at a path of its own. */
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
  /** The values that field selectors of this type may ask for. */
  valuesOf(object: JsonObject): ReadonlyMap<string, string>;
  /** The label under which {@link valuesOf} knows a field. Throws the 400 of one that is not known. */
  convert(label: string): string;
}

export interface DeleteContext {
  readonly now: string;
  readonly propagation: Propagation;
}

/** What a request says about dependents. `orphanDependents` is the older way to say it. */
export interface Propagation {
  readonly policy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents: boolean | undefined;
}

/** The object to store instead of removing it, or what to do then. */
export type BeginDeletion = (
  object: JsonObject,
  context: DeleteContext,
) =>
  { readonly kind: 'store'; readonly object: JsonObject } | { readonly kind: 'pending' } | { readonly kind: 'generic' };
