import { type Client, isApiError } from '@hawser/client';
import { readConsumerIdentity } from '@hawser/konnector-connection';

/** Identity of the consumer cluster: the uid of `kube-system`, else of `default`. */
export interface ConsumerIdentity {
  /** Last read; undefined: never read, or read refused. */
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
        // A failed read delays nothing: the former identity stays.
        if (!isApiError(error)) throw error;
      }
      return known;
    },
  };
}
