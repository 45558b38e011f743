import type { ApiRequest, RequestInfo } from '../parts.js';
import { pathSegment } from '../object/names.js';
import { parseFieldSelector } from './field-selector.js';

const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

/** Interprets the path and method of a request (apiserver `request.RequestInfoFactory`). */
export function requestInfoOf({ method, path }: Pick<ApiRequest, 'method' | 'path'>): RequestInfo {
  const mark = path.indexOf('?');
  const rawPath = mark < 0 ? path : path.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1));
  const decodedPath = decode(rawPath);
  const parts = decodedPath.split('/').filter((part) => part !== '');
  const none: RequestInfo = {
    isResourceRequest: false,
    path: decodedPath,
    verb: method.toLowerCase(),
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    query,
  };
  const [prefix, ...rest] = parts;
  if (prefix === 'api') return rest.length < 2 ? none : resourceRequest(none, '', rest, method);
  if (prefix !== 'apis' || rest.length < 3) return none;
  const [group = '', ...versioned] = rest;
  return resourceRequest(none, group, versioned, method);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function resourceRequest(base: RequestInfo, apiGroup: string, parts: readonly string[], method: string): RequestInfo {
  const [apiVersion = '', ...rest] = parts;
  const watchPath = rest[0] === 'watch' && rest.length > 1;
  let own = watchPath ? rest.slice(1) : rest;
  let namespace = '';
  if (own[0] === 'namespaces' && own.length > 1) {
    namespace = own[1] ?? '';
    if (own.length > 2 && !NAMESPACE_SUBRESOURCES.includes(own[2] ?? '')) own = own.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = own;
  const found = { ...base, isResourceRequest: true, apiGroup, apiVersion, namespace, resource, name, subresource };
  if (watchPath) return { ...found, verb: 'watch' };
  const verb = verbOf(method, name !== '');
  if (verb !== 'list') return { ...found, verb };
  const selectedName = exactName(base.query);
  return { ...found, verb: isTrue(base.query.get('watch')) ? 'watch' : 'list', name: selectedName };
}

function verbOf(method: string, named: boolean): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'GET':
    case 'HEAD':
      return named ? 'get' : 'list';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return '';
  }
}

/** Only an absent value, `false` and `0` mean no. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** A list restricted to one name by a field selector is authorized and looked up by that name. */
function exactName(query: URLSearchParams): string {
  const text = query.get('fieldSelector');
  if (text === null || text === '') return '';
  try {
    const name = parseFieldSelector(text).exact('metadata.name') ?? '';
    return pathSegment(name).length === 0 ? name : '';
  } catch {
    return '';
  }
}
