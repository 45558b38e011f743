import type { ApiRequest, VirtualResource } from '../parts.js';
import type { ServedVersion, ResourceType } from '../registry/resource-type.js';
import { StatusError, methodNotAllowed, noSuchPath } from '../status.js';
import { header } from './context.js';
import { PATCH_TYPES } from './patch.js';

/** The target of a request path for a built-in kind. */
export interface RestTarget {
  readonly type: ResourceType;
  readonly version: ServedVersion;
  /** Of `serviceaccounts/token`. */
  readonly virtual: VirtualResource | undefined;
}

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  update: 'PUT',
  patch: 'PATCH',
  create: 'POST',
  delete: 'DELETE',
};

/**
 * Checks that precede the handlers for built-in kinds: their router (go-restful) refuses, in this order, paths,
 * methods, content types of patches and accepted types. Custom resources have no such router. Throws 404, 405, 406 and
 * 415 as it does.
 */
export function checkRestRoute(request: ApiRequest, target: RestTarget): void {
  const methods = methodsAt(segmentsOf(request.path), target);
  if (methods === undefined) throw noSuchPath();
  if (!methods.includes(request.method)) throw methodNotAllowed();
  if (request.method === 'PATCH' && !PATCH_TYPES.includes(bare(header(request, 'content-type'))))
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  checkAccept(header(request, 'accept'), methods.includes('POST') ? [...MEDIA_TYPES, ...STREAM_TYPES] : MEDIA_TYPES);
}

/** Whether a path belongs to a create-only resource: no name, no more parts. */
export function isCollectionPath(path: string, { resource, namespaced }: VirtualResource): boolean {
  const segments = segmentsOf(path);
  return namespaced
    ? segments.length === 3 && segments[0] === 'namespaces' && segments[2] === resource
    : segments.length === 1;
}

/** A path with a broken escape never reaches a handler. */
export function isMalformed(path: string): boolean {
  return /%(?![0-9a-f]{2})/iu.test(path.split('?', 1)[0] ?? '');
}

/** Path segments after the version. */
function segmentsOf(path: string): readonly string[] {
  const raw = path.split('?', 1)[0] ?? '';
  const parts = decodeURIComponent(raw)
    .replace(/^\/|\/$/gu, '')
    .split('/');
  return parts.slice(parts[0] === 'api' ? 2 : 3);
}

/** Methods of the matching route; undefined without one. */
function methodsAt(segments: readonly string[], target: RestTarget): readonly string[] | undefined {
  if (segments.includes('')) return undefined;
  if (segments[0] === 'watch') return methodsAt(segments.slice(1), target) === undefined ? undefined : ['GET'];
  const { type } = target;
  const [first, , third] = segments;
  if (!type.namespaced) return first === type.resource ? methodsOf(segments.slice(1), target) : undefined;
  if (first === 'namespaces' && third === type.resource) return methodsOf(segments.slice(3), target);
  return first === type.resource && segments.length === 1 ? ['GET'] : undefined;
}

function methodsOf(own: readonly string[], { type, version, virtual }: RestTarget): readonly string[] | undefined {
  const [, subresource] = own;
  switch (own.length) {
    case 0:
      return type.resource === 'namespaces' ? ['GET', 'POST'] : ['GET', 'POST', 'DELETE'];
    case 1:
      return ['GET', 'PUT', 'PATCH', 'DELETE'];
    case 2:
      if (virtual !== undefined) return ['POST'];
      return version.subresources.get(subresource ?? '')?.verbs.flatMap((verb) => METHODS[verb] ?? []);
    default:
      return undefined;
  }
}

function checkAccept(accept: string, available: readonly string[]): void {
  if (accept === '') return;
  if (
    accept
      .split(',')
      .map(bare)
      .some((type) => type === '*/*' || MEDIA_TYPES.includes(type))
  )
    return;
  throw new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    {},
  );
}

const bare = (type: string): string => (type.split(';')[0] ?? '').trim();
