import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const secretValid = [
  {
    reason: 'ProviderSecretNotFound',
    cause: 'the Secret that the ClusterBinding names is missing',
    actor: 'provider',
    remedy: 'create the Secret again. The consumer keeps using its copy',
  },
  {
    reason: 'ProviderSecretReadFailed',
    cause: 'the konnector lacks the right to read the Secret',
    actor: 'provider',
    remedy: 'grant `list` and `watch`',
  },
  {
    reason: 'ProviderSecretInvalid',
    cause: 'the key is missing, or the consumer could not connect with the kubeconfig. The konnector did not copy it',
    actor: 'provider',
    remedy: 'correct the Secret',
  },
  {
    reason: 'ConsumerSecretUpdateFailed',
    cause: "the konnector could not copy the kubeconfig to the consumer's Secret",
    actor: 'operator',
    remedy: 'grant `create` and `patch` on Secrets in that namespace',
  },
  {
    reason: 'SecretInvalid',
    cause: 'the condition has no reason; Events use this word instead',
    actor: 'provider',
    remedy: 'follow the message',
  },
] as const satisfies readonly Reason[];

const validVersion = [
  {
    reason: 'ParseError',
    cause: "the provider cannot parse the konnector's version",
    actor: 'operator',
    remedy: 'use a released build',
  },
] as const satisfies readonly Reason[];

const healthy = [
  {
    reason: 'FirstHeartbeatPending',
    cause: 'no konnector has reported yet',
    actor: 'consumer',
    remedy: 'run a konnector with the kubeconfig that you handed out',
  },
  {
    reason: 'HeartbeatIntervalMissing',
    cause: 'the konnector does not say how often it sends heartbeats',
    actor: 'consumer',
    remedy: 'update the konnector',
  },
  {
    reason: 'HeartbeatTimeout',
    cause: 'no heartbeat has come for more than twice the interval; the message says since when',
    actor: 'consumer',
    remedy: 'check whether the konnector runs and reaches the provider',
    event: 'Warning',
  },
  {
    reason: 'HeartbeatTimeDrift',
    cause: 'the clocks of consumer and provider differ',
    actor: 'consumer',
    remedy: 'correct the clock',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const credentialExpiring = [
  {
    reason: 'CredentialRevoked',
    cause: 'the provider revoked the access; the message says why',
    actor: 'provider',
    remedy:
      'remove the annotation `hawser.dev/revoke-credential` from the cluster namespace and the ClusterBinding, and hand out the new kubeconfig',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefreshOverdue',
    cause: 'the token expires, and the provider could not refresh it',
    actor: 'provider',
    remedy: 'remove the cause that the Events name',
    event: 'Warning',
  },
  {
    reason: 'ConsumerNotSeen',
    cause: 'the consumer has not connected since its credential was renewed',
    actor: 'consumer',
    remedy: 'start the konnector. If the message says that it is too late, ask for the new kubeconfig',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefreshed',
    cause: 'the condition is False: the token expires, and its renewal works',
    actor: 'nobody',
    remedy: 'do nothing',
  },
] as const satisfies readonly Reason[];

const objectsLeft = [
  {
    reason: 'ExportsEnded',
    event: 'Normal',
    cause:
      'exports of this consumer were withdrawn or deleted, but its copies still exist. The message counts and names them',
    actor: 'provider',
    remedy: 'do nothing to keep the copies. To remove them, delete them; or have the consumer bind the API again',
  },
] as const satisfies readonly Reason[];

const credentialEvents = [
  {
    reason: 'CredentialModeUnknown',
    cause: 'the annotation `hawser.dev/credential` is neither `Legacy` nor `Rotating`',
    actor: 'provider',
    remedy: 'correct the BoundSchema',
    event: 'Warning',
  },
  {
    reason: 'CredentialConflict',
    cause: 'a Secret that is not a credential of this consumer has the name of one',
    actor: 'provider',
    remedy: 'remove the ClusterRoleBinding',
    event: 'Warning',
  },
  {
    reason: 'CredentialNotIssued',
    cause: 'Kubernetes put no token into the token Secret',
    actor: 'provider',
    remedy: 'check whether the token controller runs',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefused',
    cause: 'the API server refused a request; the message quotes it. The provider retries',
    actor: 'provider',
    remedy: 'grant the right, or remove the cause',
    event: 'Warning',
  },
  {
    reason: 'RightsConflict',
    cause: 'RoleBinding `kube-binder` in the cluster namespace refers to another role',
    actor: 'provider',
    remedy: 'delete the RoleBinding. The provider role creates it again',
    event: 'Warning',
  },
  {
    reason: 'RightsRefused',
    cause: 'the API server refused that RoleBinding; the message quotes it. The provider role retries',
    actor: 'provider',
    remedy: 'grant `bind` on ClusterRole `kube-binder`',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigOutdated',
    cause: 'the kubeconfig has another address, certificate authority or server name than a new one would have',
    actor: 'provider',
    remedy: 'set `hawser.dev/replace-credential` to a new value',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const clusterBindingReasons = [
  ...secretValid,
  ...validVersion,
  ...healthy,
  ...credentialExpiring,
  ...objectsLeft,
  ...credentialEvents,
] as const;

const operatorEvents = [
  {
    reason: 'TemplateApproved',
    cause: 'an operator has approved a template for this consumer in the portal',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'SchemaApproved',
    cause: 'an operator has approved a held schema in the portal',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'SchemaRejected',
    cause: 'an operator has rejected a held schema in the portal',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const clusterBindingSubject = {
  kind: 'ClusterBinding',
  title: 'ClusterBinding (on the provider)',
  intro:
    'The provider role writes `Healthy`, `CredentialExpiring` and `ObjectsLeft`; the konnector writes all others. `Ready` sums up. When `SecretValid` becomes False, each binding of the connection gets a Warning Event with the same reason. No heartbeat for twice `status.heartbeatInterval` means that the konnector is gone or cut off.',
  groups: [
    {
      condition: 'SecretValid',
      meaning: "Whether the provider's kubeconfig reaches the consumer.",
      reasons: secretValid,
    },
    {
      condition: 'ValidVersion',
      meaning: "Whether the provider can read the konnector's version.",
      reasons: validVersion,
    },
    { condition: 'Healthy', meaning: 'Whether the konnector still sends heartbeats.', reasons: healthy },
    {
      condition: 'CredentialExpiring',
      meaning:
        'Whether the consumer loses its access, or has lost it. True is the bad state. Absent for a token that never expires. It does not count in `Ready`.',
      reasons: credentialExpiring,
    },
    {
      condition: 'ObjectsLeft',
      meaning: 'True while copies of ended exports exist; otherwise absent. Counts in no summary.',
      reasons: objectsLeft,
    },
    { meaning: 'Why the provider role does not create or change a credential or right.', reasons: credentialEvents },
    { meaning: 'Decisions of operators in the portal.', reasons: operatorEvents },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
