import { ApiError, type ApiErrorCode, type Client } from '@hawser/client';
import { StaleError } from '@hawser/controller';
import { equal } from '@hawser/json';
import { type NewCondition, type Secret, conditionTypes, falseCondition, resources } from '@hawser/kube-bind';
import type { MirrorAction } from './mirror.js';

export interface MirrorClients {
  readonly consumer: Client;
  readonly provider: Client;
}

/** Result of mirroring. `secretValid`: report, undefined if unknown; `error`: failure to retry with back-off. */
export interface Mirrored {
  readonly secretValid: NewCondition | undefined;
  readonly error?: Error | undefined;
}

/** Writes the decided copies to the consumer Secrets. `source`: the provider's Secret that the decision used. */
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
      // Another client changed it meanwhile: nothing to report; look again.
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
 * Reads live before an overwrite. Expired credentials still have a filled cache; they must not replace fresh ones that
 * the administrator has just written.
 */
async function assertCurrent(provider: Client, source: Secret, signal: AbortSignal): Promise<void> {
  const { namespace, name } = source.metadata;
  const live = await provider.get<Secret>(resources.secrets, { namespace, name }, { signal });
  if (live.metadata.uid !== source.metadata.uid || !equal(live.data, source.data))
    throw new StaleError('StaleSecret', `Secret ${name} has changed on the provider`);
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
