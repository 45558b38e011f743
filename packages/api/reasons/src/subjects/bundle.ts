import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndoneOnConsumer } from './writes-undone.js';

const secretValid = [
  {
    reason: 'KubeconfigSecretNotFound',
    event: 'Warning',
    cause: 'the Secret is missing, or the bundle names none',
    actor: 'consumer',
    remedy: 'ask the provider for a kubeconfig again, or create the Secret',
  },
  {
    reason: 'KubeconfigSecretInvalid',
    event: 'Warning',
    cause: 'the key is missing, or the kubeconfig is refused; the message says what and why',
    actor: 'consumer',
    remedy: 'correct the Secret',
  },
  {
    reason: 'KubeconfigSecretUnreadable',
    event: 'Warning',
    cause: 'the konnector may not read the Secret',
    actor: 'operator',
    remedy: 'grant `list` and `watch` in that namespace (chart: `secrets.namespaces`)',
  },
  {
    reason: 'ProviderIdentityChanged',
    event: 'Warning',
    cause: 'the kubeconfig leads to another provider than the one that the bundle is bound to',
    actor: 'operator',
    remedy: 'accept it as the message says, or put the right kubeconfig back',
  },
  {
    reason: 'ConsumerIdentityChanged',
    event: 'Warning',
    cause: 'the bundle was made in another consumer cluster',
    actor: 'operator',
    remedy: 'accept it as the message says, or delete the bundle here',
  },
] as const satisfies readonly Reason[];

const synced = [
  {
    reason: 'ProviderClientError',
    event: 'Warning',
    cause:
      'there is no connection: no kubeconfig that can be used, the bundle is bound to another cluster, or the controllers failed',
    actor: 'consumer',
    remedy: "see `SecretValid`; otherwise see the konnector's log. Bindings stay as they are",
  },
  {
    reason: 'ListExportsFailed',
    event: 'Warning',
    cause: 'what is exported cannot be read: the provider refuses, or cannot be reached',
    actor: 'provider',
    remedy: 'grant `list` (and `watch`) on APIServiceExports, or renew the credential. Bindings stay as they are',
  },
  {
    reason: 'SyncErrors',
    event: 'Warning',
    cause: "the consumer's API server refused to create or delete a binding, in its words",
    actor: 'operator',
    remedy: 'grant what is named; tried again by itself',
  },
  {
    reason: 'DeletionsHeld',
    event: 'Warning',
    cause:
      'exports are gone, and with their bindings the CRDs and all objects would go: the deletion was not seen, as after a restore of the provider from a backup, or there are more than ten within a minute',
    actor: 'operator',
    remedy:
      'have the provider bring the exports back, which goes on by itself; or approve exactly these deletions with the annotation `hawser.dev/approve-deletions` that the message gives',
  },
  {
    reason: 'ForeignAPIServiceBinding',
    event: 'Warning',
    cause: "there is a binding of the export's name that is not this bundle's, or names another Secret",
    actor: 'consumer',
    remedy: 'delete that binding to have the export bound by the bundle; or leave it',
  },
  {
    reason: 'BindingsKept',
    event: 'Warning',
    cause:
      'exports are missing, but are not proven deleted: the cluster namespace is going, was made anew or cannot be read, or nothing at all is exported any more',
    actor: 'consumer',
    remedy: 'delete the bindings that are named, if their exports are not to come back',
  },
  {
    reason: 'APIServiceBindingTerminating',
    event: 'Warning',
    cause: 'a binding of the bundle is being deleted; severity Info',
    actor: 'nobody',
    remedy: 'it is made again when it is gone. To unbind, delete the bundle',
  },
] as const satisfies readonly Reason[];

const told = [
  {
    reason: 'BindingCreated',
    event: 'Normal',
    cause: 'the provider exports something: it was bound',
    actor: 'nobody',
    remedy: 'nothing',
  },
  {
    reason: 'BindingDeleted',
    event: 'Normal',
    cause: 'the provider has withdrawn an export: its binding was deleted',
    actor: 'nobody',
    remedy: 'nothing; copies stay on the provider',
  },
] as const satisfies readonly Reason[];

const ready = [
  {
    reason: 'Pending',
    cause:
      "the konnector has not looked at the provider's exports yet: until `Synced` says something, `Ready` is not True",
    actor: 'nobody',
    remedy: 'wait; if it lasts, see `SecretValid`',
  },
] as const satisfies readonly Reason[];

export const bundleReasons = [...ready, ...secretValid, ...synced, ...told, ...writesUndoneOnConsumer.reasons] as const;

export const bundleSubject = {
  kind: 'APIServiceBindingBundle',
  title: 'APIServiceBindingBundle (on the consumer)',
  intro:
    'Written by the konnector. `Ready` sums up. Each condition that becomes False is also a Warning Event on the bundle, with the reason of the condition.',
  groups: [
    { condition: 'Ready', meaning: 'The sum of the others; one that is False gives its reason.', reasons: ready },
    {
      condition: 'SecretValid',
      meaning:
        'Whether the Secret that the bundle names holds a kubeconfig that may be used. While it is False, a connection that runs goes on with the last kubeconfig that worked.',
      reasons: secretValid,
    },
    {
      condition: 'Synced',
      meaning: 'Whether each export has its binding, and each binding of the bundle its export.',
      reasons: synced,
    },
    { meaning: 'Nothing but Events:', reasons: told },
    writesUndoneOnConsumer,
  ],
} as const satisfies ReasonSubject;
