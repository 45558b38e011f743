import { type JsonObject, type JsonValue, canonical, isObject } from '@hawser/json';
import { ageOf } from './human-duration.js';
import { type JsonPath, parseJsonPath } from './json-path.js';

/** A column of a Table (`meta.k8s.io/v1`, `columnDefinitions`). */
export interface TableColumn extends JsonObject {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Value of one row in one column. */
export type Cell = string | number | boolean | bigint | null;

/** How to print objects of one version of a resource. */
export interface PrintedTable {
  readonly columns: readonly TableColumn[];
  /** @param nowMs milliseconds since 1970, for ages. */
  readonly cells: (object: JsonObject, nowMs: number) => readonly Cell[];
}

/** An entry of `additionalPrinterColumns` of a CRD's version. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
/** Description of `metadata.creationTimestamp`. */
export const CREATED_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

/** A column with the API server's defaults. */
export function column(
  name: string,
  options: {
    readonly type?: string;
    readonly format?: string;
    readonly description?: string;
    readonly priority?: number;
  } = {},
): TableColumn {
  const { type = 'string', format = '', description = '', priority = 0 } = options;
  return { name, type, format, description, priority };
}

/** The first column of every table. */
export const nameColumn = column('Name', { format: 'name', description: NAME_DESCRIPTION });
/**
 * The table of a CRD's version, with its `additionalPrinterColumns`, else with the age. Leaves out all columns from the
 * first unreadable path on.
 */
export function customTable(columns: readonly PrinterColumn[]): PrintedTable {
  const specs: readonly PrinterColumn[] =
    columns.length > 0
      ? columns
      : [{ name: 'Age', type: 'date', description: CREATED_DESCRIPTION, jsonPath: '.metadata.creationTimestamp' }];
  const parsed: { readonly column: TableColumn; readonly path: JsonPath }[] = [];
  for (const { name, type, format = '', description = '', priority = 0, jsonPath } of specs) {
    const path = parseJsonPath(jsonPath);
    if (path === undefined) break;
    const shownDescription =
      description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description;
    parsed.push({ path, column: column(name, { type, format, description: shownDescription, priority }) });
  }
  return {
    columns: [nameColumn, ...parsed.map((each) => each.column)],
    cells: (object, nowMs) => [
      nameOf(object),
      ...parsed.map((each) => cellOf(each.column.type, each.path.find(object)[0], nowMs)),
    ],
  };
}

function nameOf({ metadata }: JsonObject): string {
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

function cellOf(type: string, value: JsonValue | undefined, nowMs: number): Cell {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return value === null ? '' : typeof value === 'object' ? canonical(value) : String(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? (Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs)) : null;
    default:
      return null;
  }
}
