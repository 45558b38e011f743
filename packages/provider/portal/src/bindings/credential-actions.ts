import type { Clock } from '@hawser/clock';
import { credentialWord, fixedNames, formatTime, hawserAnnotations, resources } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { type ConsumerFacts, speaking, type Spoken } from '@hawser/consumer-states';
import { Refusal } from '../answer.js';
import type { Asked } from '../binder.js';
import { type Person, identityOf } from '../person.js';

/** What a person can do to the credential of their cluster. Closed. */
export type CredentialAction = 'replace' | 'revoke' | 'restore';

export interface CredentialActionsOptions {
  readonly spoken: readonly Spoken[];
  readonly clock: Clock;
  readonly audit: Logger;
}

/** Begins the reason of a revocation that came from here, so that a person takes back their own and no operator's. */
const BY_OWNER = 'by its owner, ';

/** Replaces and revokes credentials by the annotations of the ClusterBinding that the provider role reads. What an operator says on the cluster namespace counts before them. */
export class CredentialActions {
  readonly #options: CredentialActionsOptions;

  constructor(options: CredentialActionsOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for what this person may not undo @throws {ApiError} */
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
      // Their own, again; what an operator said stays as it is, and counts.
      if (mayRestore(consumer)) return;
      throw new Refusal(409, 'BAD_REQUEST', 'The provider has already revoked the access of this cluster.');
    }
    const now = clock.now();
    const { uid, resourceVersion } = clusterBinding.metadata;
    // As it was read: a word that an operator has said meanwhile is not written over.
    const metadata = { uid, resourceVersion, annotations: noted(action, person, now) };
    await speaking(spoken, consumer.dialect).client.patch(
      resources.clusterBindings,
      { namespace, name: fixedNames.clusterBinding },
      { type: 'merge', patch: { metadata } },
      { signal: asked.signal },
    );
    audit.info(told[action], { person: identityOf(person), namespace, requestId: asked.requestId });
  }
}

const told: Readonly<Record<CredentialAction, string>> = {
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
