import { type KubeObject, objectKey } from '@hawser/client';
import {
  createOrRead,
  type Controller,
  type Result,
  type WriteBudgetOptions,
  createController,
  done,
  park,
} from '@hawser/controller';
import { equal } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  apiVersion,
  klutchDialect,
} from '@hawser/klutch';
import {
  commitStatus,
  conditionTypes,
  type CustomResourceDefinition,
  type InformerScope,
  type Isolation,
  isWithdrawn,
  markTrue,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { createTold } from '@hawser/telemetry';
import { refusedEvent, turnEvent } from '../act-export.js';
import { fieldManager } from '../field-manager.js';
import type { AdmissionMode } from '../template/admission.js';
import {
  decideInlineRequest,
  namesOf,
  type ObservedResource,
  offerProblem,
  ownReasons,
  withInlineAnswer,
} from './decide-inline-request.js';
import { createRequestPace } from '../request-pace.js';
import { createRestorePace } from '../restore-pace.js';
import { withdrawalChange } from '../withdrawal.js';
import { InlineOffers } from './inline-offers.js';
import { createInlineSources, type InlineSource } from './inline-source.js';

export interface InlineExportOptions {
  /** How konnectors may watch; written into new exports. */
  readonly informerScope: InformerScope;
  /** How cluster-scoped objects of several consumers are kept apart; written into new exports of cluster-scoped resources. Default `Prefixed`, the only one that works in Klutch. */
  readonly isolation?: Isolation | undefined;
  /** `Exported`, the default, lets everybody bind what a template offers, as Klutch does; under `Template` the consumer needs the verb `bind` on it. */
  readonly admission?: AdmissionMode | undefined;
  /** How often requests of one consumer are looked at that are not answered yet. Default: 200 times at once, then five times a second. */
  readonly pace?: WriteBudgetOptions | undefined;
  /** How often one export that its consumer let go of is given back. Default: 10 times at once, then once a minute. */
  readonly restores?: WriteBudgetOptions | undefined;
  /** Requests, and exports, that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const dialect = klutchDialect;
const byResource = 'inline/resource';
const pendingOf = 'inline/pending-of-consumer';
const reviewAgainMs = 60_000;

/**
 * Answers requests of Klutch with one export for each resource, which carries the CRD (spec/klutch.md §7.2), and marks an export as withdrawn while its consumer says that it has unbound it. Changes of the CRD
 * are carried by `createPropagationController` of `@hawser/propagation`. Requests and exports are never deleted.
 */
export function createInlineExportController(options: InlineExportOptions): Controller<'provider'> {
  const { informerScope, isolation = 'Prefixed', admission = 'Exported', concurrency = 4 } = options;
  return createController<'provider'>(`exportrequest-${dialect.name}`, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const { clock, random } = ctx;
    const requests = scope.informer(
      informers.acquire<APIServiceExportRequest>({ resource: dialect.resources.apiServiceExportRequests }),
    );
    const exports = scope.informer(
      informers.acquire<APIServiceExport>({ resource: dialect.resources.apiServiceExports }),
    );
    const templates = scope.informer(
      informers.acquire<APIServiceExportTemplate>({ resource: dialect.resources.apiServiceExportTemplates }),
    );
    // Templates select CRDs; there is no label.
    const crds = scope.informer(
      informers.acquire<CustomResourceDefinition>({ resource: resources.customResourceDefinitions }),
    );
    requests.addIndex(byResource, (request) => (isPending(request) ? namesOf(request) : []));
    requests.addIndex(pendingOf, (request) => (isPending(request) ? [request.metadata.namespace ?? ''] : []));
    exports.addIndex(byResource, ({ metadata }) => [metadata.name]);
    const clusterBindings =
      admission === 'Exported'
        ? undefined
        : scope.informer(informers.acquire<KubeObject>({ resource: dialect.resources.clusterBindings }));
    const offers = new InlineOffers({ client, templates, clusterBindings });
    const sourceOf = createInlineSources();
    const refusals = createTold(events);
    const pace = createRequestPace({
      clock,
      random,
      events,
      pace: options.pace,
      pendingOf: (consumer) => requests.byIndex(pendingOf, consumer).length,
    });
    const restores = createRestorePace({ clock, told: createTold(events), pace: options.restores });
    const requestQueue = scope.openQueue({ name: 'inlinerequest', concurrency, reconcile: reconcileRequest });
    const exportQueue = scope.openQueue({ name: 'inlineexport', concurrency, reconcile: reconcileExport });

    const requestChanged = (request: APIServiceExportRequest): void => {
      requestQueue.add(objectKey(request), { priority: isPending(request) ? pace.priorityOf(request) : 'normal' });
    };
    const askedFor = (name: string): void => {
      requests.byIndex(byResource, name).forEach(requestChanged);
    };
    scope.onChange(requests, requestChanged);
    scope.own(
      offers.onApproval((namespace) => {
        requests.byIndex(pendingOf, namespace).forEach(requestChanged);
        for (const found of exports.list(namespace)) if (isWithdrawn(found.metadata)) exportQueue.add(objectKey(found));
      }),
    );
    scope.onChange(templates, ({ spec }) => {
      const offered = resourceGroupName(spec.APIServiceSelector);
      askedFor(offered);
      for (const found of exports.byIndex(byResource, offered))
        if (isWithdrawn(found.metadata)) exportQueue.add(objectKey(found));
    });
    scope.onChange(exports, (found) => {
      exportQueue.add(objectKey(found));
      askedFor(found.metadata.name);
    });
    scope.onChange(crds, ({ metadata: { name } }) => {
      askedFor(name);
    });
    await scope.synced();

    async function reconcileRequest(key: string, signal: AbortSignal): Promise<Result> {
      const request = requests.get(key);
      if (request === undefined || request.metadata.deletionTimestamp !== undefined || !isPending(request)) return done;
      const waitMs = pace.deferral(request);
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs, priority: 'background' };
      const observed = new Map<string, ObservedResource>();
      for (const name of namesOf(request)) observed.set(name, await observe(request, name, signal));
      const { create, problem, answered } = decideInlineRequest(
        { informerScope, isolation },
        { request, resources: observed },
      );
      for (const one of create)
        await createOrRead(exports, client, dialect.resources.apiServiceExports, one, { fieldManager, signal });
      if (problem === undefined && !answered) return { kind: 'requeue', afterMs: 0 };
      const wanted = withInlineAnswer(request.status, problem, clock.now());
      if (!equal(wanted, request.status)) {
        const written = await commitStatus(
          client,
          dialect.resources.apiServiceExportRequests,
          request,
          (status, current) =>
            current.metadata.generation === request.metadata.generation
              ? withInlineAnswer(status, problem, clock.now())
              : status,
          { clock, random, signal },
        );
        if (written !== undefined) requests.observe(written);
        if (problem !== undefined) tell('APIServiceExportRequest', request, problem.reason, problem.message);
      }
      if (problem === undefined) return done;
      // Nothing tells when somebody gets a right.
      return problem.reason === ownReasons.bindForbidden
        ? { kind: 'requeue', afterMs: reviewAgainMs * (0.8 + 0.4 * random()), priority: 'background' }
        : park;
    }

    async function observe(
      request: APIServiceExportRequest,
      name: string,
      signal: AbortSignal,
    ): Promise<ObservedResource> {
      const { namespace = '' } = request.metadata;
      return {
        source: source(name),
        ...(await offers.of(namespace, name, signal)),
        export: exports.get(objectKey({ namespace, name })),
      };
    }

    function source(name: string): InlineSource | undefined {
      const crd = crds.get(name);
      return crd === undefined || crd.metadata.deletionTimestamp !== undefined ? undefined : sourceOf(crd);
    }

    async function reconcileExport(key: string, signal: AbortSignal): Promise<Result> {
      const found = exports.get(key);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return done;
      const wantsRestoring = withdrawalChange(found, { kind: 'unknown' }, true).turn?.kind === 'restored';
      const offer = wantsRestoring
        ? await offers.of(found.metadata.namespace ?? '', found.metadata.name, signal)
        : undefined;
      const change = withdrawalChange(found, { kind: 'unknown' }, offer?.template !== undefined);
      if (offer !== undefined && offer.template === undefined) {
        const { namespace, name, uid } = found.metadata;
        refusals.tell(
          key,
          { apiVersion, kind: 'APIServiceExport', namespace, name, uid },
          refusedEvent(offerProblem(name, offer.forbidden, offer.unapproved).message),
        );
      }
      if (change.turn?.kind === 'restored') {
        const waitMs = restores.deferral(found);
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      }
      if (Object.keys(change.annotations).length > 0) {
        const { namespace, name, uid, resourceVersion } = found.metadata;
        exports.observe(
          await client.patch<APIServiceExport>(
            dialect.resources.apiServiceExports,
            { namespace, name },
            { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations: change.annotations } } },
            { fieldManager, signal },
          ),
        );
        if (change.turn !== undefined)
          events.record({ apiVersion, kind: 'APIServiceExport', namespace, name, uid }, turnEvent(change.turn));
      }
      // It carries its schema, so nothing of it can be missing.
      const written = await commitStatus(
        client,
        dialect.resources.apiServiceExports,
        found,
        (status) => {
          const conditions = markTrue(status.conditions, conditionTypes.providerInSync, clock.now());
          return conditions === status.conditions ? status : { ...status, conditions };
        },
        { clock, random, signal },
      );
      if (written !== undefined && written !== found) exports.observe(written);
      if (offer === undefined || offer.template !== undefined) refusals.forget(key);
      return (offer?.forbidden ?? []).length > 0 && offer?.template === undefined
        ? { kind: 'requeue', afterMs: reviewAgainMs * (0.8 + 0.4 * random()), priority: 'background' }
        : done;
    }

    function tell(
      kind: string,
      { metadata: { namespace, name, uid } }: KubeObject,
      reason: string,
      message: string,
    ): void {
      events.record({ apiVersion, kind, namespace, name, uid }, { type: 'Warning', reason, message });
    }
  });
}

function isPending({ status }: APIServiceExportRequest): boolean {
  return (status?.phase ?? 'Pending') === 'Pending';
}
