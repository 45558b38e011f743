import type { KubeObject, Resource } from '@hawser/client';
import { apiGroup, apiVersion } from './group.js';
import { annotations, fieldManager, finalizers, hawserAnnotations } from './metadata.js';
import { fixedNames, serviceNamespaceName } from './names.js';
import { resources } from './resources.js';

/** The consumer object that a copy belongs to. */
export interface CopyOwner {
  readonly clusterNamespace: string;
  /** Empty for a cluster-scoped object. */
  readonly consumerNamespace: string;
  readonly consumerUID: string;
}

/** Annotations that link an object of the consumer with its copy on the provider. */
export interface PairMarks {
  /** Marks of the copy of this object. */
  readonly ofCopy: (owner: CopyOwner) => Readonly<Record<string, string>>;
  /** Whether the copy at the place for an object of this namespace bears the marks of this consumer. */
  readonly isOfConsumer: (
    copy: KubeObject,
    owner: Pick<CopyOwner, 'clusterNamespace' | 'consumerNamespace'>,
  ) => boolean;
  /** On a copy: the mark that names its consumer, for messages. */
  readonly ofOwner: string;
  /** On a copy: the uid of its object. */
  readonly consumerUID: string;
  /** On a copy: the uid of the consumer cluster. */
  readonly consumerCluster: string;
  /**
   * Whether a copy without {@link consumerUID} belongs to the object of its name: konnectors of the dialect do not
   * write the uid.
   */
  readonly uidIsOptional: boolean;
  /** On a copy, from its creation: the mark whose field manager names its creator. */
  readonly ofMaker: string;
  /** Keys that each mark an object on the provider as a copy, even if its other marks are missing. */
  readonly ofAnyCopy: readonly string[];
  /** Of an object of the consumer, from the time it has the finalizer. */
  readonly ofObject: Readonly<Record<string, string>>;
  /** Annotations of an object of the consumer, written and removed together with the finalizer. Absent: none. */
  readonly withFinalizer?: Readonly<Record<string, string>> | undefined;
  /** On an object of the consumer: where its copy is. Absent: the dialect does not record it. */
  readonly copyAt?: { readonly namespace: string; readonly uid: string } | undefined;
  /**
   * All labels of a copy, in a dialect that copies neither labels nor annotations of an object. Absent: it copies them.
   */
  readonly labelsOfCopy?: Readonly<Record<string, string>> | undefined;
  /** On an object of the consumer: why its copy cannot be made. Absent: the dialect has no such mark. */
  readonly conflict?: string | undefined;
  /** Whether a person wants the copy to outlive its object. Absent: the dialect cannot express it. */
  readonly orphansCopy?: ((object: KubeObject) => boolean) | undefined;
}

/** The part of a dialect about an object and its copy. */
export interface PairDialect {
  /** On a consumer object that has, or may have, a provider copy. */
  readonly finalizer: string;
  readonly fieldManager: string;
  readonly marks: PairMarks;
  /** For messages. */
  readonly words: PairWords;
}

/** The dialect's names for what a person must act on. */
export interface PairWords {
  /** The kind that binds an API. */
  readonly binding: string;
  /**
   * Why an object is not synced: an object without an owner, or of another owner, takes the name of its copy. Absent:
   * as kube-bind words it.
   */
  readonly conflicts?: { readonly unownedReason: string; readonly ownedReason: string } | undefined;
  /** How the consumer's administrator has Hawser adopt objects without an owner. `binding`: its name in messages. */
  readonly adopt: (binding: string) => string;
  /** How the administrator declares that this cluster replaces another. */
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
 * Names and marks that two sides use for bound APIs: all a controller needs to serve kube-bind and its forks alike.
 * They are wire facts of each dialect.
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
  /** Annotations that each mark a namespace as the cluster namespace of an onboarded consumer. */
  readonly identityAnnotations: readonly string[];
  /**
   * Labels that together mark the cluster namespace of a consumer that is served from the provider, without onboarding.
   * None: the dialect has no such consumers.
   */
  readonly rootLabels: readonly string[];
  readonly names: {
    readonly clusterBinding: string;
    readonly konnectorNamespace: string;
    readonly konnectorLease: string;
    /** ServiceAccount in a cluster namespace; the consumer acts as it. */
    readonly binder: string;
  };
  /** Where the schema of an export lives: in BoundSchemas beside it, one or many, or in its spec. */
  readonly schema: 'BoundSchemas' | 'Inline';
  /** Provider namespace for a consumer namespace that has none yet, under isolation Prefixed. */
  readonly serviceNamespaceName: (clusterNamespace: string, consumerNamespace: string) => string;
  /** Whether an object on the provider bears the mark of a copy. One without it was created on the provider. */
  readonly isCopy: (object: KubeObject) => boolean;
}

/**
 * Whether a namespace was made for an onboarded consumer that speaks `dialect`. Credentials and rights are granted
 * there. To protect cluster namespaces use `isClusterNamespace` of `@hawser/klutch` instead, which knows every kind of
 * them.
 */
export function isClusterNamespaceOf(
  { identityAnnotations }: Dialect,
  { metadata: { annotations: found = {} } }: KubeObject,
): boolean {
  return identityAnnotations.some((key) => key in found);
}

/** Name of a controller that may run once per dialect. */
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
    ofAnyCopy: [
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
