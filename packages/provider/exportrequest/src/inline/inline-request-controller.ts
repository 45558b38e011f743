import { type KubeObject, isTerminating, objectKey } from '@hawser/client';
import {
  type Controller,
  controller,
  createOrRead,
  type Decision,
  type Priority,
  type Reconciler,
  type Setup,
  type Watched,
} from '@hawser/controller';
import { type APIServiceExport, type APIServiceExportRequest, klutchDialect } from '@hawser/klutch';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { fieldManager } from '../field-manager.js';
import { isPending } from '../request-caches.js';
import { createRequestPace, type RequestPace } from '../request-pace.js';
import { nextReviewMs } from '../review-again.js';
import type { AdmissionMode } from '../template/admission.js';
import {
  type InlineRequestSettings,
  namesOf,
  type ObservedResource,
  withInlineAnswer,
} from './decide-inline-request.js';
import { decideInlineRound, type InlineAction, type InlineRound } from './decide-inline-round.js';
import { type InlineOffers, watchInlineOffers } from './inline-offers.js';
import type { InlineExportOptions } from './inline-options.js';
import { createInlineSources } from './inline-source.js';

interface Caches {
  readonly requests: Watched<APIServiceExportRequest>;
  readonly exports: Watched<APIServiceExport>;
  readonly crds: Watched<CustomResourceDefinition>;
  readonly offers: InlineOffers;
  readonly pace: RequestPace;
}

const byResource = 'inline/resource';
const pendingOf = 'inline/pending-of-consumer';
const { apiServiceExportRequests, apiServiceExports } = klutchDialect.resources;

/** Answers requests of Klutch: see `createInlineExportControllers`. */
export function createInlineRequestController(options: InlineExportOptions): Controller<'provider'> {
  const { informerScope, isolation = 'Prefixed', admission = 'Exported', concurrency = 4 } = options;
  const settings: InlineRequestSettings = { informerScope, isolation };
  return controller('inlinerequest', (setup: Setup<'provider'>): Reconciler<InlineRound, Decision<InlineAction>> => {
    const caches = watchInlineRequests(setup, admission, options.pace);
    const sourceOf = createInlineSources();
    const observeResource = async (
      { metadata: { namespace = '' } }: KubeObject,
      name: string,
      signal: AbortSignal,
    ): Promise<ObservedResource> => {
      const crd = caches.crds.get(name);
      return {
        source: crd === undefined || isTerminating(crd) ? undefined : sourceOf(crd),
        ...(await caches.offers.of(namespace, name, signal)),
        export: caches.exports.get(objectKey({ namespace, name })),
      };
    };
    return {
      concurrency,
      takesAll: true,
      async observe(key, signal, before) {
        const found = caches.requests.get(key);
        const request = found === undefined || isTerminating(found) || !isPending(found) ? undefined : found;
        // Each run counts as one look.
        const waitMs = request === undefined || before !== undefined ? 0 : caches.pace.deferral(request);
        const observed = new Map<string, ObservedResource>();
        if (request !== undefined && waitMs === 0)
          for (const name of namesOf(request)) observed.set(name, await observeResource(request, name, signal));
        return {
          request,
          resources: observed,
          waitMs,
          reviewInMs: nextReviewMs(setup.random),
          now: setup.clock.now(),
        };
      },
      decide: (observed) => decideInlineRound(settings, observed),
      act: (action, signal, { now }) => actInline(setup, caches, action, now, signal),
    };
  });
}

function watchInlineRequests(
  setup: Setup<'provider'>,
  admission: AdmissionMode,
  pace: InlineExportOptions['pace'],
): Caches {
  const {
    clusters: { provider },
    clock,
    random,
    watch,
  } = setup;
  const pendingIn = (namespace: string): readonly APIServiceExportRequest[] => requests.byIndex(pendingOf, namespace);
  const askingFor = (resource: string): readonly string[] => requests.byIndex(byResource, resource).map(objectKey);
  const requestPace = createRequestPace({
    clock,
    random,
    events: provider.events,
    pace,
    pendingOf: (consumer) => pendingIn(consumer).length,
  });
  const priorityOf = (request: APIServiceExportRequest | undefined): Priority =>
    request !== undefined && isPending(request) ? requestPace.priorityOf(request) : 'normal';
  const priority = (key: string): Priority => priorityOf(requests.get(key));

  const requests = watch<APIServiceExportRequest>(
    provider,
    { resource: apiServiceExportRequests, kind: 'APIServiceExportRequest' },
    objectKey,
    { priority: (_, request) => priorityOf(request) },
  );
  requests.addIndex(byResource, (request) => (isPending(request) ? namesOf(request) : []));
  requests.addIndex(pendingOf, (request) => (isPending(request) ? [request.metadata.namespace ?? ''] : []));
  return {
    requests,
    exports: watch<APIServiceExport>(
      provider,
      { resource: apiServiceExports, kind: 'APIServiceExport' },
      ({ metadata }) => askingFor(metadata.name),
      { priority },
    ),
    // Templates select CRDs; there is no label.
    crds: watch<CustomResourceDefinition>(
      provider,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition' },
      ({ metadata }) => askingFor(metadata.name),
      { priority },
    ),
    offers: watchInlineOffers(setup, {
      admission,
      offering: askingFor,
      ofConsumer: (namespace) => pendingIn(namespace).map(objectKey),
      priority,
    }),
    pace: requestPace,
  };
}

/** The only place that writes for requests of Klutch. Failures are the client's ApiErrors. */
async function actInline(
  { clusters: { provider } }: Setup<'provider'>,
  { requests, exports }: Caches,
  action: InlineAction,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  switch (action.type) {
    case 'createExport':
      await createOrRead(exports, provider.client, apiServiceExports, action.export, { fieldManager, signal });
      return;
    case 'answer': {
      const { request, problem } = action;
      await requests.commitStatus(
        request,
        (status, current) =>
          current.metadata.generation === request.metadata.generation ? withInlineAnswer(status, problem, now) : status,
        signal,
        problem === undefined ? [] : [{ type: 'Warning', reason: problem.reason, message: problem.message }],
      );
    }
  }
}
