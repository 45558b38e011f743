import { canonical, isObject, type JsonObject, parse } from '@hawser/json';
import { formatFieldError } from '@hawser/schema';
import { invalid } from '../object/invalid.js';
import { numberField, stringField } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import { StatusError, badRequest, expired, quote, timeoutTooLargeResourceVersion } from '../status.js';
import { CompactedError, FutureRevisionError } from '../store/store.js';
import type { Entry } from '../store/change.js';
import { type ResourceRequest, namespaceOf } from './context.js';
import type { ListOptions } from './options.js';
import type { ListMeta } from './represent.js';

export interface Listed {
  readonly objects: readonly JsonObject[];
  readonly meta: ListMeta;
}

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const INCONSISTENT =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The objects of a list request, one page if it has a limit, all at one revision. Throws 400, 410, 504. */
export function listObjects(request: ResourceRequest, options: ListOptions): Listed {
  const prefix = prefixOf(request, options);
  const start = startOf(options, prefix);
  const revision = start.revision ?? latestFor(request, options);
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  const objects: JsonObject[] = [];
  let lastKey = '';
  let remaining = 0;
  for (const entry of entriesAt(request, revision, prefix, start.key, options)) {
    if (limit > 0 && objects.length >= limit) {
      remaining++;
      // Only a list without selectors reports the remaining count.
      if (options.labels.empty && options.fields.empty) continue;
      break;
    }
    lastKey = entry.key;
    const object = request.version.codec.fromStorage(entry.object);
    if (matches(request, object, options)) objects.push(object);
  }
  const page = remaining === 0 ? {} : { continue: encodeContinue(lastKey.slice(prefix.length), revision) };
  const left = remaining > 0 && options.labels.empty && options.fields.empty ? { remainingItemCount: remaining } : {};
  return { objects, meta: { resourceVersion: String(revision), ...page, ...left } };
}

/** A fault makes a list that takes any version see an old one. */
function latestFor({ host, staleRevision }: ResourceRequest, { resourceVersion }: ListOptions): number {
  const { revision, compactedRevision } = host.store;
  return staleRevision !== undefined && resourceVersion === '0' && staleRevision >= compactedRevision
    ? Math.min(staleRevision, revision)
    : revision;
}

/** Key prefix of a request's objects in the bucket. */
export function prefixOf(request: ResourceRequest, options: Pick<ListOptions, 'fields'>): string {
  if (request.prefix !== undefined) return request.prefix;
  const namespace =
    namespaceOf(request) || (request.type.namespaced ? (options.fields.exact('metadata.namespace') ?? '') : '');
  return namespace === '' ? '' : `${namespace}/`;
}

export function matches(
  request: Pick<ResourceRequest, 'version'>,
  object: JsonObject,
  options: Pick<ListOptions, 'labels' | 'fields'>,
): boolean {
  if (!options.labels.empty && !options.labels.matches(metaOf(object).labels ?? {})) return false;
  return options.fields.empty || options.fields.matches(request.version.fields.valuesOf(object));
}

interface Start {
  readonly key: string;
  /** Undefined: the latest. */
  readonly revision: number | undefined;
}

function startOf(options: ListOptions, prefix: string): Start {
  const { continueToken, resourceVersion, resourceVersionMatch, limit } = options;
  if (continueToken !== '') {
    const token = decodeContinue(continueToken);
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return { key: prefix + token.key, revision: token.revision < 0 ? undefined : token.revision };
  }
  if (resourceVersion === '') return { key: '', revision: undefined };
  const wanted = parseRevision(resourceVersion);
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && wanted > 0);
  return { key: '', revision: exact ? wanted : undefined };
}

function entriesAt(
  request: ResourceRequest,
  revision: number,
  prefix: string,
  start: string,
  options: ListOptions,
): Iterable<Entry> {
  const { store } = request.host;
  const { bucket } = request.type;
  if (options.resourceVersion !== '') {
    const wanted = parseRevision(options.resourceVersion);
    if (wanted > store.revision) throw timeoutTooLargeResourceVersion(wanted, store.revision);
  }
  try {
    return revision === store.revision
      ? store.range(bucket, prefix, start)
      : store.rangeAt(bucket, revision, prefix, start);
  } catch (error) {
    if (error instanceof FutureRevisionError) throw timeoutTooLargeResourceVersion(error.wanted, error.current);
    if (!(error instanceof CompactedError)) throw error;
    throw options.continueToken === ''
      ? expired(TOO_OLD)
      : expired(INCONSISTENT, { continue: encodeContinue(start.slice(prefix.length), -1, '') });
  }
}

/** Throws 400 for an invalid revision. */
export function parseRevision(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  throw badRequest(
    `invalid resource version: ${formatFieldError(invalid('resourceVersion', text, `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`))}`,
  );
}

/** Watch and get have a terser message. */
export function parseRevisionOrFail(text: string): number {
  if (text === '') return 0;
  if (/^\d+$/u.test(text)) return Number(text);
  throw new StatusError(
    500,
    '',
    formatFieldError(invalid('resourceVersion', text, `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`)),
  );
}

/** `after` follows the last key: the next page starts right after it. */
function encodeContinue(key: string, revision: number, after = '\u0000'): string {
  return Buffer.from(
    canonical({ v: 'meta.k8s.io/v1', rv: revision, start: `${key}${after}` }, { sortKeys: false }),
  ).toString('base64url');
}

function decodeContinue(token: string): { readonly key: string; readonly revision: number } {
  const bad = (why: string): Error => badRequest(`invalid continue token: ${why}`);
  const invalidByte = /[^A-Za-z0-9_-]/u.exec(token);
  if (invalidByte !== null)
    throw bad(`continue key is not valid: illegal base64 data at input byte ${invalidByte.index}`);
  const bytes = Buffer.from(token, 'base64url');
  let value: unknown;
  try {
    value = parse(bytes.toString('utf8'));
  } catch {
    throw bad(`continue key is not valid: ${goJsonProblem(bytes)}`);
  }
  if (!isObject(value)) throw bad('continue key is not valid');
  const version = stringField(value, 'v');
  if (version !== 'meta.k8s.io/v1')
    throw bad(`continue key is not valid: server does not recognize this encoded version ${version}`);
  const revision = numberField(value, 'rv') ?? 0;
  const key = stringField(value, 'start');
  if (revision === 0)
    throw bad('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (key === '') throw bad('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  if (
    `/${key}`
      .split('/')
      .slice(1)
      .some((part) => part === '' || part === '.' || part === '..')
  )
    throw bad(`continue key is not valid: ${key}`);
  return { key, revision };
}

function goJsonProblem(bytes: Buffer): string {
  const first = bytes[0];
  return first === undefined
    ? 'unexpected end of JSON input'
    : `invalid character '${quote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`;
}
