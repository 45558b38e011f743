import { type KubeObject, objectKey } from '@hawser/client';
import { type Setup, type ToKeys, toOwnKey, type Watched, type WatchOptions } from '@hawser/controller';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  type CustomResourceDefinition,
  labels,
  malformation,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import type { RequestPace } from './request-pace.js';

const bySchema = 'exportrequest/boundschema';
const bySource = 'exportrequest/crd';
const byServiceNamespace = 'exportrequest/namespace';
const pending = 'exportrequest/pending';
const byConsumer = 'exportrequest/consumer';
const pendingOf = 'exportrequest/pending-of-consumer';

/** Cached state of requests and the objects that they request. */
export interface RequestCaches {
  readonly requests: Watched<APIServiceExportRequest>;
  readonly exports: Watched<APIServiceExport>;
  readonly boundSchemas: Watched<BoundSchema>;
  readonly namespaces: Watched<APIServiceNamespace>;
  /** The exported CRDs. */
  readonly crds: Watched<CustomResourceDefinition>;
  /** Unanswered requests: of one consumer, or of all. */
  readonly pendingRequests: (consumer?: string) => readonly APIServiceExportRequest[];
  readonly exportsOf: (consumer: string) => readonly APIServiceExport[];
  readonly namespacesOf: (consumer: string) => readonly APIServiceNamespace[];
}

/**
 * `priorityOf`: priority for changes that concern many requests at once (their CRD, a shared BoundSchema): none of them
 * gets ahead of others.
 */
export function watchRequests(
  { clusters: { provider }, watch }: Setup<'provider'>,
  priorityOf: (request: APIServiceExportRequest) => ReturnType<RequestPace['priorityOf']>,
): RequestCaches & { readonly paced: Pick<WatchOptions<KubeObject>, 'priority'> } {
  const priority = (key: string): 'background' | 'normal' => {
    const request = requests.get(key);
    return request !== undefined && isPending(request) ? priorityOf(request) : 'normal';
  };
  const requests: Watched<APIServiceExportRequest> = watch<APIServiceExportRequest>(
    provider,
    { resource: resources.apiServiceExportRequests, kind: 'APIServiceExportRequest' },
    toOwnKey,
    { priority },
  );
  requests.addIndex(pending, (request) => (isPending(request) ? [pending] : []));
  requests.addIndex(pendingOf, (request) => (isPending(request) ? [consumerOf(request)] : []));
  requests.addIndex(bySource, (request) => soundSpec(request).resources.map(resourceGroupName));
  requests.addIndex(bySchema, (request) =>
    soundSpec(request).resources.map((resource) =>
      objectKey({ namespace: request.metadata.namespace, name: resourceGroupName(resource) }),
    ),
  );
  requests.addIndex(byServiceNamespace, (request) =>
    (soundSpec(request).namespaces ?? []).map((one) =>
      objectKey({ namespace: request.metadata.namespace, name: one.name }),
    ),
  );
  const indexed =
    (index: string): ToKeys<KubeObject> =>
    (object) =>
      requests.byIndex(index, objectKey(object)).map(objectKey);
  // There is room for another one.
  const roomMade: ToKeys<KubeObject> = (object, change) =>
    change === 'delete' ? requests.byIndex(pendingOf, consumerOf(object)).map(objectKey) : [];
  const room: WatchOptions<KubeObject> = { initial: false, changed: () => false, priority: 'background' };

  const exportSpec = { resource: resources.apiServiceExports, kind: 'APIServiceExport' };
  const namespaceSpec = { resource: resources.apiServiceNamespaces, kind: 'APIServiceNamespace' };
  // A request and its export have the same name.
  const exports = watch<APIServiceExport>(provider, exportSpec, toOwnKey, { priority });
  const namespaces = watch<APIServiceNamespace>(provider, namespaceSpec, indexed(byServiceNamespace), { priority });
  for (const spec of [exportSpec, namespaceSpec]) watch(provider, spec, roomMade, room);
  exports.addIndex(byConsumer, (object) => [consumerOf(object)]);
  namespaces.addIndex(byConsumer, (object) => [consumerOf(object)]);
  return {
    requests,
    exports,
    namespaces,
    boundSchemas: watch<BoundSchema>(
      provider,
      { resource: resources.boundSchemas, kind: 'BoundSchema' },
      indexed(bySchema),
      { priority },
    ),
    crds: watch<CustomResourceDefinition>(
      provider,
      {
        resource: resources.customResourceDefinitions,
        kind: 'CustomResourceDefinition',
        labelSelector: `${labels.exported}=true`,
      },
      indexed(bySource),
      { priority },
    ),
    pendingRequests: (consumer) =>
      consumer === undefined ? requests.byIndex(pending, pending) : requests.byIndex(pendingOf, consumer),
    exportsOf: (consumer) => exports.byIndex(byConsumer, consumer),
    namespacesOf: (consumer) => namespaces.byIndex(byConsumer, consumer),
    paced: { priority },
  };
}

export const consumerOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';

export const isMalformed = (request: APIServiceExportRequest): boolean =>
  malformation('APIServiceExportRequest', request) !== undefined;

/** Whether a request of any dialect is unanswered. */
export function isPending({
  status,
}: {
  readonly status?: { readonly phase?: string | undefined } | undefined;
}): boolean {
  return (status?.phase ?? 'Pending') === 'Pending';
}

/** The spec of a request; without resources if it is malformed. */
function soundSpec(
  request: APIServiceExportRequest,
): Pick<APIServiceExportRequest['spec'], 'namespaces' | 'resources'> {
  return isMalformed(request) ? { resources: [] } : request.spec;
}
