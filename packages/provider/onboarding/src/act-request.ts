import { type Client, type KubeObject, getIfExists, isAlreadyExists } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Informer } from '@hawser/informer';
import { apiVersion, type BindableResourcesRequest, type ClusterBinding, commitStatus, resources, type Secret } from '@hawser/kube-bind';
import { answerText } from './answer-text.js';
import { fieldManager } from './field-manager.js';
import type { RequestAction, RequestOutcome } from './request-decision.js';
import { withOutcome } from './request-outcome.js';

export interface ActRequestOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly requests: Informer<BindableResourcesRequest>;
  readonly namespaces: Informer<KubeObject>;
  readonly bindings: Informer<ClusterBinding>;
}

/** The one place that writes for requests. Answers with what is to be said of it. Failures are the client's ApiErrors. */
export async function actRequest(options: ActRequestOptions, action: RequestAction, signal: AbortSignal): Promise<RequestOutcome | undefined> {
  const { client } = options;
  switch (action.type) {
    case 'createNamespace':
      await createNamespace(options, action.object, signal);
      return undefined;
    case 'createBinding':
      await createBinding(options, action.object, signal);
      return undefined;
    case 'deliver':
      return deliver(client, action, signal);
    case 'writeStatus':
      await writeOutcome(options, action.request, action.outcome, signal);
      return undefined;
    case 'deleteRequest': {
      const { namespace, name, uid, resourceVersion } = action.request.metadata;
      await client.delete(resources.bindableResourcesRequests, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
      return undefined;
    }
  }
}

export async function writeOutcome({ client, clock, random, requests }: ActRequestOptions, request: BindableResourcesRequest, outcome: RequestOutcome, signal: AbortSignal): Promise<void> {
  const written = await commitStatus(client, resources.bindableResourcesRequests, request, (_, current) => withOutcome(current, outcome, clock.now()), { clock, random, signal });
  if (written !== undefined) requests.observe(written);
}

async function createNamespace({ client, namespaces }: ActRequestOptions, object: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    namespaces.observe(await client.create<KubeObject>(resources.namespaces, object, { fieldManager, representation: 'metadata', signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache lags behind. Whose it is decides the next round.
    namespaces.observe(await client.get<KubeObject>(resources.namespaces, { name: object.metadata.name }, { representation: 'metadata', signal }));
  }
}

async function createBinding({ client, bindings }: ActRequestOptions, object: ClusterBinding, signal: AbortSignal): Promise<void> {
  try {
    bindings.observe(await client.create<ClusterBinding>(resources.clusterBindings, object, { fieldManager, signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name } = object.metadata;
    bindings.observe(await client.get<ClusterBinding>(resources.clusterBindings, { namespace, name }, { signal }));
  }
}

/** A Secret that is there already is written only if it was made for this very request. */
async function deliver(client: Client, { request, namespace, secret, kubeconfig }: Extract<RequestAction, { type: 'deliver' }>, signal: AbortSignal): Promise<RequestOutcome> {
  const { metadata } = request;
  const data = { [secret.key]: answerText(kubeconfig) };
  const owner = { apiVersion, kind: 'BindableResourcesRequest', name: metadata.name, uid: metadata.uid ?? '', controller: true };
  const object: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret.name, namespace: metadata.namespace, ownerReferences: [owner] }, type: 'Opaque', data };
  const succeeded: RequestOutcome = { kind: 'succeeded', namespace, secret };
  try {
    await client.create(resources.secrets, object, { fieldManager, representation: 'metadata', signal });
    return succeeded;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const key = { namespace: metadata.namespace, name: secret.name };
  const found = await getIfExists<KubeObject>(client, resources.secrets, key, { representation: 'metadata', signal });
  const isOurs = found?.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === metadata.uid) === true;
  if (found === undefined || !isOurs) return { kind: 'problem', problem: { kind: 'secretConflict', name: secret.name } };
  const { uid, resourceVersion } = found.metadata;
  await client.patch(resources.secrets, key, { type: 'merge', patch: { metadata: { uid, resourceVersion }, data } }, { fieldManager, representation: 'metadata', signal });
  return succeeded;
}
