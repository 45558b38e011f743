import type { UnstructuredObject } from '@hawser/client';
import { finalizers as coreFinalizers, annotations as coreMarks, labels as coreLabels } from '@hawser/core-kbind';

/** The measured generation of kube-bind: `kube-bind.io` (v1) or `core.kbind.io` (v2). */
export type DialectName = 'v1' | 'v2';

/** Differences between the dialects that the bench needs. */
export interface BenchDialect {
  readonly name: DialectName;
  readonly finalizer: string;
  /** Whether a konnector has finished the object once its copy exists. */
  readonly isSettled: (object: UnstructuredObject) => boolean;
  /** Labels and annotations that mark a copy as belonging to `object`. */
  readonly marksOfCopy: (
    object: UnstructuredObject,
    owner: { readonly clusterNamespace: string; readonly clusterUID: string },
  ) => { readonly labels: Record<string, string> | undefined; readonly annotations: Record<string, string> };
  /** The object's annotation with the place of its copy; undefined: the dialect does not record it. */
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
  // The finalizer precedes the copy, and nothing follows it.
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
