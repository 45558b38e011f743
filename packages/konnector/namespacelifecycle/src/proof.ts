import {
  controllerOf,
  type Client,
  type KubeObject,
  type Resource,
  getIfExists,
  isApiError,
  listAll,
  resourceName,
} from '@hawser/client';
import {
  type APIServiceNamespace,
  annotations,
  hawserAnnotations,
  hawserPrefix,
  labels,
  owners,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { readConsumerIdentity } from '@hawser/konnector-connection';
import type { Proof } from './observed.js';
import type { BoundResources } from './bound-resources.js';

/** On the copy of a claimed object: the name of its original. */
const CONSUMER_NAME = `${hawserPrefix}consumer-name`;

export interface ProofSources {
  readonly consumer: Client;
  readonly provider: Client;
  readonly bound: BoundResources;
  /** Claimed resources in the cluster namespace, of bindings of any connection. */
  readonly claimed: () => Promise<readonly Resource[]>;
}

/**
 * Proves by live reads that an APIServiceNamespace is unused. This cluster made it. Its service namespace has no object
 * of a bound resource and no copy of a claimed one. The consumer lacks the namespace; that read is last.
 */
export async function prove(sources: ProofSources, request: APIServiceNamespace, signal: AbortSignal): Promise<Proof> {
  try {
    const identity = await readConsumerIdentity(sources.consumer, signal);
    const maker = request.metadata.annotations?.[hawserAnnotations.consumerIdentity];
    if (maker === undefined)
      return (await exists(sources.consumer, request.metadata.name, signal))
        ? { kind: 'namespaceExists' }
        : { kind: 'unknownConsumer', identity };
    if (maker !== identity) return { kind: 'otherConsumer' };
    const left = await findObject(sources, request.status?.namespace, signal);
    if (left !== undefined) return left;
    return (await exists(sources.consumer, request.metadata.name, signal))
      ? { kind: 'namespaceExists' }
      : { kind: 'unused' };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return { kind: 'unproven', why: error.message };
  }
}

async function exists(consumer: Client, name: string, signal: AbortSignal): Promise<boolean> {
  return (
    (await getIfExists<KubeObject>(
      consumer,
      resources.namespaces,
      { name },
      { representation: 'metadata', signal },
    )) !== undefined
  );
}

/** Finds a bound object or a claimed copy in the service namespace, or why the search failed; undefined if none. */
async function findObject(
  { provider, bound, claimed }: ProofSources,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Proof | undefined> {
  if (namespace === undefined || namespace === '') return undefined;
  const reading = await bound.read(signal);
  if (reading.kind === 'unknown') return { kind: 'unproven', why: reading.why };
  for (const resource of reading.resources) {
    const { items } = await provider.list<KubeObject>(resource, {
      namespace,
      limit: 1,
      representation: 'metadata',
      signal,
    });
    const [object] = items;
    if (object !== undefined)
      return { kind: 'objectsLeft', object: `${resourceGroupName(resource)} ${object.metadata.name}` };
  }
  // Claims delete copies only while they know the namespace, and hold those without originals, as after a restore.
  for (const resource of await claimed()) {
    const copy = (
      await listAll<KubeObject>(provider, resource, { namespace, representation: 'metadata', signal })
    ).find(isClaimedCopy);
    if (copy !== undefined)
      return {
        kind: 'objectsLeft',
        object: `${resourceName(resource)} ${copy.metadata.name}, the copy of a claimed object`,
      };
  }
  return undefined;
}

/** Checks the copy's marks; a clone with another name and objects made by a controller only inherited them. */
function isClaimedCopy(object: KubeObject): boolean {
  const { name, labels: its, annotations: existing = {} } = object.metadata;
  const isMarked = its?.[labels.owner] === owners.consumer || existing[annotations.consumerUID] !== undefined;
  return isMarked && (existing[CONSUMER_NAME] ?? name) === name && controllerOf(object) === undefined;
}
