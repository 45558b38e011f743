import type { UnstructuredObject } from '@hawser/client';
import { finalizers as coreFinalizers, annotations as coreMarks, labels as coreLabels } from '@hawser/core-kbind';

/** Which generation of kube-bind is measured: `kube-bind.io` (v1) or `core.kbind.io` (v2). */
export type DialectName = 'v1' | 'v2';

/** What the bench has to know of a dialect. */
export interface BenchDialect {
  readonly name: DialectName;
  readonly finalizer: string;
  /** Whether a konnector has done all that it does to an object when it has made the copy. */
  readonly isSettled: (object: UnstructuredObject) => boolean;
  /** Labels and annotations by which a copy shows that it belongs to `object`. */
  readonly marksOfCopy: (
    object: UnstructuredObject,
    owner: { readonly clusterNamespace: string; readonly clusterUID: string },
  ) => { readonly labels: Record<string, string> | undefined; readonly annotations: Record<string, string> };
  /** Where the object says where its copy is; undefined: the dialect does not write that down. */
  readonly noteOf: (copy: UnstructuredObject) => Readonly<Record<string, string>> | undefined;
}

const v1: BenchDialect = {
  name: 'v1',
  finalizer: 'kubebind.io/syncer',
  isSettled: ({ metadata }) => metadata.annotations?.['kube-bind.io/provider-uid'] !== undefined,
  marksOfCopy: ({ metadata }, { clusterNamespace }) => ({
    labels: metadata.labels,
    annotations: {
      'kube-bind.io/cluster-namespace': clusterNamespace,
      'kube-bind.io/consumer-namespace': metadata.namespace ?? '',
      'kube-bind.io/consumer-uid': metadata.uid ?? '',
    },
  }),
  noteOf: ({ metadata }) => ({
    'kube-bind.io/provider-namespace': metadata.namespace ?? '',
    'kube-bind.io/provider-uid': metadata.uid ?? '',
  }),
};

const v2: BenchDialect = {
  name: 'v2',
  finalizer: coreFinalizers.syncer,
  // The finalizer comes before the copy, and nothing after it.
  isSettled: ({ metadata }) => metadata.finalizers?.includes(coreFinalizers.syncer) === true,
  marksOfCopy: ({ metadata }, { clusterUID }) => ({
    labels: { [coreLabels.managed]: 'true' },
    annotations: {
      [coreMarks.consumerClusterUID]: clusterUID,
      [coreMarks.consumerObjectUID]: metadata.uid ?? '',
    },
  }),
  noteOf: () => undefined,
};

export function dialectOf(name: DialectName): BenchDialect {
  return name === 'v1' ? v1 : v2;
}

/** @throws Error for another name */
export function readDialect(name: string): DialectName {
  if (name === 'v1' || name === 'v2') return name;
  throw new Error(`--dialect must be v1 or v2, not "${name}"`);
}
