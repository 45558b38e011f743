import type { Client, KubeObject, OwnerReference, Resource } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { createOrRead, type Watched } from '@hawser/controller';
import type { Informer, UnderWay } from '@hawser/informer';
import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  resources,
} from '@hawser/kube-bind';
import { fieldManager } from './field-manager.js';
import type { RequestAction } from './request-decision.js';
import { withOutcome } from './request-outcome.js';
import { reportProblem } from './request-problem.js';

export interface RequestActOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly requests: Pick<Watched<APIServiceExportRequest>, 'get' | 'commitStatus' | 'recordEvent'>;
  readonly exports: Informer<APIServiceExport>;
  readonly boundSchemas: Informer<BoundSchema>;
  readonly namespaces: Informer<APIServiceNamespace>;
  readonly exportsUnderWay: UnderWay;
}

/**
 * The only place that writes for requests. Writes are in the caches afterwards. @throws {ApiError} @throws
 * {ControllerError} `ObjectGone`, `StatusUndone`: of the status of the request
 */
export async function actRequest(
  options: RequestActOptions,
  action: RequestAction,
  signal: AbortSignal,
): Promise<void> {
  const { client } = options;
  const by = { fieldManager, signal };
  switch (action.type) {
    case 'createBoundSchema':
      await createOrRead(options.boundSchemas, client, resources.boundSchemas, action.object, by);
      return;
    case 'createExport':
      await options.exportsUnderWay.during(action.object.metadata.namespace ?? '', action.object.metadata.name, () =>
        createOrRead(options.exports, client, resources.apiServiceExports, action.object, by),
      );
      return;
    case 'createNamespace':
      await createOrRead(options.namespaces, client, resources.apiServiceNamespaces, action.object, by);
      return;
    case 'replaceSchema':
      options.boundSchemas.observe(await replaceSchema(client, action, signal));
      return;
    case 'setOwners':
      if (action.kind === 'BoundSchema')
        options.boundSchemas.observe(
          await setOwners<BoundSchema>(client, resources.boundSchemas, action.object, action.owners, signal),
        );
      else
        options.namespaces.observe(
          await setOwners<APIServiceNamespace>(
            client,
            resources.apiServiceNamespaces,
            action.object,
            action.owners,
            signal,
          ),
        );
      return;
    case 'writeStatus':
      return writeStatus(options, action, signal);
  }
}

/**
 * Replaces the whole spec, so fields that the CRD has dropped go. Fails unless the BoundSchema is the one decided
 * about.
 */
function replaceSchema(
  client: Client,
  { boundSchema, spec, hash }: Extract<RequestAction, { type: 'replaceSchema' }>,
  signal: AbortSignal,
): Promise<BoundSchema> {
  const { namespace, name, uid, resourceVersion, annotations: current } = boundSchema.metadata;
  return client.patch<BoundSchema>(
    resources.boundSchemas,
    { namespace, name },
    {
      type: 'json',
      operations: [
        { op: 'test', path: '/metadata/uid', value: uid },
        // Unlike a test, this makes a change in between a conflict, which is retried.
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/metadata/annotations', value: { ...current, [annotations.sourceSpecHash]: hash } },
        { op: 'add', path: '/spec', value: spec },
      ],
    },
    { fieldManager, signal },
  );
}

function setOwners<T extends KubeObject>(
  client: Client,
  resource: Resource,
  object: KubeObject,
  ownerReferences: readonly OwnerReference[],
  signal: AbortSignal,
): Promise<T> {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return client.patch<T>(
    resource,
    { namespace, name },
    { type: 'merge', patch: { metadata: { uid, resourceVersion, ownerReferences } } },
    { fieldManager, signal },
  );
}

/** Also records an Event about a problem, whenever the condition changes. */
async function writeStatus(
  { clock, requests }: RequestActOptions,
  { request, outcome }: Extract<RequestAction, { type: 'writeStatus' }>,
  signal: AbortSignal,
): Promise<void> {
  // The decision is about the request as it was; a changed request needs another one.
  const { generation } = request.metadata;
  const now = clock.now();
  const problem = outcome.kind === 'problem' ? reportProblem(outcome.problem) : undefined;
  const events =
    problem === undefined ? [] : [{ type: 'Warning', reason: problem.reason, message: problem.message } as const];
  await requests.commitStatus(
    request,
    (status, current) => (current.metadata.generation === generation ? withOutcome(status, outcome, now) : status),
    signal,
    events,
  );
}
