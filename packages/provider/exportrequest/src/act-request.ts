import type { Client, KubeObject, OwnerReference, Resource } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { createOrRead } from '@hawser/controller';
import type { Informer, UnderWay } from '@hawser/informer';
import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  apiVersion,
  type BoundSchema,
  commitStatus,
  resources,
} from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';
import { fieldManager } from './field-manager.js';
import type { RequestAction } from './request-decision.js';
import { withOutcome } from './request-outcome.js';
import { reportProblem } from './request-problem.js';

export interface RequestActOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly requests: Informer<APIServiceExportRequest>;
  readonly exports: Informer<APIServiceExport>;
  readonly boundSchemas: Informer<BoundSchema>;
  readonly namespaces: Informer<APIServiceNamespace>;
  readonly exportsUnderWay: UnderWay;
  readonly events: EventRecorder;
}

/** The one place that writes for requests. What was written is in the caches afterwards. Resolves to `gone` if the request is no more: its event is on the way. Failures are the client's ApiErrors. */
export async function actRequest(
  options: RequestActOptions,
  action: RequestAction,
  signal: AbortSignal,
): Promise<'done' | 'gone'> {
  const { client } = options;
  const by = { fieldManager, signal };
  switch (action.type) {
    case 'createBoundSchema':
      await createOrRead(options.boundSchemas, client, resources.boundSchemas, action.object, by);
      return 'done';
    case 'createExport':
      await options.exportsUnderWay.during(action.object.metadata.namespace ?? '', action.object.metadata.name, () =>
        createOrRead(options.exports, client, resources.apiServiceExports, action.object, by),
      );
      return 'done';
    case 'createNamespace':
      await createOrRead(options.namespaces, client, resources.apiServiceNamespaces, action.object, by);
      return 'done';
    case 'replaceSchema':
      options.boundSchemas.observe(await replaceSchema(client, action, signal));
      return 'done';
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
      return 'done';
    case 'writeStatus':
      return writeStatus(options, action, signal);
  }
}

/** The whole spec, so that what the CRD no longer says goes; refused if the BoundSchema is not the one that was decided about. */
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
        // Unlike a test, this makes a change in between a conflict, which is tried again.
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

/** A problem is told by an Event as well, whenever the condition changes. */
async function writeStatus(
  { client, clock, random, requests, events }: RequestActOptions,
  { request, outcome }: Extract<RequestAction, { type: 'writeStatus' }>,
  signal: AbortSignal,
): Promise<'done' | 'gone'> {
  // What was decided is about the request as it was: of one that asks for something else by now it says nothing.
  const { generation } = request.metadata;
  const written = await commitStatus(
    client,
    resources.apiServiceExportRequests,
    request,
    (status, current) =>
      current.metadata.generation === generation ? withOutcome(status, outcome, clock.now()) : status,
    { clock, random, signal },
  );
  if (written === undefined) return 'gone';
  requests.observe(written);
  if (outcome.kind !== 'problem') return 'done';
  const { reason, message } = reportProblem(outcome.problem);
  const { namespace, name, uid } = request.metadata;
  events.record(
    { apiVersion, kind: 'APIServiceExportRequest', namespace, name, uid },
    { type: 'Warning', reason, message },
  );
  return 'done';
}
