import type { KubeObject, Resource } from '@hawser/client';
import { apiGroup, apiVersion } from './group.js';
import { annotations, fieldManager, finalizers, hawserAnnotations } from './metadata.js';
import { fixedNames, serviceNamespaceName } from './names.js';
import { resources } from './resources.js';

/** Which object of the consumer a copy stands for. */
export interface CopyOwner {
  readonly clusterNamespace: string;
  /** Empty for a cluster-scoped object. */
  readonly consumerNamespace: string;
  readonly consumerUID: string;
}

/** Annotations by which an object of the consumer and its copy on the provider know each other. */
export interface PairMarks {
  /** What makes a copy the one of this object. */
  readonly ofCopy: (owner: CopyOwner) => Readonly<Record<string, string>>;
  /** Whether a copy, in the place where that of an object of this namespace has to be, bears the marks of this consumer. */
  readonly isOfConsumer: (
    copy: KubeObject,
    owner: Pick<CopyOwner, 'clusterNamespace' | 'consumerNamespace'>,
  ) => boolean;
  /** On a copy: who its consumer is, for messages. */
  readonly ofOwner: string;
  /** On a copy: the uid of its object. */
  readonly consumerUID: string;
  /** On a copy: the uid of the consumer cluster. */
  readonly consumerCluster: string;
  /** Whether a copy without {@link consumerUID} is the one of whichever object has its name: konnectors of the dialect do not write it down. */
  readonly uidIsOptional: boolean;
  /** On a copy, from its creation: the mark whose field manager tells who has made it. */
  readonly ofMaker: string;
  /** Keys of which each shows that an object on the provider is a copy, however incomplete its marks are. */
  readonly ofAnybody: readonly string[];
  /** Of an object of the consumer, from the time that it has the finalizer. */
  readonly ofObject: Readonly<Record<string, string>>;
  /** Annotations of an object of the consumer as long as it has the finalizer: written and taken away with it. Absent: none. */
  readonly withFinalizer?: Readonly<Record<string, string>> | undefined;
  /** On an object of the consumer: where its copy is. Absent: that is not written down. */
  readonly copyAt?: { readonly namespace: string; readonly uid: string } | undefined;
  /** All labels of a copy, in a dialect in which neither labels nor annotations of an object reach it. Absent: they do. */
  readonly labelsOfCopy?: Readonly<Record<string, string>> | undefined;
  /** On an object of the consumer whose copy cannot be made: why. Absent: the dialect has no such mark. */
  readonly conflict?: string | undefined;
  /** Whether a person wants the copy of an object to outlive it. Absent: the dialect has no words for that. */
  readonly orphansCopy?: ((object: KubeObject) => boolean) | undefined;
}

/** What of a dialect counts for an object and its copy. */
export interface PairDialect {
  /** On a consumer object that has, or may have, a provider copy. */
  readonly finalizer: string;
  readonly fieldManager: string;
  readonly marks: PairMarks;
  /** For messages. */
  readonly words: PairWords;
}

/** How a dialect names what a person has to see to. */
export interface PairWords {
  /** What binds an API. */
  readonly binding: string;
  /** Why an object is not synced where another one, with or without owner, stands in its place. Absent: as kube-bind has it. */
  readonly conflicts?: { readonly unownedReason: string; readonly ownedReason: string } | undefined;
  /** How the administrator of the consumer has objects without owner taken over. `binding`: its name in messages. */
  readonly adopt: (binding: string) => string;
  /** How that person says that this cluster has taken the place of another. */
  readonly accept: (binding: string, cluster: string) => string;
}

/** Of kube-bind and its forks. */
export const pairWords: PairWords = {
  binding: 'APIServiceBinding',
  adopt: (binding) =>
    `kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.conflictPolicy}=Adopt`,
  accept: (binding, cluster) =>
    `kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.formerConsumerIdentity}=${cluster}`,
};

/**
 * In which words two sides speak about bound APIs: what a controller has to be told so that it can serve kube-bind and its forks alike. Names and marks are
 * wire facts of each dialect.
 */
export interface Dialect extends PairDialect {
  readonly name: 'kube-bind' | 'klutch';
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resources: {
    readonly apiServiceExports: Resource;
    readonly apiServiceExportRequests: Resource;
    readonly apiServiceExportTemplates: Resource;
    readonly apiServiceNamespaces: Resource;
    readonly apiServiceBindings: Resource;
    readonly clusterBindings: Resource;
  };
  readonly annotations: {
    readonly sourceSpecHash: string;
    readonly apiServiceNamespace: string;
    readonly clusterNamespace: string;
    readonly identity: string;
  };
  /** Annotations of which each makes a namespace the cluster namespace of a consumer that was onboarded. */
  readonly identityAnnotations: readonly string[];
  /** Labels that together mark the cluster namespace of a consumer that is served from the provider, without onboarding. None: the dialect has no such consumers. */
  readonly rootLabels: readonly string[];
  readonly names: {
    readonly clusterBinding: string;
    readonly konnectorNamespace: string;
    readonly konnectorLease: string;
    /** ServiceAccount in a cluster namespace that a consumer acts as. */
    readonly binder: string;
  };
  /** Where the schema of an export lies: in BoundSchemas beside it, many of them, or one in its spec. */
  readonly schema: 'BoundSchemas' | 'Inline';
  /** The provider namespace of a consumer namespace that has none yet, under isolation Prefixed. */
  readonly serviceNamespaceName: (clusterNamespace: string, consumerNamespace: string) => string;
  /** Whether an object on the provider bears the mark of a copy; one without it was made on the provider. */
  readonly isCopy: (object: KubeObject) => boolean;
}

/**
 * Whether a namespace was made for a consumer that was onboarded and speaks `dialect`: who gets credentials and rights there. What must not happen to a cluster namespace asks for
 * `isClusterNamespace` of `@hawser/klutch`, which knows all kinds of them.
 */
export function isClusterNamespaceOf(
  { identityAnnotations }: Dialect,
  { metadata: { annotations: found = {} } }: KubeObject,
): boolean {
  return identityAnnotations.some((key) => key in found);
}

/** Of a controller that may run once for each dialect. */
export function controllerName(name: string, dialect: Dialect): string {
  return dialect.name === 'kube-bind' ? name : `${name}-${dialect.name}`;
}

/** kube-bind.io/v1alpha2. */
export const kubeBindDialect: Dialect = {
  name: 'kube-bind',
  apiGroup,
  apiVersion,
  resources,
  annotations,
  identityAnnotations: [annotations.identity, annotations.legacyIdentity],
  rootLabels: [],
  names: fixedNames,
  finalizer: finalizers.syncer,
  fieldManager,
  marks: {
    ofCopy: ({ clusterNamespace, consumerNamespace, consumerUID }) => ({
      [annotations.clusterNamespace]: clusterNamespace,
      [annotations.consumerNamespace]: consumerNamespace,
      [annotations.consumerUID]: consumerUID,
    }),
    isOfConsumer: ({ metadata: { annotations: found = {} } }, { clusterNamespace, consumerNamespace }) =>
      found[annotations.clusterNamespace] === clusterNamespace &&
      found[annotations.consumerNamespace] === consumerNamespace,
    ofOwner: annotations.clusterNamespace,
    consumerUID: annotations.consumerUID,
    consumerCluster: hawserAnnotations.consumerIdentity,
    uidIsOptional: false,
    ofMaker: annotations.clusterNamespace,
    ofAnybody: [
      annotations.clusterNamespace,
      annotations.consumerNamespace,
      annotations.consumerUID,
      hawserAnnotations.consumerIdentity,
      hawserAnnotations.consumerObject,
    ],
    ofObject: {},
    copyAt: { namespace: annotations.providerNamespace, uid: annotations.providerUID },
  },
  words: pairWords,
  schema: 'BoundSchemas',
  serviceNamespaceName: (clusterNamespace, consumerNamespace) =>
    serviceNamespaceName('Prefixed', clusterNamespace, consumerNamespace),
  isCopy: ({ metadata }) => metadata.annotations?.[annotations.clusterNamespace] !== undefined,
};
