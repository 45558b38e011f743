import { type Client, type KubeObject, getIfExists, isAlreadyExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Result, createOrRead, done } from '@hawser/controller';
import {
  apiVersion,
  type BindableResourcesRequest,
  type ClusterBinding,
  resources,
  type Secret,
} from '@hawser/kube-bind';
import { answerText } from './answer-text.js';
import { fieldManager } from './field-manager.js';
import type { RequestCaches } from './request-caches.js';
import type { RequestAction, RequestOutcome } from './request-decision.js';
import { withOutcome } from './request-outcome.js';

/** Delay before a conflicting Secret is checked again: no event reports its deletion. */
const secretCheckMs = 30_000;

export interface ActRequestOptions extends Pick<RequestCaches, 'requests' | 'namespaces' | 'bindings'> {
  readonly client: Client;
  readonly clock: Clock;
}

/** The only place that writes for requests. Failures are the client's ApiErrors. */
export async function actRequest(
  options: ActRequestOptions,
  action: RequestAction,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client } = options;
  switch (action.type) {
    case 'createNamespace':
      await createNamespace(options, action.object, signal);
      return undefined;
    case 'createBinding':
      await createBinding(options, action.object, signal);
      return undefined;
    case 'deliver': {
      const outcome = await deliver(client, action, signal);
      await writeOutcome(options, action.request, outcome, signal);
      return outcome.kind === 'problem'
        ? { kind: 'requeue', afterMs: secretCheckMs, priority: 'background' }
        : undefined;
    }
    case 'writeStatus':
      await writeOutcome(options, action.request, action.outcome, signal);
      return undefined;
    case 'deleteRequest': {
      const { namespace, name, uid, resourceVersion } = action.request.metadata;
      await client.delete(
        resources.bindableResourcesRequests,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, signal },
      );
      return done;
    }
  }
}

export async function writeOutcome(
  { clock, requests }: ActRequestOptions,
  request: BindableResourcesRequest,
  outcome: RequestOutcome,
  signal: AbortSignal,
): Promise<void> {
  await requests.commitStatus(request, (_, current) => withOutcome(current, outcome, clock.now()), signal);
}

async function createNamespace(
  { client, namespaces }: ActRequestOptions,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  await createOrRead(namespaces, client, resources.namespaces, object, {
    fieldManager,
    representation: 'metadata',
    signal,
  });
}

async function createBinding(
  { client, bindings }: ActRequestOptions,
  object: ClusterBinding,
  signal: AbortSignal,
): Promise<void> {
  await createOrRead(bindings, client, resources.clusterBindings, object, { fieldManager, signal });
}

/** Writes an existing Secret only if it was made for this very request. */
async function deliver(
  client: Client,
  { request, namespace, secret, kubeconfig }: Extract<RequestAction, { type: 'deliver' }>,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { metadata } = request;
  const data = { [secret.key]: answerText(kubeconfig) };
  const owner = {
    apiVersion,
    kind: 'BindableResourcesRequest',
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
  };
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret.name, namespace: metadata.namespace, ownerReferences: [owner] },
    type: 'Opaque',
    data,
  };
  const succeeded: RequestOutcome = { kind: 'succeeded', namespace, secret };
  try {
    await client.create(resources.secrets, object, { fieldManager, representation: 'metadata', signal });
    return succeeded;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const key = { namespace: metadata.namespace, name: secret.name };
  const found = await getIfExists<KubeObject>(client, resources.secrets, key, { representation: 'metadata', signal });
  const isOurs =
    found?.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === metadata.uid) ===
    true;
  if (found === undefined || !isOurs)
    return { kind: 'problem', problem: { kind: 'secretConflict', name: secret.name } };
  const { uid, resourceVersion } = found.metadata;
  await client.patch(
    resources.secrets,
    key,
    { type: 'merge', patch: { metadata: { uid, resourceVersion }, data } },
    { fieldManager, representation: 'metadata', signal },
  );
  return succeeded;
}
