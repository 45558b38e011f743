import { type ApiError, objectKey } from '@hawser/client';
import {
  type Controller,
  controller,
  type Reconciler,
  type Refused,
  type Setup,
  type WriteBudgetOptions,
} from '@hawser/controller';
import { UnderWay } from '@hawser/informer';
import type { InformerScope, Isolation } from '@hawser/kube-bind';
import { actRequest, type RequestActOptions } from './act-request.js';
import { decideRequest } from './decide-request.js';
import { decideRequestRound, type RoundSettings } from './decide-request-round.js';
import { counted, observeRound, type RequestSources, unread } from './observe-request.js';
import { watchRequests } from './request-caches.js';
import type { RequestRound, RoundDecision } from './request-decision.js';
import { createRequestPace } from './request-pace.js';
import { createSchemaStamper } from './source-schema.js';
import type { AdmissionMode } from './template/admission.js';
import { createAdmitter, watchOffers } from './template/admitter.js';

export interface ExportRequestOptions {
  /** How konnectors may watch; written into new exports and into BoundSchemas (spec/kube-bind-backend.md §9). */
  readonly informerScope: InformerScope;
  /** How consumers are kept apart; written into new exports. */
  readonly isolation: Isolation;
  /**
   * What a consumer may bind. Default `Exported`, as in the Go backend, to allow a takeover. `Template` is recommended:
   * without it a consumer may request every exported CRD, and every claim.
   */
  readonly admission?: AdmissionMode | undefined;
  /**
   * Interval of looks at a request with policy `Always`, without an event. CRDs are watched, so this is only a safety
   * net. Default: never; at least 10 s.
   */
  readonly schemaSyncIntervalMs?: number | undefined;
  /**
   * Whether a changed CRD replaces the BoundSchemas of requests with policy `Always` at once, even if it breaks
   * something. Default true; false where another controller propagates schemas.
   */
  readonly carriesSchemas?: boolean | undefined;
  /** Limit of exports made for one consumer; existing ones stay, and count until they are deleted. Default 200. */
  readonly exportsPerConsumer?: number | undefined;
  /** Limit of APIServiceNamespaces of one consumer, including those made for requests. Default 1 000. */
  readonly namespacesPerConsumer?: number | undefined;
  /**
   * Rate limit for looks at unanswered requests of one consumer. Default: 200 times at once, then five times a second.
   */
  readonly pace?: WriteBudgetOptions | undefined;
  /** Requests processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const shortestIntervalMs = 10_000;

/**
 * Answers each APIServiceExportRequest with BoundSchemas, one APIServiceExport of its name and the requested
 * APIServiceNamespaces (spec/kube-bind-backend.md §8, §10.3).
 *
 * Offers the CRDs labelled `kube-bind.io/exported: "true"`. A request that can succeed later stays `Pending` with a
 * reason, and is looked at when something changes; one that cannot is `Failed` for good. Never deletes requests,
 * exports and BoundSchemas.
 */
export function createExportRequestController(options: ExportRequestOptions): Controller<'provider'> {
  const { concurrency } = options;
  const settings = settingsOf(options);
  return controller('exportrequest', (setup: Setup<'provider'>): Reconciler<RequestRound, RoundDecision> => {
    const sources = openSources(setup, options, settings);
    const { client, clock, exportsUnderWay, caches } = sources;
    const actOptions: RequestActOptions = { client, clock, exportsUnderWay, ...caches };
    return {
      concurrency,
      takesAll: true,
      observe: (key, signal, before) => observeRound(sources, key, before, signal),
      lastLook: (observed) => counted(sources, observed),
      decide: (observed) => decideRequestRound(settings, observed),
      act: (action, signal) => actRequest(actOptions, action, signal),
      reportRefusal: (error, refused, signal) => report(actOptions, settings, error, refused, signal),
    };
  });
}

/** Opens the caches; their changes queue requests. */
function openSources(
  setup: Setup<'provider'>,
  { admission = 'Exported', pace: paceOptions }: ExportRequestOptions,
  stamp: RoundSettings,
): RequestSources {
  const { clock, random, clusters } = setup;
  const { client, events } = clusters.provider;
  const pace = createRequestPace({
    clock,
    random,
    events,
    pace: paceOptions,
    pendingOf: (consumer) => caches.pendingRequests(consumer).length,
  });
  const { paced, ...caches } = watchRequests(setup, (request) => pace.priorityOf(request));
  const offers = watchOffers(setup, admission, () => caches.pendingRequests().map(objectKey), paced);
  return {
    client,
    clock,
    random,
    caches,
    admitter: createAdmitter(client, offers, admission),
    pace,
    stamper: createSchemaStamper(),
    stamp,
    exportsUnderWay: new UnderWay({ now: () => clock.monotonic() }),
  };
}

function settingsOf({
  informerScope,
  isolation,
  carriesSchemas,
  exportsPerConsumer = 200,
  namespacesPerConsumer = 1_000,
  schemaSyncIntervalMs,
}: ExportRequestOptions): RoundSettings {
  const intervalMs =
    schemaSyncIntervalMs === undefined ? undefined : Math.max(schemaSyncIntervalMs, shortestIntervalMs);
  return { informerScope, isolation, carriesSchemas, exportsPerConsumer, namespacesPerConsumer, intervalMs };
}

/**
 * Reports on the request that the API server refuses to create something for it, or to check the consumer's right to
 * bind.
 */
async function report(
  options: RequestActOptions,
  settings: RoundSettings,
  error: ApiError,
  { key, observed, action }: Refused<RequestRound, RoundDecision>,
  signal: AbortSignal,
): Promise<void> {
  if (
    action === undefined ? !error.request.resource.startsWith('subjectaccessreviews.') : action.type === 'writeStatus'
  )
    return;
  const request = observed?.request ?? options.requests.get(key);
  const { actions } = decideRequest(
    settings,
    { ...unread(request), refusal: { message: error.message } },
    options.clock.now(),
  );
  for (const one of actions) await actRequest(options, one, signal);
}
