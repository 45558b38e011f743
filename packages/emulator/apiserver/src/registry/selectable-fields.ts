import type { JsonObject, JsonValue } from '@hawser/json';
import { stringify } from '@hawser/json';
import { parseJsonPath } from '@hawser/table';
import { metaOf } from '../object/meta.js';
import { badRequest, quote } from '../status.js';
import type { FieldLabels } from './resource-type.js';

/** Name and namespace, plus the values from `extra`. `aliases` are labels for another one. */
export function fieldLabels(options: {
  readonly namespaced: boolean;
  readonly extra?: (object: JsonObject) => Readonly<Record<string, string>>;
  readonly known?: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** The message about an unknown label; default that of built-in types. */
  readonly unknown?: (label: string) => string;
}): FieldLabels {
  const { namespaced, extra, known = [], aliases = {} } = options;
  const unknown =
    options.unknown ?? ((label: string) => `${quote(label)} is not a known field selector: only ${META_NAMES}`);
  return {
    valuesOf(object) {
      const { name = '', namespace = '' } = metaOf(object);
      const values = new Map([['metadata.name', name]]);
      if (namespaced) values.set('metadata.namespace', namespace);
      if (extra !== undefined)
        for (const [label, value] of Object.entries<string>(extra(object))) values.set(label, value);
      return values;
    },
    convert(label) {
      const alias = Object.hasOwn(aliases, label) ? aliases[label] : undefined;
      if (alias !== undefined) return alias;
      if (label === 'metadata.name' || label === 'metadata.namespace' || known.includes(label)) return label;
      throw badRequest(unknown(label));
    },
  };
}

const META_NAMES = '"metadata.name", "metadata.namespace"';

/** For a version of a CRD. */
export function customFieldLabels(namespaced: boolean, jsonPaths: readonly string[]): FieldLabels {
  const paths = jsonPaths.map((path) => ({ label: path.replace(/^\./u, ''), path: parseJsonPath(path) }));
  const known = paths.map(({ label }) => label);
  const convert = (label: string): string => {
    if (label === 'metadata.name' || (namespaced && label === 'metadata.namespace') || known.includes(label))
      return label;
    throw badRequest(`field label not supported: ${label}`);
  };
  const base = fieldLabels({
    namespaced,
    extra: (object) => Object.fromEntries(paths.map(({ label, path }) => [label, printed(path?.find(object)[0])])),
    known,
  });
  return { valuesOf: (object) => base.valuesOf(object), convert };
}

function printed(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? stringify(value) : String(value);
}
