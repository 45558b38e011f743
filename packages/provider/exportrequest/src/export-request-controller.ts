import { type KubeObject, type ObjectKey, getIfExists, isRefusal, objectKey } from '@hawser/client';
import { type Controller, ControllerError, createController, done, park, type Result, type WriteBudgetOptions } from '@hawser/controller';
import {
  type APIServiceExport, type APIServiceExportRequest, type APIServiceNamespace, type BoundSchema, type CustomResourceDefinition, type InformerScope, type Isolation, labels, malformation, resourceGroupName, resources,
} from '@hawser/kube-bind';
import { UnderWay } from '@hawser/informer';
import { actRequest, type RequestActOptions } from './act-request.js';
import { decideRequest } from './decide-request.js';
import { needsAdmission, type ObservedRequest, type Refusal, type RequestSettings } from './observed-request.js';
import { withNamespaceOwner, withSchemaOwner } from './owners.js';
import type { RequestDecision } from './request-decision.js';
import { createRequestPace } from './request-pace.js';
import { createSchemaStamper, type SourceSchema } from './source-schema.js';
import type { Admission, AdmissionMode } from './template/admission.js';
import { openAdmitter } from './template/admitter.js';
import { missingNamespaces } from './validate-request.js';

export interface ExportRequestOptions {
  /** How konnectors may watch; written into new exports and into BoundSchemas (spec/kube-bind-backend.md §9). */
  readonly informerScope: InformerScope;
  /** How consumers are kept apart; written into new exports. */
  readonly isolation: Isolation;
  /**
   * What a consumer may bind. Default `Exported`, as with the Go backend, so that one can take its place; `Template` is recommended: without it a consumer may
   * ask for every exported CRD, and for every claim.
   */
  readonly admission?: AdmissionMode | undefined;
  /**
   * How often a request with policy `Always` is looked at although nothing happened. CRDs are watched, so this is only a net. Default: never;
   * at least 10 s.
   */
  readonly schemaSyncIntervalMs?: number | undefined;
  /**
   * Whether a changed CRD replaces the BoundSchemas of requests with policy `Always`, at once and whatever it breaks. Default true; false where another controller
   * propagates schemas.
   */
  readonly carriesSchemas?: boolean | undefined;
  /** Exports that are made for one consumer; those that it has stay, and count until they are deleted. Default 200. */
  readonly exportsPerConsumer?: number | undefined;
  /** APIServiceNamespaces that one consumer has, with those that are made because a request names them. Default 1 000. */
  readonly namespacesPerConsumer?: number | undefined;
  /** How often requests of one consumer are looked at that are not answered yet. Default: 200 times at once, then five times a second. */
  readonly pace?: WriteBudgetOptions | undefined;
  /** Requests that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const name = 'exportrequest';
const bySchema = 'exportrequest/boundschema';
const bySource = 'exportrequest/crd';
const byServiceNamespace = 'exportrequest/namespace';
const pending = 'exportrequest/pending';
const byConsumer = 'exportrequest/consumer';
const pendingOf = 'exportrequest/pending-of-consumer';
const shortestIntervalMs = 10_000;
/** Nothing tells when somebody gets a right, or that an export was not made whose creation got no answer. */
const reviewAgainMs = 60_000;
/** BoundSchemas, export, owners, status, and one look to see that it is done; more only if somebody else is writing too. */
const maxRounds = 8;

/**
 * Answers each APIServiceExportRequest with BoundSchemas, one APIServiceExport of its name and the APIServiceNamespaces that it asks for
 * (spec/kube-bind-backend.md §8, §10.3).
 *
 * What is offered are the CRDs labelled `kube-bind.io/exported: "true"`. A request that can succeed later stays `Pending`, says why, and is looked at
 * when something changes; one that cannot is `Failed` for good. Requests, exports and BoundSchemas are never deleted.
 */
export function createExportRequestController(options: ExportRequestOptions): Controller<'provider'> {
  const { informerScope, isolation } = options;
  const settings: RequestSettings = { ...options, exportsPerConsumer: options.exportsPerConsumer ?? 200, namespacesPerConsumer: options.namespacesPerConsumer ?? 1_000 };
  const intervalMs = options.schemaSyncIntervalMs === undefined ? undefined : Math.max(options.schemaSyncIntervalMs, shortestIntervalMs);

  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const requests = scope.informer(informers.acquire<APIServiceExportRequest>({ resource: resources.apiServiceExportRequests }));
    const exports = scope.informer(informers.acquire<APIServiceExport>({ resource: resources.apiServiceExports }));
    const boundSchemas = scope.informer(informers.acquire<BoundSchema>({ resource: resources.boundSchemas }));
    const namespaces = scope.informer(informers.acquire<APIServiceNamespace>({ resource: resources.apiServiceNamespaces }));
    const crds = scope.informer(informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions, labelSelector: `${labels.exported}=true` }));
    const admitter = openAdmitter(ctx, scope, options.admission ?? 'Exported');
    requests.addIndex(pending, (request) => (isPending(request) ? [pending] : []));
    const consumerOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
    requests.addIndex(pendingOf, (request) => (isPending(request) ? [consumerOf(request)] : []));
    exports.addIndex(byConsumer, (object) => [consumerOf(object)]);
    namespaces.addIndex(byConsumer, (object) => [consumerOf(object)]);
    const exportsUnderWay = new UnderWay({ now: () => ctx.clock.monotonic() });
    requests.addIndex(bySource, (request) => soundSpec(request).resources.map(resourceGroupName));
    requests.addIndex(bySchema, (request) => soundSpec(request).resources.map((resource) => objectKey({ namespace: request.metadata.namespace, name: resourceGroupName(resource) })));
    requests.addIndex(byServiceNamespace, (request) => (soundSpec(request).namespaces ?? []).map((one) => objectKey({ namespace: request.metadata.namespace, name: one.name })));
    const actOptions: RequestActOptions = { client, clock: ctx.clock, random: ctx.random, requests, exports, boundSchemas, namespaces, exportsUnderWay, events };
    const stamper = createSchemaStamper();
    const pace = createRequestPace({ clock: ctx.clock, random: ctx.random, events, pace: options.pace, pendingOf: (consumer) => requests.byIndex(pendingOf, consumer).length });
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });

    // A request and its export have the same name. What changes for many requests at once (their CRD, a BoundSchema that they share) moves none of them ahead of others.
    const requestChanged = (object: KubeObject): void => {
      const key = objectKey(object);
      const request = requests.get(key);
      queue.add(key, { priority: request !== undefined && isPending(request) ? pace.priorityOf(request) : 'normal' });
    };
    const schemaChanged = (object: BoundSchema): void => { requests.byIndex(bySchema, objectKey(object)).forEach(requestChanged); };
    const namespaceChanged = (object: APIServiceNamespace): void => { requests.byIndex(byServiceNamespace, objectKey(object)).forEach(requestChanged); };
    const crdChanged = (object: CustomResourceDefinition): void => { requests.byIndex(bySource, objectKey(object)).forEach(requestChanged); };
    scope.onChange(requests, requestChanged);
    scope.onChange(exports, requestChanged);
    // There is room for another one.
    const roomMade = (object: KubeObject): void => { for (const request of requests.byIndex(pendingOf, consumerOf(object))) queue.add(objectKey(request), { priority: 'background' }); };
    scope.own(exports.addHandler({ onDelete: roomMade }));
    scope.own(namespaces.addHandler({ onDelete: roomMade }));
    scope.onChange(boundSchemas, schemaChanged);
    scope.onChange(namespaces, namespaceChanged);
    scope.onChange(crds, crdChanged);
    admitter.onChange(() => { requests.byIndex(pending, pending).forEach(requestChanged); });
    await scope.synced();

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const request = requests.get(key);
      const waitMs = request !== undefined && isPending(request) ? pace.deferral(request) : 0;
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs, priority: 'background' };
      let judged: Judged | undefined;
      for (let round = 1; round <= maxRounds; round++) {
        const seen = await observe(key, signal);
        judged = await judge(seen, judged, signal);
        // Counted last: nothing comes between this and the write, in which an export that is being made counts already.
        const observed = { ...seen, admission: judged?.admission, made: madeFor(seen) };
        const decision = decideRequest(settings, observed, ctx.clock.now());
        if (decision.actions.length === 0) return resultOf(decision, observed);
        for (const action of decision.actions) {
          ctx.logger.info('An APIServiceExportRequest needs something.', { key, action: action.type });
          try {
            if (await actRequest(actOptions, action, signal) === 'gone') return done;
          } catch (error) {
            if (action.type !== 'writeStatus' && isRefusal(error)) await report(observed, { message: error.message }, signal);
            throw error;
          }
        }
        if (decision.verdict.kind === 'progressing' && decision.verdict.unhurried === true) return { kind: 'requeue', afterMs: 0, priority: 'background' };
      }
      throw new ControllerError('NotSettled', name);
    }

    function resultOf({ verdict }: RequestDecision, { request }: ObservedRequest): Result {
      switch (verdict.kind) {
        case 'succeeded':
          return verdict.followsSchema && intervalMs !== undefined ? { kind: 'requeue', afterMs: intervalMs, priority: 'background' } : done;
        case 'waiting':
          if (verdict.problem.kind === 'tooManyExports' && request !== undefined && isUnsure(consumerOf(request))) return { kind: 'requeue', afterMs: reviewAgainMs, priority: 'background' };
          return verdict.problem.kind === 'bindForbidden' ? { kind: 'requeue', afterMs: reviewAgainMs * (0.8 + 0.4 * ctx.random()), priority: 'background' } : park;
        case 'absent':
        case 'failed':
        case 'progressing':
          return done;
      }
    }

    /** Whether an export counts of which nothing tells if it is not made. */
    function isUnsure(consumer: string): boolean {
      return exportsUnderWay.isUnsure(consumer, exports.byIndex(byConsumer, consumer));
    }

    /** An admission is good for the request that it was given to, as that was then, and for as long as its template stays as it was. */
    async function judge(observed: Omit<ObservedRequest, 'made'>, last: Judged | undefined, signal: AbortSignal): Promise<Judged | undefined> {
      const { request } = observed;
      if (request === undefined || isMalformed(request) || !needsAdmission(observed)) return undefined;
      const { uid, generation } = request.metadata;
      if (last !== undefined && last.uid === uid && last.generation === generation && admitter.stands(last.admission)) return last;
      return { uid, generation, admission: await admissionOf(request, observed, signal) };
    }

    async function admissionOf(request: APIServiceExportRequest, observed: Omit<ObservedRequest, 'made'>, signal: AbortSignal): Promise<Admission> {
      try {
        return await admitter.admit(request, signal);
      } catch (error) {
        if (isRefusal(error)) await report(observed, { message: error.message }, signal);
        throw error;
      }
    }

    async function report(observed: Omit<ObservedRequest, 'made'>, refusal: Refusal, signal: AbortSignal): Promise<void> {
      for (const action of decideRequest(settings, { ...observed, refusal, made: madeFor(observed) }, ctx.clock.now()).actions) await actRequest(actOptions, action, signal);
    }

    function madeFor({ request, namespaces: found }: Omit<ObservedRequest, 'made'>): ObservedRequest['made'] {
      if (request === undefined || isMalformed(request) || (!isPending(request) && missingNamespaces(request, { namespaces: found }).size === 0)) return { exports: 0, namespaces: 0 };
      const consumer = consumerOf(request);
      return { exports: exportsUnderWay.count(consumer, exports.byIndex(byConsumer, consumer), request.metadata.name), namespaces: namespaces.byIndex(byConsumer, consumer).length };
    }

    async function observe(key: string, signal: AbortSignal): Promise<Omit<ObservedRequest, 'made'>> {
      const request = requests.get(key);
      const sources = new Map<string, SourceSchema>();
      const schemas = new Map<string, BoundSchema>();
      const found = new Map<string, APIServiceNamespace>();
      if (request === undefined || isMalformed(request)) return { request, sources, boundSchemas: schemas, export: undefined, namespaces: found };
      const { namespace } = request.metadata;
      const existing = await exportOf(request, signal);
      for (const resource of request.spec.resources) {
        const schemaName = resourceGroupName(resource);
        const crd = crds.get(schemaName);
        // Of an export that exists, the isolation is settled, and the scope of its schemas has to go with it.
        const schema = boundSchemas.get(objectKey({ namespace, name: schemaName }));
        // How konnectors watch is settled with the rights: a BoundSchema that exists keeps what it says of it.
        const stamp = { informerScope: schema?.spec?.informerScope ?? informerScope, isolation: existing?.spec.isolation ?? isolation };
        if (crd !== undefined && crd.metadata.deletionTimestamp === undefined) sources.set(schemaName, stamper.stamp(crd, stamp));
        if (schema !== undefined) schemas.set(schemaName, schema);
      }
      for (const wanted of request.spec.namespaces ?? []) {
        const one = namespaces.get(objectKey({ namespace, name: wanted.name }));
        if (one !== undefined) found.set(wanted.name, one);
      }
      return { request, sources, boundSchemas: schemas, export: existing, namespaces: found };
    }

    /**
     * That an export is gone is told to people, so a missing cache entry is not enough. Nor is one that is there where something has to be made that it owns, or has to be given to it: the garbage
     * collector takes at once what an export owns that is no more, and the reference to it, and both would be made again and again.
     */
    async function exportOf(request: APIServiceExportRequest, signal: AbortSignal): Promise<APIServiceExport | undefined> {
      const { namespace, name } = request.metadata;
      const key: ObjectKey = { namespace, name };
      const cached = exports.get(key);
      const isToBeGiven = (owner: APIServiceExport): boolean => request.spec.resources.some((resource) => {
        const schema = boundSchemas.get(objectKey({ namespace, name: resourceGroupName(resource) }));
        return schema === undefined || withSchemaOwner(schema, owner) !== undefined;
      }) || (request.spec.namespaces ?? []).some((wanted) => {
        const object = namespaces.get(objectKey({ namespace, name: wanted.name }));
        return object === undefined || withNamespaceOwner(object, owner) !== undefined;
      });
      if (cached === undefined ? request.status?.phase !== 'Succeeded' : !isToBeGiven(cached)) return cached;
      const live = await getIfExists<APIServiceExport>(client, resources.apiServiceExports, key, { signal });
      if (live !== undefined) exports.observe(live);
      return live;
    }
  });
}

/** What was decided about one request, as it was at one generation. */
interface Judged {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly admission: Admission;
}

const isMalformed = (request: APIServiceExportRequest): boolean => malformation('APIServiceExportRequest', request) !== undefined;

/** Of one that nothing is known of, nothing. */
function soundSpec(request: APIServiceExportRequest): Pick<APIServiceExportRequest['spec'], 'namespaces' | 'resources'> {
  return isMalformed(request) ? { resources: [] } : request.spec;
}

function isPending({ status }: APIServiceExportRequest): boolean {
  return (status?.phase ?? 'Pending') === 'Pending';
}
