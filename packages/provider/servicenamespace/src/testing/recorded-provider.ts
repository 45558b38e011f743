import {
  type CustomResourceDefinition,
  type InformerScope,
  type Isolation,
  providerCRDs,
  resources,
} from '@hawser/kube-bind';

import { type EtcdEntry, type StoredObject, etcdEntries, openDefinitions, readRecording } from '@hawser/testenv';

/** Objects that the Go programs left, by the settings of the backend. */
export interface Recording {
  readonly folder: string;
  readonly isolation: Isolation;
  readonly informerScope: InformerScope;
}

const all: readonly Recording[] = [
  { folder: 'kube-bind-0.8.1-prefixed-cluster', isolation: 'Prefixed', informerScope: 'Cluster' },
  { folder: 'kube-bind-0.8.1-prefixed-namespaced', isolation: 'Prefixed', informerScope: 'Namespaced' },
  { folder: 'kube-bind-0.8.1-none-cluster', isolation: 'None', informerScope: 'Cluster' },
  { folder: 'kube-bind-0.8.1-namespaced-cluster', isolation: 'Namespaced', informerScope: 'Cluster' },
];

/** Each takes its own control plane, so every run has only the `usual` ones; `HAWSER_ALL_RECORDINGS=1` runs all. */
export function recordings(...usual: readonly string[]): readonly Recording[] {
  return process.env['HAWSER_ALL_RECORDINGS'] === '1' ? all : all.filter(({ folder }) => usual.includes(folder));
}

/**
 * The provider cluster of a recording, to load into etcd: its objects, our CRDs of the contract, and the exported CRDs.
 */
export function recordedProvider({ folder }: Recording): readonly EtcdEntry[] {
  const objects = readRecording(`${folder}/provider.json`);
  const definitions = [
    ...providerCRDs.map((crd) => stored(crd)),
    ...objects.filter(({ resource }) => resource.resource === 'boundschemas').map(exportedDefinition),
  ];
  return etcdEntries([...objects, ...definitions, ...openDefinitions([...objects, ...definitions])]);
}

/** A recording holds the BoundSchemas, but not their source CRDs. */
function exportedDefinition({ object }: StoredObject): StoredObject {
  const spec = Object.fromEntries(
    Object.entries(object['spec'] as object).filter(([field]) => field !== 'informerScope'),
  ) as unknown as CustomResourceDefinition['spec'];
  // The Go programs had one namespaced resource, which isolation Namespaced rewrites, and one cluster-scoped.
  const scope = spec.names.plural === 'databases' ? 'Namespaced' : 'Cluster';
  return stored({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names.plural}.${spec.group}`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: { ...spec, scope },
  });
}

/** Written past the server that would set these. */
function stored(crd: CustomResourceDefinition): StoredObject {
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
    object: { ...crd, metadata, status } as unknown as StoredObject['object'],
  };
}
