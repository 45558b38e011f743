import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '@hawser/client';
import { type JsonObject, stringify } from '@hawser/json';
import { type PrintedTable, type PrinterColumn, customTable } from '@hawser/table';
import { type Form, formOf } from './accept.js';
import { Refused, badRequest, notAcceptable } from './refused.js';
import type { Served } from './source.js';

/** The provider's description of one version of a resource, for the consumer. */
export interface Described {
  readonly columns: readonly PrinterColumn[];
  /** The warning of a deprecated version, sent with each answer. */
  readonly warning: string | undefined;
}

type Included = 'None' | 'Metadata' | 'Object';

export interface PrinterOptions {
  readonly form: Form;
  readonly include: Included;
  readonly columns: readonly PrinterColumn[];
  readonly nowMs: () => number;
}

/** The metadata of a list. */
export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** The text of a list: before the items, each item, and after them. */
export interface PrintedList {
  readonly head: string;
  readonly item: (object: KubeObject) => string;
  readonly tail: string;
}

/** Writes objects in the form that a request asks for. */
export class Printer {
  readonly #form: Form;
  readonly #include: Included;
  readonly #table: PrintedTable;
  readonly #nowMs: () => number;

  constructor({ form, include, columns, nowMs }: PrinterOptions) {
    this.#form = form;
    this.#include = include;
    this.#table = customTable(form.kind === 'table' ? columns : []);
    this.#nowMs = nowMs;
  }

  /** One object. @throws {Refused} for the form of a list, as an API server does for custom resources */
  object(object: KubeObject): unknown {
    const form = this.#form;
    if (form.kind === 'metadataList') throw new Refused(500, 'InternalError', 'content is not a list');
    return this.#shown(object, true);
  }

  /** The object in an event of a watch. The first one of a table has the columns. */
  event(object: KubeObject, first: boolean): unknown {
    return this.#shown(object, first);
  }

  /** @throws {Refused} 406 for the form of a single object */
  list({ resource, listKind }: Served, meta: ListMeta): PrintedList {
    const form = this.#form;
    switch (form.kind) {
      case 'whole':
        // A list of custom resources always has the field `continue`.
        return listed(`${resource.group}/${resource.version}`, listKind, { continue: '', ...meta }, stringify);
      case 'metadata':
        throw notAcceptable('you requested PartialObjectMetadata, but the requested object is a list');
      case 'metadataList':
        return listed(form.version, 'PartialObjectMetadataList', meta, (object) =>
          stringify(partial(object, form.version)),
        );
      case 'table': {
        const nowMs = this.#nowMs();
        const { version } = form;
        return {
          head: `{"kind":"Table","apiVersion":${stringify(version)},"metadata":${stringify(meta)},"columnDefinitions":${stringify(this.#table.columns)},"rows":[`,
          item: (object) => stringify(this.#row(object, version, nowMs)),
          tail: ']}\n',
        };
      }
    }
  }

  #shown(object: KubeObject, columns: boolean): unknown {
    const form = this.#form;
    switch (form.kind) {
      case 'whole':
        return object;
      case 'metadata':
      case 'metadataList':
        return partial(object, form.version);
      case 'table':
        return {
          kind: 'Table',
          apiVersion: form.version,
          metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
          columnDefinitions: columns ? this.#table.columns : null,
          rows: [this.#row(object, form.version, this.#nowMs())],
        };
    }
  }

  #row(object: KubeObject, version: string, nowMs: number): unknown {
    return { cells: this.#table.cells(object as object as JsonObject, nowMs), object: this.#included(object, version) };
  }

  #included(object: KubeObject, version: string): unknown {
    switch (this.#include) {
      case 'None':
        return null;
      case 'Metadata':
        return partial(object, version);
      case 'Object':
        return object;
    }
  }
}

/** @throws {Refused} 400, 406 */
export function printerFor(
  { headers }: IncomingMessage,
  query: URLSearchParams,
  columns: readonly PrinterColumn[],
  nowMs: () => number,
): Printer {
  const form = formOf(headers.accept);
  return new Printer({ form, include: form.kind === 'table' ? includedOf(query) : 'None', columns, nowMs });
}

function includedOf(query: URLSearchParams): Included {
  const text = query.get('includeObject') ?? '';
  if (text === '') return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw badRequest("includeObject must be 'Metadata', 'Object', 'None', or empty");
}

function listed(apiVersion: string, kind: string, meta: ListMeta, item: (object: KubeObject) => string): PrintedList {
  return {
    head: `{"apiVersion":${stringify(apiVersion)},"kind":${stringify(kind)},"metadata":${stringify(meta)},"items":[`,
    item,
    tail: ']}\n',
  };
}

const partial = ({ metadata }: KubeObject, apiVersion: string): unknown => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});
