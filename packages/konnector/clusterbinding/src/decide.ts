import {
  type ClusterBinding,
  type ClusterBindingStatus,
  type NewCondition,
  conditionReasons,
  conditionTypes,
  falseCondition,
  formatDuration,
  formatTime,
  trueCondition,
} from '@hawser/kube-bind';
import { msToHeartbeat } from './heartbeat.js';
import { type MirrorAction, mirror } from './mirror.js';
import type { ConsumerSecret, Observed } from './observed.js';
import { reportedVersion } from './version.js';

/** Fields of `ClusterBinding.status` owned by this controller, without conditions. `undefined` leaves one unchanged. */
export type StatusFields = Pick<
  ClusterBindingStatus,
  'lastHeartbeatTime' | 'heartbeatInterval' | 'konnectorVersion' | 'consumerSecretRef'
>;

export type Decision =
  /** No ClusterBinding exists for the report: the bindings must say so. */
  | { readonly kind: 'disconnected'; readonly heartbeating: NewCondition }
  | {
      readonly kind: 'report';
      readonly clusterBinding: ClusterBinding;
      readonly mirrors: readonly MirrorAction[];
      /** Absent: the result of mirroring decides, or nothing is known. */
      readonly secretValid: NewCondition | undefined;
      readonly validVersion: NewCondition;
      readonly status: StatusFields;
      /** Milliseconds until the next heartbeat, if this one is written. */
      readonly nextMs: number;
    };

/** Decides about one connection. Pure. */
export function decide(observed: Observed): Decision {
  const reading = observed.clusterBinding;
  switch (reading.kind) {
    case 'missing':
      return disconnected(
        'ClusterBindingNotFound',
        'ClusterBinding cluster does not exist on the provider, so that no heartbeat can be reported. The provider has to make it again, or this binding is to be deleted.',
      );
    case 'unreadable':
      return disconnected(conditionReasons.clusterBindingUpdateFailed, reading.error);
    case 'found': {
      const version = reportedVersion(observed.version);
      const waitMs = msToHeartbeat(reading.object.status, observed.heartbeat, observed.nowMs);
      return {
        kind: 'report',
        clusterBinding: reading.object,
        ...decideMirrors(observed, reading.object),
        validVersion:
          version.error === undefined
            ? trueCondition(conditionTypes.validVersion)
            : falseCondition(conditionTypes.validVersion, conditionReasons.parseError, 'Warning', version.error),
        status: {
          heartbeatInterval: formatDuration(observed.heartbeat.intervalMs),
          lastHeartbeatTime: waitMs === 0 ? formatTime(observed.nowMs) : undefined,
          konnectorVersion: version.value,
          consumerSecretRef: consumerSecretRef(reading.object, observed.consumerSecrets),
        },
        nextMs: waitMs === 0 ? observed.heartbeat.periodMs : waitMs,
      };
    }
  }
}

function disconnected(reason: string, message: string): Decision {
  return {
    kind: 'disconnected',
    heartbeating: falseCondition(conditionTypes.heartbeating, reason, 'Warning', message),
  };
}

function decideMirrors(
  observed: Observed,
  clusterBinding: ClusterBinding,
): { mirrors: readonly MirrorAction[]; secretValid: NewCondition | undefined } {
  const { providerSecret: reading } = observed;
  const { name, key } = clusterBinding.spec.kubeconfigSecretRef;
  const invalid = (reason: string, message: string): ReturnType<typeof decideMirrors> => ({
    mirrors: [],
    secretValid: falseCondition(conditionTypes.secretValid, reason, 'Warning', message),
  });
  switch (reading.kind) {
    case 'unknown':
      return { mirrors: [], secretValid: undefined };
    case 'denied':
      return invalid(
        'ProviderSecretReadFailed',
        `Secret ${name} on the provider cannot be read: ${reading.error}. The provider has to allow it; the consumer goes on with its copy.`,
      );
    case 'missing':
      return invalid(
        conditionReasons.providerSecretNotFound,
        `Secret ${name} does not exist on the provider. The provider has to make it again; the consumer goes on with its copy.`,
      );
    case 'found': {
      const { kubeconfig, secret } = reading;
      if (kubeconfig === undefined || kubeconfig === '') {
        return invalid(
          conditionReasons.providerSecretInvalid,
          `Secret ${name} on the provider has no data under key ${key}. The provider has to correct it; the consumer goes on with its copy.`,
        );
      }
      if (reading.refusal !== undefined) {
        return invalid(
          conditionReasons.providerSecretInvalid,
          `Secret ${name} on the provider was not copied, because the consumer could not connect with its key ${key}. ${reading.refusal} The provider has to correct it; the consumer goes on with its copy.`,
        );
      }
      return {
        mirrors: observed.consumerSecrets
          .map((target) => mirror(target, secret, kubeconfig))
          .filter((action) => action.kind !== 'none'),
        secretValid: trueCondition(conditionTypes.secretValid),
      };
    }
  }
}

/** Keeps the reported reference while it is one of ours; never clears it (spec/konnector.md §7.2). */
function consumerSecretRef(
  clusterBinding: ClusterBinding,
  secrets: readonly ConsumerSecret[],
): ClusterBindingStatus['consumerSecretRef'] {
  const before = clusterBinding.status?.consumerSecretRef;
  const there = secrets.filter((secret) => secret.reading.kind === 'found');
  if (
    before !== undefined &&
    there.some((secret) => secret.name === before.name && secret.namespace === before.namespace)
  )
    return before;
  const [first] = there.toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  return first === undefined ? undefined : { name: first.name, namespace: first.namespace };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
