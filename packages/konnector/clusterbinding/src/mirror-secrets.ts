import { ApiError, type ApiErrorCode, type Client } from '@hawser/client';
import { equal } from '@hawser/json';
import { type NewCondition, type Secret, conditionTypes, falseCondition, resources } from '@hawser/kube-bind';
import type { MirrorAction } from './mirror.js';

export interface MirrorClients {
  readonly consumer: Client;
  readonly provider: Client;
}

/** What came of mirroring. `secretValid`: what to report, undefined if nothing can be said; `error`: what has to be tried again with back-off. */
export interface Mirrored {
  readonly secretValid: NewCondition | undefined;
  readonly error?: Error | undefined;
}

/** Copies to the consumer Secrets what was decided. `source` is the provider's Secret that the decision was made from. */
export async function mirrorSecrets(
  clients: MirrorClients,
  source: Secret | undefined,
  actions: readonly MirrorAction[],
  decided: NewCondition | undefined,
  signal: AbortSignal,
): Promise<Mirrored> {
  if (actions.length === 0 || source === undefined) return { secretValid: decided };
  try {
    await assertCurrent(clients.provider, source, signal);
  } catch (error) {
    return { secretValid: undefined, error: asError(error) };
  }
  const failures: ApiError[] = [];
  for (const action of actions) {
    try {
      await write(clients.consumer, action, signal);
    } catch (error) {
      // Another client has changed it meanwhile: nothing to report, but to be looked at again.
      if (!(error instanceof ApiError) || outdated.has(error.code))
        return { secretValid: undefined, error: asError(error) };
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first === undefined) return { secretValid: decided };
  const message = `The kubeconfig could not be copied to the consumer: ${failures.map((failure) => failure.message).join(' ')} The administrator of the consumer has to allow it.`;
  return {
    secretValid: falseCondition(conditionTypes.secretValid, 'ConsumerSecretUpdateFailed', 'Warning', message),
    error: first,
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const outdated: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(['Conflict', 'NotFound', 'AlreadyExists', 'Aborted']);

/**
 * Read live, before anything is overwritten: credentials that have expired still have a filled cache, and must not put themselves back in the
 * place of fresh ones that the administrator has just written.
 */
async function assertCurrent(provider: Client, source: Secret, signal: AbortSignal): Promise<void> {
  const { namespace, name } = source.metadata;
  const live = await provider.get<Secret>(resources.secrets, { namespace, name }, { signal });
  if (live.metadata.uid !== source.metadata.uid || !equal(live.data, source.data))
    throw new StaleSecretError(`Secret ${name} has changed on the provider`);
}

/** The provider's Secret is not what the cache says; its next event brings the key back. */
export class StaleSecretError extends Error {
  override readonly name = 'StaleSecretError';
  readonly code = 'StaleSecret';
}

async function write(consumer: Client, action: MirrorAction, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'none':
      return;
    case 'create':
      await consumer.create(resources.secrets, action.secret, { signal });
      return;
    case 'update': {
      const { namespace, name, uid, resourceVersion, data } = action;
      await consumer.patch(
        resources.secrets,
        { namespace, name },
        { type: 'merge', patch: { metadata: { uid, resourceVersion }, data } },
        { signal },
      );
      return;
    }
  }
}
