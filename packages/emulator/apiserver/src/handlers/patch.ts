import { applyMergePatch, canonical, isObject, type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import { DecodeError } from '../object/decode-error.js';
import { goText as printed } from '../object/go-text.js';
import { invalid, invalidObject } from '../object/invalid.js';
import { isArray } from '../object/json.js';
import { apiVersionOf, metaOf } from '../object/meta.js';
import type { ServedVersion } from '../registry/resource-type.js';
import { StatusError, badRequest, tooLarge, unsupportedMediaType } from '../status.js';
import { mediaTypeOf, readJson, reportStrict } from './body.js';
import { type ResourceRequest, header } from './context.js';
import { JsonPatchError, applyJsonPatch, areOperations } from './json-patch.js';
import type { WriteOptions } from './options.js';
import { strategicMerge } from './strategic-merge.js';
import { parseYaml } from './yaml.js';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Media types of patches of built-in kinds. */
export const PATCH_TYPES: readonly string[] = Object.keys(TYPES);

/** Type of a request's patch. Throws 415 for one that the type does not accept. */
export function patchTypeOf(request: ResourceRequest): PatchType {
  const accepted = Object.keys(TYPES).filter((type) => !(request.type.custom && TYPES[type] === 'strategic'));
  const mediaType = mediaTypeOf(header(request.request, 'content-type'));
  const type = accepted.includes(mediaType) ? TYPES[mediaType] : undefined;
  if (type !== undefined) return type;
  if (!request.type.custom) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

const MAX_OPERATIONS = 10_000;

/** The result of a patch other than apply on `current`, decoded. */
export function patched(
  request: ResourceRequest,
  version: ServedVersion,
  type: Exclude<PatchType, 'apply'>,
  current: JsonObject,
  options: WriteOptions,
): JsonObject {
  const body = request.request.body ?? '';
  const { result, problems, shown } = applied(version, type, current, body, options);
  const expected = apiVersionOf(version.group, version.version);
  if (!isObject(result))
    throw invalidPatch(
      request,
      result,
      `json: cannot unmarshal ${isArray(result) ? 'array' : typeof result} into Go value of type map[string]interface {}`,
    );
  if (request.type.custom && typeof result['kind'] !== 'string')
    throw invalidPatch(request, result, `Object 'Kind' is missing in '${goText(request, result)}'`);
  try {
    const { object, unknownFields } = version.codec.decode(
      request.type.custom
        ? result
        : { ...result, apiVersion: result['apiVersion'] ?? expected, kind: result['kind'] ?? version.kind },
    );
    const all = [...problems, ...unknownFields.map((path) => `unknown field "${path}"`)];
    if (all.length > 0)
      reportStrict(request, all, options.fieldValidation, (text) => invalidPatch(request, result, text, shown));
    return object;
  } catch (error) {
    if (error instanceof DecodeError)
      throw invalidPatch(
        request,
        result,
        type === 'strategic' ? conversionProblem(error.message) : error.message,
        shown,
      );
    throw error;
  }
}

/** A strategic merge patch is converted, not decoded; its messages about a wrong list or map differ. */
function conversionProblem(message: string): string {
  const groups =
    /^json: cannot unmarshal (?<found>string|bool|array|object) into Go struct field \S+ of type (?<type>map|\[\])/u.exec(
      message,
    )?.groups;
  const found = groups?.['found'] ?? '';
  return groups === undefined
    ? message
    : `cannot restore ${groups['type'] === 'map' ? 'map' : 'slice'} from ${{ array: 'slice', object: 'map' }[found] ?? found}`;
}

/** The patch's result is not an object of the kind. */
function invalidPatch(request: ResourceRequest, result: JsonValue, why: string, shown?: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', shown ?? goText(request, result), why)]);
}

const META_ORDER = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** The patched document in Go's order: sorted, except the metadata of built-in kinds. */
function goText({ type }: ResourceRequest, result: JsonValue): string {
  const meta = isObject(result) ? result['metadata'] : undefined;
  if (type.custom || !isObject(result) || !isObject(meta)) return canonical(result);
  const metadata = Object.fromEntries(
    Object.entries(meta).sort(([a], [b]) => META_ORDER.indexOf(a) - META_ORDER.indexOf(b)),
  );
  return stringify(Object.fromEntries(Object.entries({ ...result, metadata }).sort(([a], [b]) => (a < b ? -1 : 1))));
}

interface Applied {
  readonly result: JsonValue;
  readonly problems: readonly string[];
  /** Shown in errors instead of the result. */
  readonly shown?: string;
}

function applied(
  version: ServedVersion,
  type: Exclude<PatchType, 'apply'>,
  current: JsonObject,
  body: string,
  options: WriteOptions,
): Applied {
  switch (type) {
    case 'json':
      return jsonPatched(current, body, options);
    case 'merge': {
      const { value, duplicates } = readJson(body, options.fieldValidation, (text) =>
        badRequest(`error decoding patch: ${text}`),
      );
      if (!isObject(value))
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
        );
      return {
        result: applyMergePatch(current, value),
        problems: duplicates.map((path) => `duplicate field "${path}"`),
      };
    }
    case 'strategic': {
      const { value, duplicates } = readJson(body, options.fieldValidation, badRequest);
      if (!isObject(value))
        throw badRequest(`json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
      return {
        result: strategicMerge(current, value, version.definition ?? ''),
        shown: printed(value),
        problems: duplicates.map((path) => `duplicate field "${path}"`),
      };
    }
  }
}

function jsonPatched(current: JsonObject, body: string, options: WriteOptions): Applied {
  const { value } = readJson(body, options.fieldValidation, (text) => badRequest(`error decoding patch: ${text}`));
  if (!isArray(value))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type []handlers.jsonPatchOp`,
    );
  if (value.length > MAX_OPERATIONS)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${value.length}`);
  if (!areOperations(value)) {
    const other = value.find((operation) => !isObject(operation)) ?? null;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(other)} into Go value of type handlers.jsonPatchOp`,
    );
  }
  try {
    return { result: applyJsonPatch(current, value), problems: unknownOperationFields(value) };
  } catch (error) {
    if (error instanceof JsonPatchError) throw unprocessable();
    throw error;
  }
}

const OPERATION_FIELDS = ['op', 'path', 'from', 'value'];

function unknownOperationFields(operations: readonly JsonValue[]): readonly string[] {
  return operations.flatMap((operation, index) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((key) => !OPERATION_FIELDS.includes(key))
          .map((key) => `json patch unknown field "[${index}].${key}"`)
      : [],
  );
}

/** An inapplicable JSON patch. The API server does not say why. */
function unprocessable(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

const goKind = (value: JsonValue): string =>
  isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'bigint'
          ? 'number'
          : typeof value;

/** Configuration of an apply. JSON is valid YAML, and what nearly every client sends. */
export function appliedConfiguration(body: string): JsonObject {
  let value: JsonValue;
  try {
    value = jsonOf(body) ?? parseYaml(body);
  } catch (error) {
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (isObject(value)) return value;
  if (value === null) return {};
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
  );
}

function jsonOf(body: string): JsonValue | undefined {
  try {
    return /^\s*\{/u.test(body) ? parse(body) : undefined;
  } catch {
    return undefined;
  }
}

/** A patch must not rename or move an object. */
export function checkIdentity(object: JsonObject, name: string, namespace: string): void {
  const meta = metaOf(object);
  if ((meta.name ?? '') === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (meta.name !== name)
    throw badRequest(`the name of the object (${meta.name ?? ''}) does not match the name on the URL (${name})`);
  if (namespace !== '' && (meta.namespace ?? '') !== '' && meta.namespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${meta.namespace ?? ''}) does not match the namespace on the request (${namespace})`,
    );
  }
}
