import type { Reason, ReasonSubject } from '../reason.js';

export const appClusterBindingReasons = {
  secretValid: [
    {
      reason: 'KubeconfigSecretNotFound',
      event: 'Warning',
      cause: 'there is no such Secret',
      actor: 'consumer',
      remedy: 'create it, with the kubeconfig of the app cluster, or correct `spec.kubeconfigSecretRef`',
    },
    {
      reason: 'KubeconfigSecretInvalid',
      event: 'Warning',
      cause: 'the key is missing, or the kubeconfig runs a program, names files, or cannot be read',
      actor: 'consumer',
      remedy: 'put a plain kubeconfig there, as the message says; what is there goes on with the one before',
    },
    {
      reason: 'SecretNamespaceNotAllowed',
      event: 'Warning',
      cause: 'the Secret is in another namespace, and does not allow this one; whether it exists is not told',
      actor: 'consumer',
      remedy:
        'use a Secret of the own namespace; or the owner of the Secret adds the namespace to its annotation `hawser.dev/app-cluster-binding-namespaces`',
    },
    {
      reason: 'SecretUnreadable',
      event: 'Warning',
      cause: 'the provider may not read the Secret',
      actor: 'provider',
      remedy: 'grant get, list and watch on Secrets of that namespace',
    },
  ],
  rootNamespaceReady: [
    {
      reason: 'RootNamespaceNameTooLong',
      event: 'Warning',
      cause: 'the name of the root namespace would have more than 63 characters',
      actor: 'consumer',
      remedy: 'make the AppClusterBinding anew with a shorter name',
    },
    {
      reason: 'RootNamespaceNameInvalid',
      event: 'Warning',
      cause: 'the name of the root namespace can be that of no namespace',
      actor: 'consumer',
      remedy: 'make the AppClusterBinding anew with a name without dots',
    },
    {
      reason: 'RootNamespaceConflict',
      event: 'Warning',
      cause:
        'the root namespace exists and has another owner, or is that of another AppClusterBinding whose names give the same',
      actor: 'provider',
      remedy: "remove it, or label it if it is this one's; or make the AppClusterBinding anew with another name",
    },
    {
      reason: 'RootNamespaceTerminating',
      event: 'Warning',
      cause: 'the root namespace is being deleted; it is made again afterwards',
      actor: 'provider',
      remedy: 'if it does not go, see which finalizers hold it',
    },
    {
      reason: 'RightsConflict',
      event: 'Warning',
      cause: 'the ClusterRoleBinding of the konnector exists and has another owner',
      actor: 'provider',
      remedy: 'remove it',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request, in its words; tried again',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  apisBound: [
    {
      reason: 'ExportsPending',
      cause: 'some of `spec.apiExports` has no export yet; the message has the words of the request for it',
      actor: 'provider',
      remedy:
        'offer the API by a template, and install its CRD; or the consumer takes the entry out of the AppClusterBinding',
    },
    {
      reason: 'RightsMissing',
      cause:
        'the konnector does not get all rights for an export; the message has reason and words of `RightsGranted` of the request',
      actor: 'provider',
      remedy:
        'do what `RightsGranted` asks for; most often ClusterRoles are missing: `hawser rbac --roles provider | kubectl apply -f -`',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request, in its words; tried again',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  konnectorDeployed: [
    {
      reason: 'KonnectorImageMissing',
      event: 'Warning',
      cause: 'no setting says which image the konnector has',
      actor: 'provider',
      remedy: 'set one for all; or name it in `spec.konnector.overrides.image`',
    },
    {
      reason: 'OverridesInvalid',
      event: 'Warning',
      cause: '`spec.konnector.overrides` has something that cannot be overridden; the konnector stays as it is',
      actor: 'consumer',
      remedy: 'correct it, as the message says',
    },
    {
      reason: 'KonnectorDeploymentFailed',
      event: 'Warning',
      cause: 'the API server refused the Deployment, in its words; tried again',
      actor: 'consumer',
      remedy: 'correct the overrides; or the provider removes the cause',
    },
    {
      reason: 'OtherKonnector',
      event: 'Warning',
      cause:
        'another Deployment in the root namespace says that it is the konnector; two of them would write the same objects',
      actor: 'provider',
      remedy: 'delete the one that is not wanted',
    },
    {
      reason: 'KonnectorNotAvailable',
      cause: 'the konnector is deployed, and none of its pods is available',
      actor: 'provider',
      remedy: 'see what the Deployment says, if that lasts',
    },
  ],
  cleanedUp: [
    {
      reason: 'InstancesRemain',
      event: 'Warning',
      cause: 'under `Block`, or a policy that is none: there are still instances, and nothing is deleted',
      actor: 'consumer',
      remedy: 'delete them in the app cluster; or choose `Orphan`, which keeps them, or `Delete`',
    },
    {
      reason: 'InstancesUnknown',
      event: 'Warning',
      cause: 'under `Block`: it could not be found out whether there are instances, and nothing is deleted',
      actor: 'provider',
      remedy: 'grant `list` on every resource; or choose `Orphan`',
    },
    {
      reason: 'WaitingForDeletion',
      cause: 'what the message names is going, and not gone yet',
      actor: 'provider',
      remedy:
        'if it does not go, see which finalizers hold it; `hawser.dev/release` on the AppClusterBinding lets go of everything',
    },
    {
      reason: 'WriteRefused',
      event: 'Warning',
      cause: 'the API server refused a request, in its words; tried again',
      actor: 'provider',
      remedy: 'grant the right, or remove the cause',
    },
  ],
  events: [
    {
      reason: 'NamespacesKept',
      event: 'Normal',
      cause: 'the AppClusterBinding is gone, and the namespaces that the message names stay with all that is in them',
      actor: 'provider',
      remedy: 'delete what is not needed; an AppClusterBinding of the same name gets it back',
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
      meaning: 'The kubeconfig of the app cluster can be used.',
      reasons: appClusterBindingReasons.secretValid,
    },
    {
      condition: 'RootNamespaceReady',
      meaning: 'The root namespace has what a konnector needs.',
      reasons: appClusterBindingReasons.rootNamespaceReady,
    },
    {
      condition: 'APIsBound',
      meaning: 'Every entry of `spec.apiExports` has its binding and its export.',
      reasons: appClusterBindingReasons.apisBound,
    },
    {
      condition: 'KonnectorDeployed',
      meaning: 'The konnector runs. Absent where none is asked for.',
      reasons: appClusterBindingReasons.konnectorDeployed,
    },
    {
      condition: 'CleanedUp',
      meaning: 'Only while the AppClusterBinding is being deleted: what that waits for.',
      reasons: appClusterBindingReasons.cleanedUp,
    },
    { meaning: 'What stays when it is gone.', reasons: appClusterBindingReasons.events },
  ],
} as const satisfies ReasonSubject;
