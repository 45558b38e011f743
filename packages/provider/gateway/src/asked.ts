import { badRequest, methodNotAllowed, noSuchPath, type Target } from './refused.js';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request about objects. */
export interface ObjectRequest extends Target {
  readonly kind: 'objects';
  readonly verb: Verb;
  readonly query: URLSearchParams;
}

/** The subject of a request. Closed: the gateway refuses all others. */
export type Asked =
  | ObjectRequest
  /** `/version` */
  | { readonly kind: 'version' }
  /** `/readyz`, `/livez`, `/healthz` */
  | { readonly kind: 'health' }
  /** `/api` */
  | { readonly kind: 'coreVersions' }
  /** `/apis` */
  | { readonly kind: 'groups' }
  /** `/apis/<group>` */
  | { readonly kind: 'group'; readonly group: string }
  /** `/api/v1`, `/apis/<group>/<version>` */
  | { readonly kind: 'resources'; readonly group: string; readonly version: string }
  /** `/openapi/v3` */
  | { readonly kind: 'openapiIndex' }
  /** `/openapi/v3/api/v1`, `/openapi/v3/apis/<group>/<version>` */
  | { readonly kind: 'openapi'; readonly group: string; readonly version: string };

const LONGEST_URL = 8_192;
/** Names of custom resources, Secrets and ConfigMaps need no more. So no encoding has to be parsed. */
const SEGMENT = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/u;
const URL_TEXT = /^\/[\x21-\x7e]*$/u;

/**
 * Reads a request. Pure. Decodes no path: an escape, an empty segment or a segment of dots names nothing that is
 * served.
 * @throws {Refused} 400 for a query that repeats a parameter, 404 for an unknown path, 405 for an unknown method.
 */
export function readRequest(method: string, url: string): Asked {
  if (url.length > LONGEST_URL || !URL_TEXT.test(url)) throw badRequest('the address of the request cannot be read');
  const [path = '', ...rest] = url.split('?');
  if (rest.length > 1) throw badRequest('the query of the request cannot be read');
  const [, ...segments] = path.split('/');
  if (!segments.every((segment) => SEGMENT.test(segment))) throw noSuchPath();
  const query = readQuery(rest[0] ?? '');
  const fixed = fixedPath(segments);
  if (fixed !== undefined) {
    if (method !== 'GET') throw methodNotAllowed();
    return fixed;
  }
  const [root = '', ...below] = segments;
  if (root === 'api') return objects(method, '', below, query);
  const [group = '', ...inGroup] = below;
  if (root === 'apis') return objects(method, group, inGroup, query);
  throw noSuchPath();
}

function fixedPath(segments: readonly string[]): Asked | undefined {
  const [root, first, second, third, fourth, ...more] = segments;
  if (more.length > 0) return undefined;
  if (first === undefined) {
    if (root === 'version') return { kind: 'version' };
    if (root === 'readyz' || root === 'livez' || root === 'healthz') return { kind: 'health' };
    if (root === 'api') return { kind: 'coreVersions' };
    return root === 'apis' ? { kind: 'groups' } : undefined;
  }
  if (root === 'api' && second === undefined) return { kind: 'resources', group: '', version: first };
  if (root === 'apis' && second === undefined) return { kind: 'group', group: first };
  if (root === 'apis' && second !== undefined && third === undefined)
    return { kind: 'resources', group: first, version: second };
  if (root !== 'openapi' || first !== 'v3') return undefined;
  if (second === undefined) return { kind: 'openapiIndex' };
  if (second === 'api' && third !== undefined && fourth === undefined)
    return { kind: 'openapi', group: '', version: third };
  return second === 'apis' && third !== undefined && fourth !== undefined
    ? { kind: 'openapi', group: third, version: fourth }
    : undefined;
}

function readQuery(text: string): URLSearchParams {
  const query = new URLSearchParams(text);
  if (new Set(query.keys()).size < query.size) throw badRequest('the query says one thing more than once');
  return query;
}

function objects(method: string, group: string, segments: readonly string[], query: URLSearchParams): ObjectRequest {
  const [version = '', ...below] = segments;
  const [first = '', namespace = '', resource = '', ...inNamespace] = below;
  // `/api/v1/namespaces/<name>/status` is about the namespace itself, as in an API server.
  const isAbout = first === 'namespaces' && resource !== '' && resource !== 'status' && resource !== 'finalize';
  const [name = '', subresource = '', ...more] = isAbout ? inNamespace : below.slice(1);
  if (first === '' || more.length > 0) throw noSuchPath();
  const target = isAbout
    ? { group, version, resource, namespace, name, subresource }
    : { group, version, resource: first, namespace: '', name, subresource };
  return { kind: 'objects', verb: verbOf(method, name, isTrue(query.get('watch'))), query, ...target };
}

function verbOf(method: string, name: string, watch: boolean): Verb {
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return watch ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      throw methodNotAllowed();
  }
}

/**
 * As an API server reads it: a present value that is not false is true (apimachinery `Convert_Slice_string_To_bool`).
 */
export function isTrue(text: string | null): boolean {
  return text !== null && !['false', '0'].includes(text.toLowerCase());
}

/** Query parameters that may be forwarded. All others are dropped. */
const PASSED = [
  'allowWatchBookmarks',
  'continue',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'labelSelector',
  'limit',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeout',
  'timeoutSeconds',
  'watch',
] as const;

/** The path and query of a forwarded request, rebuilt from the parsed request. */
export function pathOf({ group, version, resource, namespace, name, subresource, query }: ObjectRequest): string {
  const parts = [
    ...(group === '' ? ['api', version] : ['apis', group, version]),
    ...(namespace === '' ? [] : ['namespaces', namespace]),
    resource,
    ...[name, subresource].filter((part) => part !== ''),
  ];
  const passed = new URLSearchParams();
  for (const key of PASSED) {
    const value = query.get(key);
    if (value !== null) passed.set(key, value);
  }
  const text = passed.toString();
  return `/${parts.join('/')}${text === '' ? '' : `?${text}`}`;
}
