import type { KubeObject } from '@hawser/client';
import type { Informer, InformerState } from '@hawser/informer';

/**
 * Resolves after the first list, or once the API server answers that it lacks or hides the resource: waiting would not
 * change that. Rejects when `signal` aborts or the informer stops.
 */
export async function answered(informer: Informer<KubeObject>, signal: AbortSignal): Promise<void> {
  const refused = Promise.withResolvers<undefined>();
  const look = (state: InformerState): void => {
    if (state.phase === 'waiting' && !state.error.retryable) refused.resolve(undefined);
  };
  const subscription = informer.onStateChange(look);
  look(informer.state);
  try {
    await Promise.race([informer.synced(signal), refused.promise]);
  } finally {
    subscription.close();
  }
}
