import type { Reason, ReasonSubject } from '../reason.js';
import { writesUndone } from './writes-undone.js';

const secretValid = [
  {
    reason: 'ProviderSecretNotFound',
    cause: 'the Secret that the ClusterBinding names is missing',
    actor: 'provider',
    remedy: 'make it again; the consumer goes on with its copy',
  },
  {
    reason: 'ProviderSecretReadFailed',
    cause: 'the konnector may not read it',
    actor: 'provider',
    remedy: 'grant `list` and `watch`',
  },
  {
    reason: 'ProviderSecretInvalid',
    cause: 'the key is missing, or the consumer could not connect with it, so it was not copied',
    actor: 'provider',
    remedy: 'correct the Secret',
  },
  {
    reason: 'ConsumerSecretUpdateFailed',
    cause: "it could not be copied to the consumer's Secret",
    actor: 'operator',
    remedy: 'grant `create` and `patch` on Secrets there',
  },
  {
    reason: 'SecretInvalid',
    cause: 'stands in an Event in place of a reason that the condition lacks',
    actor: 'provider',
    remedy: 'see the message',
  },
] as const satisfies readonly Reason[];

const validVersion = [
  {
    reason: 'ParseError',
    cause: "the konnector's version cannot be read",
    actor: 'operator',
    remedy: 'use a released build',
  },
] as const satisfies readonly Reason[];

const healthy = [
  {
    reason: 'FirstHeartbeatPending',
    cause: 'no konnector has reported yet',
    actor: 'consumer',
    remedy: 'run a konnector with the kubeconfig that was handed out',
  },
  {
    reason: 'HeartbeatIntervalMissing',
    cause: 'the konnector does not say how often it reports',
    actor: 'consumer',
    remedy: 'update the konnector',
  },
  {
    reason: 'HeartbeatTimeout',
    cause: 'no heartbeat for more than twice the interval; the message says since when',
    actor: 'consumer',
    remedy: 'see whether the konnector runs and reaches the provider',
    event: 'Warning',
  },
  {
    reason: 'HeartbeatTimeDrift',
    cause: 'the clocks of consumer and provider differ',
    actor: 'consumer',
    remedy: 'set the clock',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

const credentialExpiring = [
  {
    reason: 'CredentialRevoked',
    cause: 'the provider took the access away; the message says why',
    actor: 'provider',
    remedy:
      'remove the annotation `hawser.dev/revoke-credential` from the cluster namespace and the ClusterBinding, and hand out the new kubeconfig',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefreshOverdue',
    cause: 'the token runs out and could not be refreshed',
    actor: 'provider',
    remedy: 'remove the cause that the Events tell',
    event: 'Warning',
  },
  {
    reason: 'ConsumerNotSeen',
    cause: 'the consumer has not been in contact since its credential was renewed',
    actor: 'consumer',
    remedy: 'start the konnector; if the message says that it is too late, ask for the new kubeconfig',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefreshed',
    cause: 'the condition is False: all is well with a token that expires',
    actor: 'nobody',
    remedy: 'nothing',
  },
] as const satisfies readonly Reason[];

const objectsLeft = [
  {
    reason: 'ExportsEnded',
    event: 'Normal',
    cause:
      'exports of this consumer were withdrawn or deleted, and its copies are still there: the message counts and names them',
    actor: 'provider',
    remedy: 'none needed; delete them if they are not to be kept, or have the consumer bind the API again',
  },
] as const satisfies readonly Reason[];

const credentialEvents = [
  {
    reason: 'CredentialModeUnknown',
    cause: 'the annotation `hawser.dev/credential` is neither Legacy nor Rotating',
    actor: 'provider',
    remedy: 'correct it',
    event: 'Warning',
  },
  {
    reason: 'CredentialConflict',
    cause: 'a Secret that is not a credential of this consumer has the name of one',
    actor: 'provider',
    remedy: 'remove it',
    event: 'Warning',
  },
  {
    reason: 'CredentialNotIssued',
    cause: 'Kubernetes put no token into the token Secret',
    actor: 'provider',
    remedy: 'see whether the token controller runs',
    event: 'Warning',
  },
  {
    reason: 'CredentialRefused',
    cause: 'the API server refused a request, in its words; tried again',
    actor: 'provider',
    remedy: 'grant the right, or remove the cause',
    event: 'Warning',
  },
  {
    reason: 'RightsConflict',
    cause: 'RoleBinding `kube-binder` in the cluster namespace gives another role',
    actor: 'provider',
    remedy: 'delete it; it is made again',
    event: 'Warning',
  },
  {
    reason: 'RightsRefused',
    cause: 'the API server refused that RoleBinding, in its words; tried again',
    actor: 'provider',
    remedy: 'grant `bind` on ClusterRole `kube-binder`',
    event: 'Warning',
  },
  {
    reason: 'KubeconfigOutdated',
    cause: 'the kubeconfig has another address, authority or server name than would be handed out now',
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
    cause: 'an operator has approved on the page that this consumer gets a template',
    actor: 'nobody',
    remedy: 'none needed',
    event: 'Normal',
  },
  {
    reason: 'SchemaApproved',
    cause: 'an operator has let a held schema through on the page',
    actor: 'nobody',
    remedy: 'none needed',
    event: 'Normal',
  },
  {
    reason: 'SchemaRejected',
    cause: 'an operator has rejected a held schema on the page',
    actor: 'nobody',
    remedy: 'none needed',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];

export const clusterBindingSubject = {
  kind: 'ClusterBinding',
  title: 'ClusterBinding (on the provider)',
  intro: `\`Healthy\`, \`CredentialExpiring\` and \`ObjectsLeft\` are written by the provider role, all else by the konnector. \`Ready\` sums up. When \`SecretValid\` becomes False, each binding of the connection gets a Warning Event with the same reason. No heartbeat for twice
\`status.heartbeatInterval\` means that the konnector is gone or cut off.`,
  groups: [
    {
      condition: 'SecretValid',
      meaning: 'Whether the kubeconfig that the provider keeps reaches the consumer.',
      reasons: secretValid,
    },
    { condition: 'ValidVersion', meaning: "Whether the konnector's version is known.", reasons: validVersion },
    { condition: 'Healthy', meaning: 'Whether the konnector still reports.', reasons: healthy },
    {
      condition: 'CredentialExpiring',
      meaning:
        'Whether the consumer loses its access, or has lost it; True is the bad state. Absent for a token that never expires. It has no part in `Ready`.',
      reasons: credentialExpiring,
    },
    {
      condition: 'ObjectsLeft',
      meaning: 'True while there are copies of exports that have ended; absent otherwise. No summary counts it.',
      reasons: objectsLeft,
    },
    { meaning: 'Why a credential or right is not made or changed.', reasons: credentialEvents },
    { meaning: 'What operators have decided on the pages of the portal.', reasons: operatorEvents },
    writesUndone,
  ],
} as const satisfies ReasonSubject;
