import { type Client, isApiError } from '@hawser/client';
import { readConsumerIdentity } from '@hawser/konnector-connection';

/** Which cluster the consumer is: the uid of `kube-system`, else of `default`. */
export interface ConsumerIdentity {
  /** As it was read last; undefined: never, or it may not be read. */
  readonly known: string | undefined;
  /** Reads it live. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

export function createConsumerIdentity(client: Client): ConsumerIdentity {
  let known: string | undefined;
  return {
    get known() {
      return known;
    },
    async read(signal) {
      try {
        known = await readConsumerIdentity(client, signal);
      } catch (error) {
        // A failed read holds up nothing: what was known stays.
        if (!isApiError(error)) throw error;
      }
      return known;
    },
  };
}
