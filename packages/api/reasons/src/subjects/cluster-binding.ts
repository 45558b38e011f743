import type { Reason, ReasonSubject } from '../reason.js';

const secretValid = [
  { reason: 'ProviderSecretNotFound', cause: 'the Secret that the ClusterBinding names is missing', actor: 'provider', remedy: 'make it again; the consumer goes on with its copy' },
  { reason: 'ProviderSecretReadFailed', cause: 'the konnector may not read it', actor: 'provider', remedy: 'grant `list` and `watch`' },
  { reason: 'ProviderSecretInvalid', cause: 'the key is missing, or the consumer could not connect with it, so it was not copied', actor: 'provider', remedy: 'correct the Secret' },
  { reason: 'ConsumerSecretUpdateFailed', cause: 'it could not be copied to the consumer\'s Secret', actor: 'operator', remedy: 'grant `create` and `patch` on Secrets there' },
  { reason: 'SecretInvalid', cause: 'stands in an Event in place of a reason that the condition lacks', actor: 'provider', remedy: 'see the message' },
] as const satisfies readonly Reason[];

const validVersion = [
  { reason: 'ParseError', cause: 'the konnector\'s version cannot be read', actor: 'operator', remedy: 'use a released build' },
] as const satisfies readonly Reason[];

const healthy = [
  { reason: 'FirstHeartbeatPending', cause: 'no konnector has reported yet', actor: 'consumer', remedy: 'run a konnector with the kubeconfig that was handed out' },
  { reason: 'HeartbeatIntervalMissing', cause: 'the konnector does not say how often it reports', actor: 'consumer', remedy: 'update the konnector' },
  { reason: 'HeartbeatTimeout', cause: 'no heartbeat for more than twice the interval; the message says since when', actor: 'consumer', remedy: 'see whether the konnector runs and reaches the provider', event: 'Warning' },
  { reason: 'HeartbeatTimeDrift', cause: 'the clocks of consumer and provider differ', actor: 'consumer', remedy: 'set the clock', event: 'Warning' },
] as const satisfies readonly Reason[];

export const clusterBindingReasons = [...secretValid, ...validVersion, ...healthy] as const;

export const clusterBindingSubject = {
  kind: 'ClusterBinding',
  title: 'ClusterBinding (on the provider)',
  intro: `\`Healthy\` is written by the provider role, all else by the konnector. \`Ready\` sums up. When \`SecretValid\` becomes False, each binding of the connection gets a Warning Event with the same reason. No heartbeat for twice
\`status.heartbeatInterval\` means that the konnector is gone or cut off.`,
  groups: [
    { condition: 'SecretValid', meaning: 'Whether the kubeconfig that the provider keeps reaches the consumer.', reasons: secretValid },
    { condition: 'ValidVersion', meaning: 'Whether the konnector\'s version is known.', reasons: validVersion },
    { condition: 'Healthy', meaning: 'Whether the konnector still reports.', reasons: healthy },
  ],
} as const satisfies ReasonSubject;
