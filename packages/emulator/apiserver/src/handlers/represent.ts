import type { JsonObject } from '@hawser/json';
import { invalid } from '../object/invalid.js';
import { metaOf } from '../object/meta.js';
import { withoutFields } from '../object/json.js';
import type { ResourceType, ServedVersion } from '../registry/resource-type.js';
import { StatusError, badRequest, notAcceptable } from '../status.js';
import { formatFieldError } from '@hawser/schema';
import { apiVersionOf } from '../object/meta.js';
import type { Representation } from './media-type.js';

export interface TableOptions {
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  readonly headers: boolean;
}

/** `TableOptions` of a query. Throws 400. */
export function tableOptions(query: URLSearchParams): TableOptions {
  const include = query.get('includeObject') ?? '';
  if (include !== '' && include !== 'None' && include !== 'Metadata' && include !== 'Object') {
    const error = invalid('includeObject', include, "must be 'Metadata', 'Object', 'None', or empty");
    throw badRequest(`Unable to convert to Table as requested: ${formatFieldError(error)}`);
  }
  return { includeObject: include === '' ? 'Metadata' : include, headers: true };
}

/** The metadata of a list. */
export interface ListMeta extends JsonObject {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Converts objects of one version to the client's requested form. */
export class Representer {
  readonly #type: ResourceType;
  readonly #version: ServedVersion;
  readonly #representation: Representation;
  readonly #table: TableOptions;
  readonly #nowMs: () => number;

  constructor(
    type: ResourceType,
    version: ServedVersion,
    representation: Representation,
    table: TableOptions,
    nowMs: () => number,
  ) {
    this.#type = type;
    this.#version = version;
    this.#representation = representation;
    this.#table = table;
    this.#nowMs = nowMs;
  }

  object(object: JsonObject): JsonObject {
    const representation = this.#representation;
    switch (representation.kind) {
      case 'object':
        return object;
      case 'metadata':
        return partial(object, representation.version);
      case 'metadataList':
        if (this.#type.custom) throw new StatusError(500, '', 'content is not a list');
        throw notAcceptable(
          `you requested PartialObjectMetadataList, but the requested object is not a list (${this.#goType(false)})`,
        );
      case 'table':
        return this.#toTable([object], { resourceVersion: metaOf(object).resourceVersion ?? '' }, this.#table.headers);
    }
  }

  list(objects: readonly JsonObject[], meta: ListMeta): JsonObject {
    const representation = this.#representation;
    switch (representation.kind) {
      case 'object':
        return {
          kind: this.#version.listKind,
          apiVersion: apiVersionOf(this.#version.group, this.#version.version),
          // A list of custom resources always has its `continue`.
          metadata: this.#type.custom ? { continue: '', ...meta } : meta,
          // Items of built-in kinds omit their kind: the list has it.
          items:
            this.#type.custom || this.#type.unstructured === true
              ? objects
              : objects.map((object) => withoutFields(object, 'kind', 'apiVersion')),
        };
      case 'metadata':
        throw notAcceptable(
          `you requested PartialObjectMetadata, but the requested object is a list (${this.#goType(true)})`,
        );
      case 'metadataList':
        return {
          kind: 'PartialObjectMetadataList',
          apiVersion: representation.version,
          metadata: meta,
          items: objects.map((object) => partial(object, representation.version)),
        };
      case 'table':
        return this.#toTable(objects, meta, this.#table.headers);
    }
  }

  /** An event of a watch: only the first one has column definitions. */
  event(object: JsonObject, first: boolean): JsonObject {
    if (this.#representation.kind === 'metadataList') return partial(object, this.#representation.version);
    if (this.#representation.kind !== 'table') return this.object(object);
    return this.#toTable(
      [object],
      { resourceVersion: metaOf(object).resourceVersion ?? '' },
      first && this.#table.headers,
    );
  }

  /** Watchers with the same key get identical events, encoded once. */
  get key(): string {
    return this.#representation.kind === 'table'
      ? ''
      : this.#representation.kind === 'object'
        ? 'object'
        : `metadata ${this.#representation.version}`;
  }

  #toTable(objects: readonly JsonObject[], meta: ListMeta, headers: boolean): JsonObject {
    const version = 'version' in this.#representation ? this.#representation.version : 'meta.k8s.io/v1';
    const { table } = this.#version;
    const nowMs = this.#nowMs();
    return {
      kind: 'Table',
      apiVersion: version,
      metadata: meta,
      columnDefinitions: headers ? table.columns : null,
      rows: objects.map((object) => ({ cells: table.cells(object, nowMs), ...this.#rowObject(object, version) })),
    };
  }

  #rowObject(object: JsonObject, version: string): JsonObject {
    switch (this.#table.includeObject) {
      case 'None':
        return { object: null };
      case 'Metadata':
        return { object: partial(object, version) };
      case 'Object':
        return { object };
    }
  }

  #goType(list: boolean): string {
    if (this.#type.custom) return list ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
    const { group } = this.#version;
    const name = group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? '');
    return `*${name}.${list ? this.#version.listKind : this.#version.kind}`;
  }
}

const partial = (object: JsonObject, version: string): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: version,
  metadata: object['metadata'],
});
