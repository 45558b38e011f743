import { equal, isObject, type JsonArray, type JsonObject, type JsonValue } from '@hawser/json';
import { goText } from '../object/go-text.js';
import { field, isArray, withField, withoutFields } from '../object/json.js';
import { definitions } from '../registry/builtin/definitions.js';
import type { OpenApiSchema } from '../registry/builtin/openapi-schema.js';
import { StatusError, badRequest, notImplemented } from '../status.js';

const DIRECTIVE = '$patch';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';
const RETAIN_KEYS = '$retainKeys';

/**
 * Applies a strategic merge patch (apimachinery `util/strategicpatch`): merges lists by key where the type says so,
 * replaces all others. Supports kubectl's directives: `$patch`, `$deleteFromPrimitiveList`, `$setElementOrder`,
 * `$retainKeys`. Throws 400 and 422.
 */
export function strategicMerge(object: JsonObject, patch: JsonObject, definition: string): JsonObject {
  return mergeObject(object, patch, { $ref: definition });
}

const propertiesOf = (schema: OpenApiSchema | undefined): Readonly<Record<string, OpenApiSchema>> | undefined =>
  schema?.$ref === undefined ? schema?.properties : definitions[schema.$ref]?.properties;

function childOf(schema: OpenApiSchema | undefined, key: string): OpenApiSchema | undefined {
  const properties = propertiesOf(schema);
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function mergeObject(original: JsonObject, patch: JsonObject, schema: OpenApiSchema | undefined): JsonObject {
  const directive = field(patch, DIRECTIVE);
  if (directive === 'replace') return withoutFields(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw new StatusError(500, '', `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
  let result = retained(original, patch);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined || key === DIRECTIVE || key === RETAIN_KEYS || key.startsWith(ORDER)) continue;
    if (key.startsWith(DELETE_PRIMITIVES)) {
      result = withoutPrimitives(result, key.slice(DELETE_PRIMITIVES.length), value);
    } else if (value === null) {
      result = withoutFields(result, key);
    } else {
      result = withField(result, key, mergeValue(field(result, key), value, childOf(schema, key), orderOf(patch, key)));
    }
  }
  return orderedOnly(result, patch, schema);
}

/** `$retainKeys` drops every key that it does not name. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = field(patch, RETAIN_KEYS);
  if (keys === undefined) return original;
  if (!isArray(keys)) throw badRequest(`invalid patch format of ${RETAIN_KEYS}`);
  return withoutFields(original, ...Object.keys(original).filter((key) => !keys.includes(key)));
}

const orderOf = (patch: JsonObject, key: string): JsonArray | undefined => {
  const order = field(patch, `${ORDER}${key}`);
  return isArray(order) ? order : undefined;
};

/** Reorders a list without other changes. */
function orderedOnly(object: JsonObject, patch: JsonObject, schema: OpenApiSchema | undefined): JsonObject {
  let result = object;
  for (const name of Object.keys(patch)) {
    if (!name.startsWith(ORDER)) continue;
    const key = name.slice(ORDER.length);
    const list = field(result, key);
    const order = orderOf(patch, key);
    if (Object.hasOwn(patch, key) || !isArray(list) || order === undefined) continue;
    result = withField(result, key, merged(list, list, order, childOf(schema, key)?.['x-kubernetes-patch-merge-key']));
  }
  return result;
}

function mergeValue(
  original: JsonValue | undefined,
  patch: JsonValue,
  schema: OpenApiSchema | undefined,
  order: JsonArray | undefined,
): JsonValue {
  if (isObject(patch)) return mergeObject(isObject(original) ? original : {}, patch, schema);
  if (!isArray(patch)) return patch;
  if (schema?.['x-kubernetes-patch-strategy']?.split(',').includes('merge') !== true) return patch;
  return mergeList(isArray(original) ? original : [], patch, schema, order);
}

const isDirective = (item: JsonValue): boolean => isObject(item) && Object.hasOwn(item, DIRECTIVE);

function mergeList(
  original: JsonArray,
  patch: JsonArray,
  schema: OpenApiSchema,
  order: JsonArray | undefined,
): JsonArray {
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  if (mergeKey === undefined) {
    const added = patch.filter((item) => !original.some((other) => equal(item, other)));
    return merged([...original, ...added], original, order ?? patch, undefined);
  }
  if (patch.some((item) => isObject(item) && item[DIRECTIVE] === 'replace'))
    return patch.filter((item) => !isDirective(item));
  let result = [...original];
  for (const item of patch) {
    if (!isObject(item)) throw badRequest('expected all elements in patch list to be objects');
    const id = field(item, mergeKey);
    if (id === undefined)
      throw unprocessable(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    const index = result.findIndex((other) => isObject(other) && equal(field(other, mergeKey), id));
    const existing = result[index];
    if (item[DIRECTIVE] === 'delete')
      result = result.filter((other) => !isObject(other) || !equal(field(other, mergeKey), id));
    else if (existing !== undefined && isObject(existing)) result[index] = mergeObject(existing, item, schema.items);
    else result.push(withoutFields(item, DIRECTIVE));
  }
  return merged(result, original, order ?? patch.filter((item) => !isDirective(item)), mergeKey);
}

/**
 * Merges orders. Items in the patch (or its `$setElementOrder`) keep the patch's order, the others the stored list's.
 * Between both, the stored list decides for its own items, and new ones go first.
 */
function merged(list: JsonArray, original: JsonArray, order: JsonArray, mergeKey: string | undefined): JsonArray {
  const identify = (item: JsonValue): JsonValue | undefined =>
    mergeKey === undefined ? item : isObject(item) ? field(item, mergeKey) : undefined;
  const indexIn = (where: JsonArray, item: JsonValue): number =>
    where.findIndex((other) => equal(identify(other), identify(item)));
  const byIndex =
    (where: JsonArray) =>
    (a: JsonValue, b: JsonValue): number =>
      indexIn(where, a) - indexIn(where, b);
  const named = list.filter((item) => indexIn(order, item) >= 0).sort(byIndex(order));
  const rest = list.filter((item) => indexIn(order, item) < 0).sort(byIndex(original));
  const result: JsonValue[] = [];
  while (named.length > 0 || rest.length > 0) {
    const [left] = rest;
    const [right] = named;
    const leftFirst =
      right === undefined ||
      (left !== undefined &&
        indexIn(original, left) >= 0 &&
        indexIn(original, right) >= 0 &&
        indexIn(original, left) < indexIn(original, right));
    const next = leftFirst ? rest.shift() : named.shift();
    if (next !== undefined) result.push(next);
  }
  return result;
}

function withoutPrimitives(object: JsonObject, key: string, values: JsonValue): JsonObject {
  const list = field(object, key);
  if (!isArray(list)) return object;
  if (!isArray(values)) throw notImplemented(`${DELETE_PRIMITIVES}${key} that is not a list`);
  return withField(
    object,
    key,
    list.filter((item) => !values.some((value) => equal(item, value))),
  );
}

function unprocessable(message: string): StatusError {
  return new StatusError(
    422,
    'Invalid',
    `the server rejected our request due to an error in our request: ${message}`,
    {},
  );
}
