import { conditionTypes, falseCondition, formatTime, type NewCondition } from '@hawser/kube-bind';

const type = conditionTypes.credentialExpiring;

// True is the bad state here. It has no part in `Ready`: a True condition counts as good there, and a False one without
// severity not at all.

export function revokedCondition(reason: string): NewCondition {
  const because = reason === '' ? '' : `: ${reason.slice(0, 512)}`;
  return {
    type,
    status: 'True',
    reason: 'CredentialRevoked',
    message: `The provider has revoked this consumer's access${because}. What was synced stays. To give access again, the provider has to remove the annotation hawser.dev/revoke-credential from the cluster namespace and the ClusterBinding, and to hand out the new kubeconfig.`,
  };
}

export function overdueCondition(expires: number): NewCondition {
  return {
    type,
    status: 'True',
    reason: 'CredentialRefreshOverdue',
    message: `The consumer's token expires at ${formatTime(expires)} and could not be refreshed. The provider has to remove the cause, which the Events of this object tell.`,
  };
}

/**
 * `expires`: expiry of the consumer's present credential; undefined: it stays valid until the consumer has been in
 * contact.
 */
export function unseenCondition(issued: number, expires: number | undefined): NewCondition {
  const what =
    expires === undefined
      ? 'What it has stays valid until it has been'
      : `What it has expires at ${formatTime(expires)}`;
  return {
    type,
    status: 'True',
    reason: 'ConsumerNotSeen',
    message: `The consumer has not been in contact since its credential was renewed at ${formatTime(issued)}. ${what}. The consumer has to start its konnector; if it is too late for that, the provider has to hand out the new kubeconfig.`,
  };
}

export const refreshedCondition: NewCondition = falseCondition(
  type,
  'CredentialRefreshed',
  '',
  'The token is refreshed at half its life.',
);
