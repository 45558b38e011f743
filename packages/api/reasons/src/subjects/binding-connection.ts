import type { Reason } from '../reason.js';

export const secretValid = [
  {
    reason: 'KubeconfigSecretNotFound',
    cause: 'the binding names no Secret, or there is none of that name',
    actor: 'consumer',
    remedy:
      'none while the connection works: the konnector puts it back within seconds. Else bind again, or create the Secret with the kubeconfig under the key',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigSecretInvalid',
    cause:
      'the key is missing, is not a kubeconfig, or asks for something that a kubeconfig from a Secret may not ([Security](../why/security.md)); the message names all of it',
    actor: 'consumer',
    remedy: 'correct the Secret',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigSecretUnreadable',
    cause: 'the konnector may not read it',
    actor: 'operator',
    remedy: 'grant `list` and `watch` on it (chart: `secrets.namespaces`)',
    event: 'Warning',
  },
  {
    reason: 'ProviderIdentityChanged',
    cause:
      'the kubeconfig leads to another provider than the one that was bound: the cluster namespace has another uid (annotation `hawser.dev/provider-identity`). Nothing is synced to it',
    actor: 'operator',
    remedy:
      'put the right kubeconfig back; or, if the provider has moved, set the annotation to the uid that the message names',
    event: 'Warning',
  },
  {
    reason: 'ConsumerIdentityChanged',
    cause:
      'the binding was bound in another cluster (annotation `hawser.dev/consumer-identity`), as after a restore into a new one. Nothing is synced',
    actor: 'operator',
    remedy:
      'delete it here; or, if this cluster has taken the place of that one, set the annotation to the uid that the message names',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretNotFound',
    cause: 'the Secret that the ClusterBinding names is missing; told as an Event only',
    actor: 'provider',
    remedy: 'make it again; the consumer goes on with its copy',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretReadFailed',
    cause: 'the konnector may not read the Secret that the ClusterBinding names; told as an Event only',
    actor: 'provider',
    remedy: 'grant `list` and `watch`',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretInvalid',
    cause: 'the provider offers a kubeconfig that cannot be used; told as an Event only',
    actor: 'provider',
    remedy: 'correct the Secret that the ClusterBinding names',
    event: 'Warning',
  },
  {
    reason: 'ConsumerSecretUpdateFailed',
    cause: 'a new kubeconfig of the provider could not be copied to the Secret; told as an Event only',
    actor: 'operator',
    remedy: 'grant `create` and `patch` on Secrets there',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const informersSynced = [
  {
    reason: 'InformerSyncTimeout',
    cause: "the provider's objects could not be listed within 150 s",
    actor: 'operator',
    remedy: 'look at the network; the provider at its API server',
    event: 'Warning',
  },
  {
    reason: 'InformerSyncFailed',
    cause: "the provider's API server refused it or could not be reached; the message says which",
    actor: 'provider',
    remedy: '401: a new kubeconfig; 403: grant the right that is named; else look at the network and the API server',
    event: 'Warning',
  },
  {
    reason: 'ControllersFailed',
    cause: 'the controllers of the connection could not start, or ended; tried again with back-off',
    actor: 'operator',
    remedy: 'the message says why',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const heartbeating = [
  {
    reason: 'ClusterBindingNotFound',
    cause: 'the provider has no ClusterBinding `cluster` in the cluster namespace',
    actor: 'provider',
    remedy: 'make it again; or the consumer deletes the binding',
    event: 'Warning',
  },
  {
    reason: 'ClusterBindingUpdateFailed',
    cause: "the report was refused, in the server's words; tried again with back-off",
    actor: 'provider',
    remedy: 'grant what is named',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];
