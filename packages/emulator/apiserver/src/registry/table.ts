import { type JsonObject, type JsonValue, canonical } from '@hawser/json';
import { numberField, stringField } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import { ageOf } from './human-duration.js';
import { type JsonPath, parseJsonPath } from './json-path.js';
import type { TableColumn, TableConvertor } from './resource-type.js';

export const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
export const CREATED_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

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

export const nameColumn = column('Name', { format: 'name', description: NAME_DESCRIPTION });
export const ageColumn = column('Age', { description: CREATED_DESCRIPTION });

/** Of types without columns of their own. */
export const defaultTable: TableConvertor = {
  columns: [nameColumn, column('Created At', { type: 'date', description: CREATED_DESCRIPTION })],
  cells: (object) => [metaOf(object).name ?? '', metaOf(object).creationTimestamp ?? ''],
};

type Cell = string | number | boolean | bigint | null;

/** `additionalPrinterColumns` of a CRD's version; without any, the age. */
export function customTable(columns: readonly JsonObject[]): TableConvertor {
  const specs =
    columns.length > 0
      ? columns
      : [{ name: 'Age', type: 'date', description: CREATED_DESCRIPTION, jsonPath: '.metadata.creationTimestamp' }];
  const parsed: { readonly column: TableColumn; readonly path: JsonPath }[] = [];
  for (const spec of specs) {
    const jsonPath = stringField(spec, 'jsonPath');
    const path = parseJsonPath(jsonPath);
    if (path === undefined) break;
    const description = stringField(spec, 'description');
    parsed.push({
      path,
      column: column(stringField(spec, 'name'), {
        type: stringField(spec, 'type'),
        format: stringField(spec, 'format'),
        description:
          description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
        priority: numberField(spec, 'priority') ?? 0,
      }),
    });
  }
  return {
    columns: [nameColumn, ...parsed.map((each) => each.column)],
    cells: (object, nowMs) => [
      metaOf(object).name ?? '',
      ...parsed.map((each) => cellOf(each.column.type, each.path.find(object)[0], nowMs)),
    ],
  };
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
