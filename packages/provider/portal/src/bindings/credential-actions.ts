import type { Clock } from '@hawser/clock';
import { credentialWord, fixedNames, formatTime, hawserAnnotations, resources } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { type ConsumerFacts, speaking, type Spoken } from '@hawser/consumer-states';
import { Refusal } from '../answer.js';
import type { Asked } from '../binder.js';
import { type Person, identityOf } from '../person.js';

/** Actions of a person on their cluster's credential. Closed. */
export type CredentialAction = 'replace' | 'revoke' | 'restore';

export interface CredentialActionsOptions {
  readonly spoken: readonly Spoken[];
  readonly clock: Clock;
  readonly audit: Logger;
}

/** Prefix of a revocation's reason from here: a person can undo their own, not an operator's. */
const BY_OWNER = 'by its owner, ';

/**
 * Replaces and revokes credentials by annotations of the ClusterBinding, which the provider role reads. An operator's
 * annotations on the cluster namespace take precedence.
 */
export class CredentialActions {
  readonly #options: CredentialActionsOptions;

  constructor(options: CredentialActionsOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for a revocation that this person may not undo @throws {ApiError} */
  async do(action: CredentialAction, person: Person, consumer: ConsumerFacts, asked: Asked): Promise<void> {
    const { spoken, clock, audit } = this.#options;
    const { namespace, clusterBinding } = consumer;
    if (clusterBinding === undefined)
      throw new Refusal(
        503,
        'INTERNAL_ERROR',
        'The provider has not made the credential of this cluster yet. Try again.',
      );
    if (action === 'restore' && !mayRestore(consumer))
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        'The provider revoked the access of this cluster. Ask the administrator of the provider.',
      );
    const revoked = credentialWord('revokeCredential', consumer.namespaceObject, clusterBinding);
    if (action === 'revoke' && revoked !== undefined) {
      // Only their own is undone; an operator's stays in force.
      if (mayRestore(consumer)) return;
      throw new Refusal(409, 'BAD_REQUEST', 'The provider has already revoked the access of this cluster.');
    }
    const now = clock.now();
    const { uid, resourceVersion } = clusterBinding.metadata;
    // At the version read: an operator's annotation written meanwhile is not overwritten.
    const metadata = { uid, resourceVersion, annotations: noted(action, person, now) };
    await speaking(spoken, consumer.dialect).client.patch(
      resources.clusterBindings,
      { namespace, name: fixedNames.clusterBinding },
      { type: 'merge', patch: { metadata } },
      { signal: asked.signal },
    );
    audit.info(auditMessages[action], { person: identityOf(person), namespace, requestId: asked.requestId });
  }
}

const auditMessages: Readonly<Record<CredentialAction, string>> = {
  replace: 'replaced a credential',
  revoke: 'revoked the access of a cluster',
  restore: 'restored the access of a cluster',
};

function noted(action: CredentialAction, person: Person, now: number): Readonly<Record<string, string | null>> {
  switch (action) {
    case 'replace':
      return { [hawserAnnotations.replaceCredential]: formatTime(now) };
    case 'revoke':
      return { [hawserAnnotations.revokeCredential]: `${BY_OWNER}${identityOf(person)}, at ${formatTime(now)}` };
    case 'restore':
      return { [hawserAnnotations.revokeCredential]: null };
  }
}

/** Whether the consumer's access was revoked from here. */
export function mayRestore({ namespaceObject, clusterBinding }: ConsumerFacts): boolean {
  return credentialWord('revokeCredential', namespaceObject, clusterBinding)?.startsWith(BY_OWNER) === true;
}
