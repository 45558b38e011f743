import { type Client, type ObjectKey, getIfExists, objectKey } from '@hawser/client';
import type { ControllerContext } from '@hawser/controller';
import type { UnderWay } from '@hawser/informer';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { needsAdmission, type ObservedRequest } from './observed-request.js';
import { withNamespaceOwner, withSchemaOwner } from './owners.js';
import { consumerOf, isMalformed, isPending, type RequestCaches } from './request-caches.js';
import type { Judged, RequestRound } from './request-decision.js';
import type { RequestPace } from './request-pace.js';
import { nextReviewMs, reviewAgainMs } from './review-again.js';
import type { SchemaStamper, SourceSchema, Stamp } from './source-schema.js';
import type { Admitter } from './template/admitter.js';
import { missingNamespaces } from './validate-request.js';

/** Sources for observing requests. */
export interface RequestSources extends Pick<ControllerContext, 'clock' | 'random'> {
  readonly client: Client;
  readonly caches: RequestCaches;
  readonly admitter: Admitter;
  readonly pace: RequestPace;
  readonly stamper: SchemaStamper;
  /** Stamp of new objects. */
  readonly stamp: Stamp;
  /** Exports that are being made, or may have been. */
  readonly exportsUnderWay: UnderWay;
}

const nothingMade: ObservedRequest['made'] = { exports: 0, namespaces: 0 };

/** Reads one request at its consumer's pace. `before`: the last observation of the same run. */
export async function observeRound(
  sources: RequestSources,
  key: string,
  before: RequestRound | undefined,
  signal: AbortSignal,
): Promise<RequestRound> {
  const { clock, random, pace, caches } = sources;
  const request = caches.requests.get(key);
  const waitMs = before === undefined && request !== undefined && isPending(request) ? pace.deferral(request) : 0;
  if (waitMs > 0) return { ...unread(request), now: clock.now(), judged: undefined, waitMs, reviewInMs: reviewAgainMs };
  const seen = await observeRequest(sources, key, signal);
  const judged = await judge(sources, seen, before?.judged, signal);
  const isForbidden = judged?.admission.kind === 'forbidden';
  const again = before !== undefined && before.judged === judged ? before.reviewInMs : undefined;
  return {
    ...seen,
    now: clock.now(),
    judged,
    waitMs: 0,
    reviewInMs: again ?? (isForbidden ? nextReviewMs(random) : reviewAgainMs),
  };
}

/** Reads one request with all inputs of its answer, except the {@link counted} ones. */
async function observeRequest(
  { client, caches, stamper, stamp: { informerScope, isolation } }: RequestSources,
  key: string,
  signal: AbortSignal,
): Promise<ObservedRequest> {
  const request = caches.requests.get(key);
  const sources = new Map<string, SourceSchema>();
  const schemas = new Map<string, BoundSchema>();
  const found = new Map<string, APIServiceNamespace>();
  if (request === undefined || isMalformed(request)) return unread(request);
  const { namespace } = request.metadata;
  const existing = await exportOf(client, caches, request, signal);
  for (const resource of request.spec.resources) {
    const schemaName = resourceGroupName(resource);
    const crd = caches.crds.get(schemaName);
    // For an existing export the isolation is settled, and the scope of its schemas must match it.
    const schema = caches.boundSchemas.get(objectKey({ namespace, name: schemaName }));
    // The informer scope is settled with the rights: an existing BoundSchema keeps its own.
    const stamp = {
      informerScope: schema?.spec?.informerScope ?? informerScope,
      isolation: existing?.spec.isolation ?? isolation,
    };
    if (crd !== undefined && crd.metadata.deletionTimestamp === undefined)
      sources.set(schemaName, stamper.stamp(crd, stamp));
    if (schema !== undefined) schemas.set(schemaName, schema);
  }
  for (const wanted of request.spec.namespaces ?? []) {
    const one = caches.namespaces.get(objectKey({ namespace, name: wanted.name }));
    if (one !== undefined) found.set(wanted.name, one);
  }
  return { request, sources, boundSchemas: schemas, export: existing, namespaces: found, made: nothingMade };
}

/** A request without any other knowledge. */
export function unread(request: APIServiceExportRequest | undefined): ObservedRequest {
  return {
    request,
    sources: new Map(),
    boundSchemas: new Map(),
    export: undefined,
    namespaces: new Map(),
    made: nothingMade,
  };
}

/** Reuses an admission for the same unchanged request while its template is unchanged. */
async function judge(
  { admitter }: RequestSources,
  observed: ObservedRequest,
  last: Judged | undefined,
  signal: AbortSignal,
): Promise<Judged | undefined> {
  const { request } = observed;
  if (request === undefined || isMalformed(request) || !needsAdmission(observed)) return undefined;
  const { uid, generation } = request.metadata;
  if (
    last !== undefined &&
    last.uid === uid &&
    last.generation === generation &&
    admitter.stands(last.admission, request)
  )
    return last;
  return { uid, generation, admission: await admitter.admit(request, signal) };
}

/** Counts the consumer's objects, including exports being made for its other requests. */
export function counted(
  { caches: { exportsOf, namespacesOf }, exportsUnderWay }: RequestSources,
  observed: RequestRound,
): RequestRound {
  const { request, namespaces } = observed;
  if (
    request === undefined ||
    isMalformed(request) ||
    (!isPending(request) && missingNamespaces(request, { namespaces }).size === 0)
  )
    return observed;
  const consumer = consumerOf(request);
  const exports = exportsOf(consumer);
  const made = {
    exports: exportsUnderWay.count(consumer, exports, request.metadata.name),
    namespaces: namespacesOf(consumer).length,
  };
  return { ...observed, made, isUnsure: exportsUnderWay.isUnsure(consumer, exports) };
}

/**
 * Reads the export live where it matters. Its loss is reported to people, so a missing cache entry is not enough. A
 * present one is not enough either where it must own a new or existing object: garbage collection would delete the
 * objects of a deleted owner, or the reference, and both would be made again and again.
 */
async function exportOf(
  client: Client,
  { exports, boundSchemas, namespaces }: RequestCaches,
  request: APIServiceExportRequest,
  signal: AbortSignal,
): Promise<APIServiceExport | undefined> {
  const { namespace, name } = request.metadata;
  const key: ObjectKey = { namespace, name };
  const cached = exports.get(key);
  const isToBeGiven = (owner: APIServiceExport): boolean =>
    request.spec.resources.some((resource) => {
      const schema = boundSchemas.get(objectKey({ namespace, name: resourceGroupName(resource) }));
      return schema === undefined || withSchemaOwner(schema, owner) !== undefined;
    }) ||
    (request.spec.namespaces ?? []).some((wanted) => {
      const object = namespaces.get(objectKey({ namespace, name: wanted.name }));
      return object === undefined || withNamespaceOwner(object, owner) !== undefined;
    });
  if (cached === undefined ? request.status?.phase !== 'Succeeded' : !isToBeGiven(cached)) return cached;
  const live = await getIfExists<APIServiceExport>(client, resources.apiServiceExports, key, { signal });
  if (live !== undefined) exports.observe(live);
  return live;
}
