import { isObject, type JsonObject, type JsonValue, parse } from '@hawser/json';
import { DecodeError } from '../object/decode-error.js';
import { byteLength, isArray, stringField } from '../object/json.js';
import { apiVersionOf, parseApiVersion } from '../object/meta.js';
import type { ServedVersion } from '../registry/resource-type.js';
import { badRequest, notImplemented, quote, tooLarge, unsupportedMediaType } from '../status.js';
import { type ResourceRequest, header } from './context.js';
import { scanJson, syntaxProblem } from '../object/json-scanner.js';
import type { FieldValidation } from './options.js';
import { parseYaml } from './yaml.js';

const LIMIT = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export function checkBodySize(body: string): void {
  if (body.length * 3 > LIMIT && byteLength(body) > LIMIT) throw tooLarge(`limit is ${LIMIT}`);
}

export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

interface Document {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

/**
 * Decodes the body of a create or update into an object of `version`, with defaults and without unknown fields. Throws
 * 400, 413, 415.
 */
export function decodeBody(request: ResourceRequest, version: ServedVersion, validation: FieldValidation): JsonObject {
  const body = request.request.body ?? '';
  checkBodySize(body);
  const contentType = header(request.request, 'content-type');
  const { value, duplicates } = readDocument(body, contentType, version, validation);
  const document = isObject(value) ? value : value === null ? {} : undefined;
  if (document === undefined)
    throw unrecognized(
      version.kind,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      body,
    );
  return decodeDocument(request, version, document, duplicates, validation, body);
}

/** Converts a body's document once it is known to be JSON. */
export function decodeDocument(
  request: ResourceRequest,
  version: ServedVersion,
  document: JsonObject,
  duplicates: readonly string[],
  validation: FieldValidation,
  body: string,
): JsonObject {
  const { type } = request;
  const expected = apiVersionOf(version.group, version.version);
  const kind = stringField(document, 'kind') === '' && !type.custom ? version.kind : stringField(document, 'kind');
  const apiVersion =
    stringField(document, 'apiVersion') === '' && !type.custom ? expected : stringField(document, 'apiVersion');
  for (const key of ['apiVersion', 'kind'] as const) {
    const given = document[key] ?? '';
    if (typeof given !== 'string')
      throw unrecognized(
        version.kind,
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(given)} into Go struct field .${key} of type string`,
        body,
      );
  }
  if (kind === '') throw unrecognized(version.kind, `Object 'Kind' is missing in '${body}'`, body);
  const named = parseApiVersion(apiVersion);
  if (!type.custom && (kind !== version.kind || apiVersion !== expected))
    throw wrongKind(request, kind, apiVersion, version);
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  try {
    const { object, unknownFields } = version.codec.decode({ ...document, apiVersion, kind });
    const problems = [
      ...duplicates.map((path) => `duplicate field "${path}"`),
      ...unknownFields.map((path) => `unknown field "${path}"`),
    ];
    if (problems.length > 0)
      reportStrict(request, problems, validation, (text) =>
        badRequest(`${kind} in version ${quote(named.version)} cannot be handled as a ${version.kind}: ${text}`),
      );
    return object;
  } catch (error) {
    if (error instanceof DecodeError)
      throw badRequest(
        `${kind} in version ${quote(named.version)} cannot be handled as a ${version.kind}: ${error.message}`,
      );
    throw error;
  }
}

/** Applies fieldValidation to unknown and duplicate fields. */
export function reportStrict(
  request: ResourceRequest,
  problems: readonly string[],
  validation: FieldValidation,
  refusal: (text: string) => Error,
): void {
  switch (validation) {
    case 'Ignore':
      return;
    case 'Warn':
      request.warnings.push(...problems);
      return;
    case 'Strict':
      throw refusal(`strict decoding error: ${problems.join(', ')}`);
  }
}

const MAX_INT_64 = 2n ** 63n - 1n;

/** Go stores numbers beyond 64 bits as floats, and lone surrogates as U+FFFD. */
function goNumbers(value: JsonValue, body: string): JsonValue {
  return /\\u[dD][89a-fA-F]|\d{19}/u.test(body) ? asGo(value) : value;
}

function asGo(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'bigint') return value > MAX_INT_64 || value < -MAX_INT_64 - 1n ? Number(value) : value;
  if (isArray(value)) return value.map(asGo);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => (child === undefined ? [] : [[key.toWellFormed(), asGo(child)]])),
  );
}

/** JSON or YAML, by the content type. */
function readDocument(
  body: string,
  contentType: string,
  { kind, version }: ServedVersion,
  validation: FieldValidation,
): Document {
  switch (contentType === '' ? 'application/json' : mediaTypeOf(contentType)) {
    case 'application/json':
      return readJson(
        body,
        validation,
        (text) => unrecognized(kind, `couldn't get version/kind; json parse error: ${text}`, body),
        (text) => badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${text}`),
      );
    case 'application/yaml':
      try {
        return { value: parseYaml(body), duplicates: [] };
      } catch (error) {
        throw unrecognized(kind, error instanceof Error ? error.message : String(error), body);
      }
    case PROTOBUF:
      throw notImplemented(`a request body of type ${PROTOBUF}`);
    default:
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${PROTOBUF}`,
      );
  }
}

const LARGE_EXPONENT = /[eE]\+?\d{3}/u;

export function readJson(
  body: string,
  validation: FieldValidation,
  refusal: (text: string) => Error,
  overflow = refusal,
): Document {
  try {
    const value = goNumbers(parse(body), body);
    if (validation === 'Ignore' && !LARGE_EXPONENT.test(body)) return { value, duplicates: [] };
    const { duplicates, overflows } = scanJson(body);
    if (overflows[0] !== undefined)
      throw overflow(`json: cannot unmarshal number ${overflows[0]} into Go value of type float64`);
    return { value, duplicates: validation === 'Ignore' ? [] : duplicates };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusal(syntaxProblem(body));
  }
}

function unrecognized(kind: string, why: string, body: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`);
}

function wrongKind(request: ResourceRequest, kind: string, apiVersion: string, version: ServedVersion): Error {
  const { group, version: named } = parseApiVersion(apiVersion);
  const other = request.host.registry
    .resources()
    .some((info) => info.builtIn && info.kind === kind && info.group === group && info.version === named);
  const why = other
    ? `converting (${named}.${kind}) to (${internalPackage(version.group)}.${version.kind}): unknown conversion`
    : `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return badRequest(`${kind} in version ${quote(named)} cannot be handled as a ${version.kind}: ${why}`);
}

/** Go's package of the unversioned types of a group. */
const internalPackage = (group: string): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? '');

const SUMMARY = 30;

function summary(body: string): string {
  if (body === '') return '<empty>';
  const bytes = Buffer.from(body);
  const cut = bytes.subarray(0, SUMMARY);
  const shown = body.startsWith('{') ? cut.toString('utf8') : cut.toString('hex');
  return bytes.length > SUMMARY ? `${shown} ...` : shown;
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}
