import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndoneOnConsumer } from './writes-undone.js';

const secretValid = [
  {
    reason: 'KubeconfigSecretNotFound',
    event: 'Warning',
    cause: 'the Secret is missing, or the bundle names none',
    actor: 'consumer',
    remedy: 'ask the provider for a new kubeconfig, or create the Secret',
  },
  {
    reason: 'KubeconfigSecretInvalid',
    event: 'Warning',
    cause: 'the key is missing, or the konnector refuses the kubeconfig; the message says why',
    actor: 'consumer',
    remedy: 'correct the Secret',
  },
  {
    reason: 'KubeconfigSecretUnreadable',
    event: 'Warning',
    cause: 'the konnector lacks the right to read the Secret',
    actor: 'operator',
    remedy: 'grant `list` and `watch` in that namespace (chart: `secrets.namespaces`)',
  },
  {
    reason: 'ProviderIdentityChanged',
    event: 'Warning',
    cause: 'the kubeconfig leads to another provider than the one to which the bundle is bound',
    actor: 'operator',
    remedy: 'restore the right kubeconfig, or accept the provider as the message says',
  },
  {
    reason: 'ConsumerIdentityChanged',
    event: 'Warning',
    cause: 'the bundle was made in another consumer cluster',
    actor: 'operator',
    remedy: 'delete the bundle in this cluster, or accept the cluster as the message says',
  },
] as const satisfies readonly Reason[];

const synced = [
  {
    reason: 'ProviderClientError',
    event: 'Warning',
    cause:
      'there is no connection: the kubeconfig cannot be used, the bundle is bound to another cluster, or the controllers failed',
    actor: 'consumer',
    remedy: "check `SecretValid`; otherwise check the konnector's log. Bindings stay as they are",
  },
  {
    reason: 'ListExportsFailed',
    event: 'Warning',
    cause: 'the konnector cannot read the exports: the provider refuses, or cannot be reached',
    actor: 'provider',
    remedy: 'grant `list` (and `watch`) on APIServiceExports, or renew the credential. Bindings stay as they are',
  },
  {
    reason: 'SyncErrors',
    event: 'Warning',
    cause: "the consumer's API server refused to create or delete a binding; the message quotes it",
    actor: 'operator',
    remedy: 'grant the right that the message names. The konnector retries',
  },
  {
    reason: 'DeletionsHeld',
    event: 'Warning',
    cause:
      'exports are gone. Deleting their bindings would delete the CRDs and all objects. The konnector did not see the deletion (for example after a restore of the provider from a backup), or more than ten exports went within a minute',
    actor: 'operator',
    remedy:
      'have the provider restore the exports: sync then continues by itself. Or approve exactly these deletions with the annotation `hawser.dev/approve-deletions` in the message',
  },
  {
    reason: 'ForeignAPIServiceBinding',
    event: 'Warning',
    cause: 'a binding with the name of the export belongs to no bundle or another one, or names another Secret',
    actor: 'consumer',
    remedy: 'delete that binding if the bundle should bind the export; or leave it',
  },
  {
    reason: 'BindingsKept',
    event: 'Warning',
    cause:
      'exports are missing, but no proof shows that they were deleted: the cluster namespace is terminating, was recreated or cannot be read, or the provider exports nothing at all any more',
    actor: 'consumer',
    remedy: 'delete the bindings in the message, if their exports will not return',
  },
  {
    reason: 'APIServiceBindingTerminating',
    event: 'Warning',
    cause: 'a binding of the bundle is being deleted; severity Info',
    actor: 'nobody',
    remedy: 'wait: the konnector creates it again when it is gone. To unbind, delete the bundle',
  },
] as const satisfies readonly Reason[];

const lifecycleEvents = [
  {
    reason: 'BindingCreated',
    event: 'Normal',
    cause: 'the provider exports an API, and the konnector has bound it',
    actor: 'nobody',
    remedy: 'do nothing',
  },
  {
    reason: 'BindingDeleted',
    event: 'Normal',
    cause: 'the provider has withdrawn an export, and the konnector has deleted its binding',
    actor: 'nobody',
    remedy: 'do nothing; copies stay on the provider',
  },
] as const satisfies readonly Reason[];

const ready = [
  {
    reason: 'Pending',
    cause: "the konnector has not read the provider's exports yet. `Ready` becomes True only after `Synced` is set",
    actor: 'nobody',
    remedy: 'wait; if it lasts, check `SecretValid`',
  },
] as const satisfies readonly Reason[];

export const bundleReasons = [
  ...ready,
  ...secretValid,
  ...synced,
  ...lifecycleEvents,
  ...writesUndoneOnConsumer.reasons,
] as const;

export const bundleSubject = {
  kind: 'APIServiceBindingBundle',
  title: 'APIServiceBindingBundle (on the consumer)',
  intro:
    'The konnector writes it. `Ready` sums up. When a condition becomes False, the konnector also writes a Warning Event on the bundle with the same reason.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'Sum of the other conditions. It takes the reason of one that is False.',
      reasons: ready,
    },
    {
      condition: 'SecretValid',
      meaning:
        'Whether the Secret of the bundle holds a kubeconfig that may be used. While it is False, a running connection keeps the last kubeconfig that worked.',
      reasons: secretValid,
    },
    {
      condition: 'Synced',
      meaning: 'Whether each export has its binding, and each binding of the bundle has its export.',
      reasons: synced,
    },
    { meaning: 'Reported by Events only:', reasons: lifecycleEvents },
    writesUndoneOnConsumer,
  ],
} as const satisfies ReasonSubject;
