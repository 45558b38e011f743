import type { Reason, ReasonSubject } from '../reason.js';

export const appClusterBindingReasons = {
  secretValid: [
    {
      reason: 'KubeconfigSecretNotFound',
      event: 'Warning',
      cause: 'the Secret does not exist',
      actor: 'consumer',
      remedy: 'create the Secret with the kubeconfig of the app cluster, or correct `spec.kubeconfigSecretRef`',
    },
    {
      reason: 'KubeconfigSecretInvalid',
      event: 'Warning',
      cause: 'the key is missing, or the kubeconfig cannot be read, runs a program or names files',
      actor: 'consumer',
      remedy:
        'put a plain kubeconfig into the Secret, as the message says. Until then the konnector keeps the previous kubeconfig',
    },
    {
      reason: 'SecretNamespaceNotAllowed',
      event: 'Warning',
      cause:
        'the Secret is in another namespace, and its annotation does not allow this namespace. Hawser does not say whether the Secret exists',
      actor: 'consumer',
      remedy:
        'use a Secret in the namespace of the AppClusterBinding; or the owner of the Secret adds that namespace to the annotation `hawser.dev/app-cluster-binding-namespaces`',
    },
    {
      reason: 'SecretUnreadable',
      event: 'Warning',
      cause: 'the provider role lacks the right to read the Secret',
      actor: 'provider',
      remedy: 'grant `get`, `list` and `watch` on Secrets in that namespace',
    },
  ],
  rootNamespaceReady: [
    {
      reason: 'RootNamespaceNameTooLong',
      event: 'Warning',
      cause: 'the name of the root namespace would have more than 63 characters',
      actor: 'consumer',
      remedy: 'recreate the AppClusterBinding with a shorter name',
    },
    {
      reason: 'RootNamespaceNameInvalid',
      event: 'Warning',
      cause: 'the name of the root namespace would not be a valid namespace name',
      actor: 'consumer',
      remedy: 'recreate the AppClusterBinding with a name without dots',
    },
    {
      reason: 'RootNamespaceConflict',
      event: 'Warning',
      cause:
        'the root namespace exists and has another owner; or it belongs to another AppClusterBinding with a name that gives the same root namespace',
      actor: 'provider',
      remedy:
        'remove the root namespace, or label it if it belongs to this AppClusterBinding; or recreate the AppClusterBinding under another name',
    },
    {
      reason: 'RootNamespaceTerminating',
      event: 'Warning',
      cause: 'the root namespace is being deleted. The provider creates it again afterwards',
      actor: 'provider',
      remedy: 'check which finalizers hold it, if it does not go away',
    },
    {
      reason: 'RightsConflict',
      event: 'Warning',
      cause: 'the ClusterRoleBinding of the konnector exists and has another owner',
      actor: 'provider',
      remedy: 'remove the ClusterRoleBinding',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request; the message quotes it. The provider retries',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  apisBound: [
    {
      reason: 'ExportsPending',
      cause: 'some entries of `spec.apiExports` have no export yet; the message quotes the request',
      actor: 'provider',
      remedy:
        'offer the API by a template, and install its CRD; or the consumer removes the entry from the AppClusterBinding',
    },
    {
      reason: 'RightsMissing',
      cause:
        'the konnector does not get all rights for an export; the message quotes reason and message of `RightsGranted` of the request',
      actor: 'provider',
      remedy:
        'do what `RightsGranted` asks for. Most often ClusterRoles are missing: `hawser rbac --roles provider | kubectl apply -f -`',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request; the message quotes it. The provider retries',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  konnectorDeployed: [
    {
      reason: 'KonnectorImageMissing',
      event: 'Warning',
      cause: 'no setting names the image of the konnector',
      actor: 'provider',
      remedy: 'set an image for all konnectors, or name it in `spec.konnector.overrides.image`',
    },
    {
      reason: 'OverridesInvalid',
      event: 'Warning',
      cause: '`spec.konnector.overrides` has a field that cannot be overridden. The konnector stays as it is',
      actor: 'consumer',
      remedy: 'correct the overrides, as the message says',
    },
    {
      reason: 'KonnectorDeploymentFailed',
      event: 'Warning',
      cause: 'the API server refused the Deployment; the message quotes it. The provider retries',
      actor: 'consumer',
      remedy: 'correct the overrides; or the provider removes the cause',
    },
    {
      reason: 'OtherKonnector',
      event: 'Warning',
      cause: 'another Deployment in the root namespace is marked as the konnector. Both would write the same objects',
      actor: 'provider',
      remedy: 'delete the Deployment that you do not want',
    },
    {
      reason: 'KonnectorNotAvailable',
      cause: 'the Deployment of the konnector exists, but none of its pods is available',
      actor: 'provider',
      remedy: 'check the status of the Deployment, if this lasts',
    },
  ],
  cleanedUp: [
    {
      reason: 'InstancesRemain',
      event: 'Warning',
      cause: 'under `Block`, or under an unknown policy: instances still exist. Nothing is deleted',
      actor: 'consumer',
      remedy: 'delete the instances in the app cluster; or choose `Delete`, or `Orphan`, which keeps them',
    },
    {
      reason: 'InstancesUnknown',
      event: 'Warning',
      cause: 'under `Block`: the provider cannot find out whether instances exist. Nothing is deleted',
      actor: 'provider',
      remedy: 'grant `list` on every resource, or choose `Orphan`',
    },
    {
      reason: 'WaitingForDeletion',
      cause: 'the objects that the message names are being deleted',
      actor: 'provider',
      remedy:
        'check which finalizers hold them, if they do not go away. `hawser.dev/release` on the AppClusterBinding lets go of everything',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request; the message quotes it. The provider retries',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  events: [
    {
      reason: 'NamespacesKept',
      event: 'Normal',
      cause: 'the AppClusterBinding is gone. The namespaces that the message names stay, with all objects in them',
      actor: 'provider',
      remedy: 'delete what you do not need. An AppClusterBinding of the same name takes the rest over again',
    },
  ],
} as const satisfies Record<string, readonly Reason[]>;

export const appClusterBindingSubject = {
  kind: 'AppClusterBinding',
  title: "AppClusterBinding (Klutch's control plane mode, on the provider)",
  intro: 'The provider role writes it.',
  groups: [
    {
      condition: 'SecretValid',
      meaning: 'True while the kubeconfig of the app cluster can be used.',
      reasons: appClusterBindingReasons.secretValid,
    },
    {
      condition: 'RootNamespaceReady',
      meaning: 'True while the root namespace has everything that a konnector needs.',
      reasons: appClusterBindingReasons.rootNamespaceReady,
    },
    {
      condition: 'APIsBound',
      meaning: 'True while every entry of `spec.apiExports` has its binding and its export.',
      reasons: appClusterBindingReasons.apisBound,
    },
    {
      condition: 'KonnectorDeployed',
      meaning: 'True while the konnector runs. Absent if no konnector is wanted.',
      reasons: appClusterBindingReasons.konnectorDeployed,
    },
    {
      condition: 'CleanedUp',
      meaning: 'What the deletion waits for. Present only while the AppClusterBinding is being deleted.',
      reasons: appClusterBindingReasons.cleanedUp,
    },
    { meaning: 'What stays after the AppClusterBinding is gone.', reasons: appClusterBindingReasons.events },
  ],
} as const satisfies ReasonSubject;
