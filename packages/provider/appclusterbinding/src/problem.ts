import { conditionReasons, falseCondition, type NewCondition } from '@hawser/kube-bind';

/**
 * Condition types of an AppClusterBinding. `SecretValid` and `KonnectorDeployed` are those of the wire (spec/klutch.md
 * §3).
 */
export const conditionTypes = {
  secretValid: 'SecretValid',
  /** The root namespace, and what the konnector needs in it. */
  rootNamespaceReady: 'RootNamespaceReady',
  apisBound: 'APIsBound',
  konnectorDeployed: 'KonnectorDeployed',
  /** Only during deletion. */
  cleanedUp: 'CleanedUp',
} as const;
export type ConditionType = (typeof conditionTypes)[keyof typeof conditionTypes];

/** Reasons that Klutch does not have, or that have no constant elsewhere. */
export const ownReasons = {
  secretNamespaceNotAllowed: 'SecretNamespaceNotAllowed',
  secretUnreadable: 'SecretUnreadable',
  rootNameTooLong: 'RootNamespaceNameTooLong',
  rootNameInvalid: 'RootNamespaceNameInvalid',
  rootConflict: 'RootNamespaceConflict',
  rootTerminating: 'RootNamespaceTerminating',
  rightsConflict: 'RightsConflict',
  writeRefused: 'WriteRefused',
  exportsPending: 'ExportsPending',
  rightsMissing: 'RightsMissing',
  konnectorImageMissing: 'KonnectorImageMissing',
  konnectorDeploymentFailed: 'KonnectorDeploymentFailed',
  konnectorNotAvailable: 'KonnectorNotAvailable',
  overridesInvalid: 'OverridesInvalid',
  otherKonnector: 'OtherKonnector',
  instancesRemain: 'InstancesRemain',
  instancesUnknown: 'InstancesUnknown',
  waitingForDeletion: 'WaitingForDeletion',
} as const;

/** An obstacle for an AppClusterBinding, or what it waits for. Closed. */
export type Problem =
  | { readonly kind: 'secretNotFound'; readonly secret: string }
  | { readonly kind: 'secretKeyMissing'; readonly secret: string; readonly key: string }
  | {
      readonly kind: 'secretNotAllowed';
      readonly secret: string;
      readonly namespace: string;
      readonly annotation: string;
    }
  | { readonly kind: 'secretUnreadable'; readonly secret: string }
  | { readonly kind: 'kubeconfigInvalid'; readonly secret: string; readonly messages: readonly string[] }
  | { readonly kind: 'nameTooLong'; readonly name: string; readonly longest: number }
  | { readonly kind: 'nameInvalid'; readonly name: string }
  | {
      readonly kind: 'namespaceConflict';
      readonly name: string;
      readonly owner: string | undefined;
      readonly labels: string;
    }
  | { readonly kind: 'namespaceTerminating'; readonly name: string }
  | { readonly kind: 'rightsConflict'; readonly name: string }
  | { readonly kind: 'refused'; readonly condition: ConditionType; readonly message: string }
  | { readonly kind: 'exportsPending'; readonly missing: readonly string[]; readonly messages: string | undefined }
  | { readonly kind: 'rightsMissing'; readonly messages: string }
  | { readonly kind: 'imageMissing' }
  | { readonly kind: 'overridesInvalid'; readonly message: string }
  | { readonly kind: 'otherKonnector'; readonly name: string }
  | { readonly kind: 'konnectorNotAvailable'; readonly detail: string | undefined }
  | {
      readonly kind: 'instancesRemain';
      readonly instances: readonly string[];
      readonly unknownPolicy: string | undefined;
    }
  | { readonly kind: 'instancesUnknown'; readonly message: string }
  | { readonly kind: 'waiting'; readonly what: string; readonly held: string | undefined };

type Reports = {
  readonly [Kind in Problem['kind']]: (problem: Extract<Problem, { readonly kind: Kind }>) => NewCondition;
};

const reports: Reports = {
  secretNotFound: (problem) =>
    secret(
      conditionReasons.kubeconfigSecretNotFound,
      `There is no Secret ${problem.secret}. Create it, with the kubeconfig of the app cluster, or correct spec.kubeconfigSecretRef.`,
    ),
  secretKeyMissing: (problem) =>
    secret(
      conditionReasons.kubeconfigSecretInvalid,
      `Secret ${problem.secret} has nothing under the key "${problem.key}". Put the kubeconfig of the app cluster there, or correct spec.kubeconfigSecretRef.key.`,
    ),
  secretNotAllowed: (problem) =>
    secret(
      ownReasons.secretNamespaceNotAllowed,
      `Secret ${problem.secret} is in another namespace, and does not let AppClusterBindings of namespace "${problem.namespace}" use it, if it is there at all. Use a Secret of this namespace; or whoever owns the Secret adds "${problem.namespace}" to its annotation ${problem.annotation}.`,
    ),
  secretUnreadable: (problem) =>
    secret(
      ownReasons.secretUnreadable,
      `The provider may not read Secret ${problem.secret}. The provider has to grant itself get, list and watch on Secrets of that namespace.`,
    ),
  kubeconfigInvalid: (problem) =>
    secret(
      conditionReasons.kubeconfigSecretInvalid,
      `The kubeconfig in Secret ${problem.secret} cannot be used. ${problem.messages.join(' ')} Put the kubeconfig of the app cluster there.`,
    ),
  nameTooLong: (problem) =>
    root(
      ownReasons.rootNameTooLong,
      `The root namespace would be "${problem.name}", which has ${problem.name.length} characters; a namespace can have ${problem.longest}. Make the AppClusterBinding anew with a shorter name, or in a namespace with one.`,
    ),
  nameInvalid: (problem) =>
    root(
      ownReasons.rootNameInvalid,
      `The root namespace would be "${problem.name}", which no namespace can be. Make the AppClusterBinding anew with a name of lower-case letters, digits and dashes.`,
    ),
  namespaceConflict: (problem) =>
    root(
      ownReasons.rootConflict,
      problem.owner === undefined
        ? `Namespace "${problem.name}" exists and was not made for this AppClusterBinding; it is not taken over. The provider has to remove it; or, if it is this one's, to label it with ${problem.labels}.`
        : `Namespace "${problem.name}" belongs to AppClusterBinding "${problem.owner}", whose names give the same. Make this AppClusterBinding anew with another name.`,
    ),
  namespaceTerminating: (problem) =>
    root(
      ownReasons.rootTerminating,
      `Namespace "${problem.name}" is being deleted. It is made again once it is gone; if it does not go, the provider has to see which finalizers hold it.`,
    ),
  rightsConflict: (problem) =>
    root(
      ownReasons.rightsConflict,
      `ClusterRoleBinding "${problem.name}" exists and was not made for this AppClusterBinding; it is not changed. The provider has to remove it.`,
    ),
  refused: (problem) => refused(problem),
  exportsPending: (problem) =>
    falseCondition(
      conditionTypes.apisBound,
      ownReasons.exportsPending,
      'Info',
      `No export yet: ${problem.missing.join(', ')}. ${problem.messages ?? 'The request for it has not been answered.'}`,
    ),
  rightsMissing: (problem) =>
    falseCondition(conditionTypes.apisBound, ownReasons.rightsMissing, 'Warning', problem.messages),
  imageMissing: () =>
    konnector(
      ownReasons.konnectorImageMissing,
      'Nobody says which image the konnector has. The provider has to set one for all, or spec.konnector.overrides.image has to name it.',
    ),
  overridesInvalid: (problem) =>
    konnector(ownReasons.overridesInvalid, `${problem.message} Correct it; the konnector stays as it is.`),
  otherKonnector: (problem) =>
    konnector(
      ownReasons.otherKonnector,
      `Deployment "${problem.name}" in the root namespace says that it is this AppClusterBinding's konnector, and two of them would write the same objects. The provider has to delete it.`,
    ),
  konnectorNotAvailable: (problem) =>
    falseCondition(
      conditionTypes.konnectorDeployed,
      ownReasons.konnectorNotAvailable,
      'Info',
      `The konnector is deployed, and none of its pods is available. ${problem.detail ?? 'Kubernetes has not said why; if that lasts, the provider has to look at the Deployment.'}`,
    ),
  instancesRemain: (problem) =>
    cleanup(
      ownReasons.instancesRemain,
      `${problem.unknownPolicy === undefined ? 'Under the deletion policy Block nothing' : `The deletion policy "${problem.unknownPolicy}" is none of Orphan, Block and Delete, so nothing`} is deleted while there are instances: ${problem.instances.join(', ')}. Delete them in the app cluster, or set the annotation hawser.dev/deletion-policy to Orphan, which keeps them, or Delete, which deletes them.`,
    ),
  instancesUnknown: (problem) =>
    cleanup(
      ownReasons.instancesUnknown,
      `Under the deletion policy Block nothing is deleted before it is known that there are no instances, and that could not be found out: ${problem.message}. The provider has to grant itself list on every resource; or set the annotation hawser.dev/deletion-policy to Orphan.`,
    ),
  waiting: (problem) =>
    falseCondition(
      conditionTypes.cleanedUp,
      ownReasons.waitingForDeletion,
      'Info',
      `Waiting until ${problem.what} is gone. ${problem.held ?? 'If it does not go, see which finalizers hold it.'}`,
    ),
};

/** The condition for a problem: what is wrong, who must act, and what to do. */
export function problemCondition(problem: Problem): NewCondition {
  return (reports[problem.kind] as (one: Problem) => NewCondition)(problem);
}

function secret(reason: string, message: string): NewCondition {
  return falseCondition(conditionTypes.secretValid, reason, 'Error', message);
}

function root(reason: string, message: string): NewCondition {
  return falseCondition(conditionTypes.rootNamespaceReady, reason, 'Error', message);
}

function konnector(reason: string, message: string): NewCondition {
  return falseCondition(conditionTypes.konnectorDeployed, reason, 'Error', message);
}

function cleanup(reason: string, message: string): NewCondition {
  return falseCondition(conditionTypes.cleanedUp, reason, 'Warning', message);
}

function refused({ condition, message }: Extract<Problem, { readonly kind: 'refused' }>): NewCondition {
  const isOfKonnector = condition === conditionTypes.konnectorDeployed;
  return falseCondition(
    condition,
    isOfKonnector ? ownReasons.konnectorDeploymentFailed : ownReasons.writeRefused,
    'Error',
    `The API server refused a request: ${message}. The provider has to remove the cause, or whoever made the AppClusterBinding to correct it; it is tried again.`,
  );
}
