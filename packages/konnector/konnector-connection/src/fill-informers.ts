import { type KubeObject, isApiError } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';

/**
 * Resolves when every informer has delivered its first complete list. Rejects with the server's answer as soon as one
 * is refused (401, 403, 404), since waiting does not help. An unreachable or broken server gets `patience` tries.
 * Rejects when `signal` aborts.
 */
export async function fillInformers(
  informers: readonly InformerHandle<KubeObject>[],
  signal: AbortSignal,
  patience = 3,
): Promise<void> {
  await Promise.all(informers.map((informer) => fillOne(informer, signal, patience)));
}

async function fillOne(informer: InformerHandle<KubeObject>, signal: AbortSignal, patience: number): Promise<void> {
  const refused = Promise.withResolvers<never>();
  const look = (): void => {
    const { state, hasSynced } = informer;
    if (hasSynced || state.phase !== 'waiting') return;
    if (isApiError(state.error, 'Unauthorized', 'Forbidden', 'NotFound') || state.failures >= patience)
      refused.reject(state.error);
  };
  const subscription = informer.onStateChange(look);
  look();
  try {
    await Promise.race([informer.synced(signal), refused.promise]);
  } finally {
    subscription.close();
  }
}
