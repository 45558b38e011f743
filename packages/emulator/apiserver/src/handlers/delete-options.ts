import { isObject, type JsonObject, parse } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { DecodeError } from '../object/decode-error.js';
import { invalid, invalidObject, notSupported } from '../object/invalid.js';
import { field, objectField, stringField, stringsField } from '../object/json.js';
import { decodeTyped } from '../registry/builtin/typed.js';
import type { DeleteRequest } from '../registry/write-request.js';
import { badRequest, quote } from '../status.js';
import { syntaxProblem } from '../object/json-scanner.js';
import { checkBodySize, mediaTypeOf } from './body.js';
import { validateDryRun } from './options.js';
import { isTrue } from './request-info.js';
import { parseYaml } from './yaml.js';

export type DeleteOptions = Pick<DeleteRequest, 'dryRun' | 'uid' | 'resourceVersion' | 'policy' | 'orphanDependents'>;

const DEFINITION = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

/** From the body, else from the query. Throws 400 and 422. */
export function deleteOptionsOf(body: string, contentType: string, query: URLSearchParams): DeleteOptions {
  checkBodySize(body);
  const options = body === '' ? fromQuery(query) : fromBody(body, contentType);
  const policy = field(options, 'propagationPolicy');
  const orphanDependents = field(options, 'orphanDependents');
  const dryRun = stringsField(options, 'dryRun');
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && policy !== undefined)
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  const known = POLICIES.find((each) => each === policy);
  if (policy !== undefined && known === undefined)
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  errors.push(...validateDryRun(dryRun));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const preconditions = objectField(options, 'preconditions');
  return {
    dryRun: dryRun.length > 0,
    uid: preconditions?.['uid'] === undefined ? undefined : stringField(preconditions, 'uid'),
    resourceVersion:
      preconditions?.['resourceVersion'] === undefined ? undefined : stringField(preconditions, 'resourceVersion'),
    policy: known,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
  };
}

function fromQuery(query: URLSearchParams): JsonObject {
  const policy = query.get('propagationPolicy');
  return {
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents') ? { orphanDependents: isTrue(query.get('orphanDependents')) } : {}),
    ...(query.has('dryRun') ? { dryRun: query.getAll('dryRun') } : {}),
  };
}

function fromBody(body: string, contentType: string): JsonObject {
  let value: unknown;
  try {
    value = mediaTypeOf(contentType) === 'application/yaml' ? parseYaml(body) : parse(body);
  } catch (error) {
    const why =
      error instanceof SyntaxError ? syntaxProblem(body) : error instanceof Error ? error.message : String(error);
    throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
  }
  if (!isObject(value))
    throw badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal into Go value");
  const kind = stringField(value, 'kind');
  const apiVersion = stringField(value, 'apiVersion');
  if (kind !== '' && kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${quote(kind)} is registered for version ${quote(apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  try {
    return decodeTyped(DEFINITION, value).object;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
}
