import type { JsonObject } from '@hawser/json';
import {
  type CustomResourceDefinition,
  type Isolation,
  consumerCRDs,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';
import { type StoredObject, etcdEntries, readRecording } from '@hawser/testenv';
import { type Plane, type Side, openPlane } from './plane.js';

/** State that the Go backend and the Go konnector left on both sides. */
export interface Recording {
  readonly folder: string;
  readonly isolation: Isolation;
  readonly informerScope: 'Cluster' | 'Namespaced';
}

export const recordings: readonly Recording[] = [
  { folder: 'kube-bind-0.8.1-prefixed-cluster', isolation: 'Prefixed', informerScope: 'Cluster' },
  { folder: 'kube-bind-0.8.1-prefixed-namespaced', isolation: 'Prefixed', informerScope: 'Namespaced' },
  { folder: 'kube-bind-0.8.1-none-cluster', isolation: 'None', informerScope: 'Cluster' },
  { folder: 'kube-bind-0.8.1-namespaced-cluster', isolation: 'Namespaced', informerScope: 'Cluster' },
];

const CONSUMER_UID = 'kube-bind.io/consumer-uid';

/**
 * The recorded clusters, plus two pairs of `databases`. The copy of `leftover` has a field that the Go konnector wrote
 * and that is no longer wanted; the copy of `defaulted` has one that the provider's operator added.
 */
export async function recordedPlanes({ folder }: Recording): Promise<Record<Side, Plane>> {
  const recorded = {
    consumer: readRecording(`${folder}/consumer.json`),
    provider: readRecording(`${folder}/provider.json`),
  };
  const added = pairs(recorded.consumer, recorded.provider);
  const provider = await openPlane('provider', {
    controllerManager: false,
    load: etcdEntries([
      ...recorded.provider,
      ...added.provider,
      ...providerCRDs.map(storedDefinition),
      ...recorded.provider.filter(({ resource }) => resource.resource === 'boundschemas').map(exportedDefinition),
    ]),
  });
  const clusterNamespace = recorded.provider.find(({ resource }) => resource.resource === 'clusterbindings')?.object[
    'metadata'
  ] as { readonly namespace: string };
  // The recorded address and token are not real.
  const kubeconfig = Buffer.from(
    await provider.controlPlane!.serviceAccountKubeconfig(clusterNamespace.namespace, 'kube-binder'),
  ).toString('base64');
  await provider.client.patch(
    resources.secrets,
    { namespace: clusterNamespace.namespace, name: 'kubeconfig' },
    { type: 'merge', patch: { data: { kubeconfig } } },
  );
  const consumer = await openPlane('consumer', {
    controllerManager: false,
    load: etcdEntries([
      ...recorded.consumer.map((one) => withKubeconfig(one, kubeconfig)),
      ...added.consumer,
      ...consumerCRDs.map(storedDefinition),
    ]),
  });
  return { consumer, provider };
}

function withKubeconfig({ resource, object }: StoredObject, kubeconfig: string): StoredObject {
  const data = object['data'] as JsonObject | undefined;
  return resource.resource === 'secrets' && data?.['kubeconfig'] !== undefined
    ? { resource, object: { ...object, data: { ...data, kubeconfig } } }
    : { resource, object };
}

/** A recording has the BoundSchemas but not their CRDs. */
function exportedDefinition({ object }: StoredObject): StoredObject {
  const spec = Object.fromEntries(
    Object.entries(object['spec'] as object).filter(([field]) => field !== 'informerScope'),
  ) as unknown as CustomResourceDefinition['spec'];
  // The Go programs had one namespaced resource, which isolation Namespaced rewrites, and one cluster-scoped.
  const scope = spec.names.plural === 'databases' ? 'Namespaced' : 'Cluster';
  return storedDefinition({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names.plural}.${spec.group}`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: { ...spec, scope },
  });
}

/** A CRD as stored in etcd: with the fields that the server, not involved here, would set. */
export function storedDefinition(crd: CustomResourceDefinition): StoredObject {
  const metadata = {
    ...crd.metadata,
    uid: crypto.randomUUID(),
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
  };
  const status = {
    storedVersions: crd.spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
    conditions: [],
    acceptedNames: { kind: '', plural: '' },
  };
  return {
    resource: resources.customResourceDefinitions,
    object: { ...crd, metadata, status } as unknown as JsonObject,
  };
}

function pairs(
  consumer: readonly StoredObject[],
  provider: readonly StoredObject[],
): Record<Side, readonly StoredObject[]> {
  const isDatabase = ({ resource }: StoredObject): boolean => resource.resource === 'databases';
  const object = consumer.find((one) => isDatabase(one) && metadataOf(one)['name'] === 'big')!;
  const copy = provider.find(
    (one) => isDatabase(one) && annotationsOf(one)[CONSUMER_UID] === metadataOf(object)['uid'],
  )!;
  const added = (name: string, manager: string): Record<Side, StoredObject> => {
    const uids = { consumer: crypto.randomUUID(), provider: crypto.randomUUID() };
    const annotations = { ...annotationsOf(object), 'kube-bind.io/provider-uid': uids.provider };
    const managedFields = [...(metadataOf(copy)['managedFields'] as readonly JsonObject[])];
    managedFields.push({
      manager,
      operation: 'Update',
      apiVersion: 'example.com/v1',
      time: '2026-11-21T15:20:47Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:secretRef': { '.': {}, 'f:name': {} } } },
    });
    return {
      consumer: {
        ...object,
        object: { ...object.object, metadata: { ...metadataOf(object), name, uid: uids.consumer, annotations } },
      },
      provider: {
        ...copy,
        object: {
          ...copy.object,
          metadata: {
            ...metadataOf(copy),
            name,
            uid: uids.provider,
            annotations: { ...annotationsOf(copy), [CONSUMER_UID]: uids.consumer },
            managedFields,
          },
          spec: { ...(copy.object['spec'] as JsonObject), secretRef: { name: 'extra' } },
        },
      },
    };
  };
  const all = [added('leftover', 'konnector'), added('defaulted', 'operator')];
  return { consumer: all.map((one) => one.consumer), provider: all.map((one) => one.provider) };
}

function metadataOf({ object }: StoredObject): JsonObject {
  return object['metadata'] as JsonObject;
}

function annotationsOf(object: StoredObject): JsonObject {
  return (metadataOf(object)['annotations'] ?? {}) as JsonObject;
}
