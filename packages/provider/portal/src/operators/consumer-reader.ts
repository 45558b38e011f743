import { type Client, type KubeObject, listAll } from '@hawser/client';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type BindableResourcesRequest,
  type ClusterBinding,
  annotations,
  resources,
} from '@hawser/kube-bind';
import { type BindingFacts, type ConsumerFacts, bindingsOf } from '../bindings/binding-facts.js';
import { ownerOf } from '../owner.js';

/** One consumer with what it has bound. */
export interface ConsumerBindings {
  readonly consumer: ConsumerFacts;
  readonly bindings: readonly BindingFacts[];
}

/** What the provider knows of all consumers. */
export interface AllConsumers {
  readonly consumers: readonly ConsumerBindings[];
  readonly templates: readonly APIServiceExportTemplate[];
}

/** Reads all consumers at once: a list of each kind, however many there are. `namespace`: of the portal. @throws {ApiError} */
export async function readConsumers(
  client: Pick<Client, 'name' | 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<AllConsumers> {
  const [bindings, exports, requests, namespaces, asked, templates] = await Promise.all([
    listAll<ClusterBinding>(client, resources.clusterBindings, { signal }),
    listAll<APIServiceExport>(client, resources.apiServiceExports, { signal }),
    listAll<APIServiceExportRequest>(client, resources.apiServiceExportRequests, { signal }),
    listAll<KubeObject>(client, resources.namespaces, { representation: 'metadata', signal }),
    listAll<BindableResourcesRequest>(client, resources.bindableResourcesRequests, { namespace, signal }),
    listAll<APIServiceExportTemplate>(client, resources.apiServiceExportTemplates, { signal }),
  ]);
  const namespaceBy = new Map(namespaces.map((one) => [one.metadata.name, one]));
  const askedBy = new Map(asked.map((one) => [one.status?.namespace ?? '', one]));
  const exportsBy = byNamespace(exports);
  const requestsBy = byNamespace(requests);
  const consumers = bindings.map((clusterBinding): ConsumerBindings => {
    const { namespace: at = '' } = clusterBinding.metadata;
    const consumer = consumerOf(clusterBinding, namespaceBy.get(at), askedBy.get(at));
    return { consumer, bindings: bindingsOf(consumer, requestsBy.get(at) ?? [], exportsBy.get(at) ?? []) };
  });
  return { consumers, templates };
}

function consumerOf(
  clusterBinding: ClusterBinding,
  namespaceObject: KubeObject | undefined,
  asked: BindableResourcesRequest | undefined,
): ConsumerFacts {
  const { namespace = '', annotations: own = {} } = clusterBinding.metadata;
  const words = { ...own, ...namespaceObject?.metadata.annotations };
  const { [annotations.identity]: identity = namespace, [annotations.clusterPrettyName]: prettyName = identity } =
    words;
  return {
    namespace,
    cluster: { identity, prettyName },
    owner: asked === undefined ? '' : ownerOf(asked),
    namespaceObject,
    clusterBinding,
  };
}

function byNamespace<T extends KubeObject>(objects: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const object of objects) {
    const { namespace = '' } = object.metadata;
    const known = found.get(namespace);
    if (known === undefined) found.set(namespace, [object]);
    else known.push(object);
  }
  return found;
}
