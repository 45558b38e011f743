import type { Reason } from '../reason.js';

export const secretValid = [
  {
    reason: 'KubeconfigSecretNotFound',
    cause: 'the binding names no Secret, or the Secret does not exist',
    actor: 'consumer',
    remedy:
      'do nothing while the connection works: the konnector restores the Secret within seconds. Otherwise bind again, or create the Secret with the kubeconfig under the key',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigSecretInvalid',
    cause:
      'the key is missing, its value is not a kubeconfig, or the kubeconfig uses a feature that is not allowed in a Secret ([Security](../why/security.md)). The message lists every problem',
    actor: 'consumer',
    remedy: 'correct the Secret',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigSecretUnreadable',
    cause: 'the konnector lacks the right to read the Secret',
    actor: 'operator',
    remedy: 'grant `list` and `watch` on the Secret (chart: `secrets.namespaces`)',
    event: 'Warning',
  },
  {
    reason: 'ProviderIdentityChanged',
    cause:
      'the kubeconfig leads to another provider than the bound one: its cluster namespace has another uid (annotation `hawser.dev/provider-identity`). Hawser syncs nothing to it',
    actor: 'operator',
    remedy: 'restore the right kubeconfig. If the provider has moved, set the annotation to the uid in the message',
    event: 'Warning',
  },
  {
    reason: 'ConsumerIdentityChanged',
    cause:
      'the binding was bound in another cluster (annotation `hawser.dev/consumer-identity`), for example before a restore into a new cluster. Hawser syncs nothing',
    actor: 'operator',
    remedy:
      'delete the binding in this cluster. If this cluster replaces the other one, set the annotation to the uid in the message',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretNotFound',
    cause: 'the Secret that the ClusterBinding names is missing. Reported by an Event only',
    actor: 'provider',
    remedy: 'create the Secret again. The consumer keeps using its copy',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretReadFailed',
    cause: 'the konnector lacks the right to read the Secret that the ClusterBinding names. Reported by an Event only',
    actor: 'provider',
    remedy: 'grant `list` and `watch`',
    event: 'Warning',
  },
  {
    reason: 'ProviderSecretInvalid',
    cause: 'the provider offers a kubeconfig that cannot be used. Reported by an Event only',
    actor: 'provider',
    remedy: 'correct the Secret that the ClusterBinding names',
    event: 'Warning',
  },
  {
    reason: 'ConsumerSecretUpdateFailed',
    cause: "the konnector cannot copy the provider's new kubeconfig to the Secret. Reported by an Event only",
    actor: 'operator',
    remedy: 'grant `create` and `patch` on Secrets in that namespace',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const informersSynced = [
  {
    reason: 'InformerSyncTimeout',
    cause: "the konnector could not list the provider's objects within 150 s",
    actor: 'operator',
    remedy: 'check the network; the provider checks its API server',
    event: 'Warning',
  },
  {
    reason: 'InformerSyncFailed',
    cause: "the provider's API server refused the list or cannot be reached; the message says which",
    actor: 'provider',
    remedy:
      'hand out a new kubeconfig on 401; grant the right that the message names on 403; otherwise check the network and the API server',
    event: 'Warning',
  },
  {
    reason: 'ControllersFailed',
    cause: 'the controllers of the connection could not start, or ended. The konnector retries with back-off',
    actor: 'operator',
    remedy: 'read the cause in the message',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const heartbeating = [
  {
    reason: 'ClusterBindingNotFound',
    cause: 'the provider has no ClusterBinding `cluster` in the cluster namespace',
    actor: 'provider',
    remedy: 'create it again; or the consumer deletes the binding',
    event: 'Warning',
  },
  {
    reason: 'ClusterBindingUpdateFailed',
    cause:
      "the provider's API server refused the heartbeat; the message quotes it. The konnector retries with back-off",
    actor: 'provider',
    remedy: 'grant the right that the message names',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];
