import { type Binding, type Connection, getCondition } from '@hawser/core-kbind';
import type { Finding } from '@hawser/preview';
import { findReason } from '@hawser/reasons';

/** Conditions that report a fault if True. */
const WRONG_IF_TRUE: ReadonlySet<string> = new Set(['PermissionDenied', 'Conflicts']);
/** Conditions that sum up objects: each object has its own finding. */
const OF_OBJECTS: ReadonlySet<string> = new Set(['Synced', 'Conflicts']);

/**
 * Trouble that the conditions of an object report. `before`: the object in the cluster, with its times. A cause that
 * shows in several conditions appears once.
 */
export function findingsOf(
  kind: 'Connection' | 'Binding',
  { status }: Connection | Binding,
  before: Connection | Binding,
): readonly Finding[] {
  const wrong = (status?.conditions ?? []).filter(
    ({ type, status: state }) =>
      state !== 'Unknown' && (state === 'True') === WRONG_IF_TRUE.has(type) && !OF_OBJECTS.has(type),
  );
  const findings = wrong.map(({ type, status: state, reason, message }): Finding => {
    const known = findReason(kind, reason, type);
    const was = getCondition(before.status?.conditions, type);
    return {
      reason,
      message,
      actor: known?.actor ?? 'operator',
      remedy: known?.remedy,
      since: was?.status === state && was.reason === reason ? was.lastTransitionTime : undefined,
      condition: type,
    };
  });
  return findings.filter(
    ({ reason, message }, at) =>
      findings.findIndex((other) => other.reason === reason && other.message === message) === at,
  );
}

/** The reader may not read the kubeconfig. That says nothing about the konnector. */
export function isBlind(after: Connection, before: Connection): boolean {
  const reason = ({ status }: Connection): string | undefined =>
    getCondition(status?.conditions, 'SecretValid')?.reason;
  return reason(after) === 'SecretNotReadable' && reason(before) !== 'SecretNotReadable';
}

export const BLIND: Finding = {
  reason: 'NotKnown',
  message:
    'This kubeconfig may not read the Secret of the Connection, so that the provider cannot be asked. What is told is what the konnector has written.',
  actor: 'nobody',
};

export const UNSETTLED: Finding = {
  reason: 'NotKnown',
  message: 'Something that has to be read did not come in time, so that not everything could be looked at.',
  actor: 'nobody',
};

/** Perhaps no konnector does the due work. */
export const SILENT: Finding = {
  reason: 'KonnectorSilent',
  message:
    'Writes are due, and no konnector has renewed its Lease on the provider recently, so perhaps none is running.',
  actor: 'operator',
  remedy: 'see whether the konnector runs, and serves core.kbind.io',
};
