import { type Client, isApiError, isObjectNotFound } from '@hawser/client';
import { type Namespace, resources } from '@hawser/kube-bind';

/** Which cluster the consumer is: the uid of `kube-system`, else of `default`. */
export interface ConsumerIdentity {
  /** As it was read last; undefined: never, or it may not be read. */
  readonly known: string | undefined;
  /** Reads it live. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

export function createConsumerIdentity(client: Client): ConsumerIdentity {
  let known: string | undefined;
  const uidOf = async (name: string, signal: AbortSignal): Promise<string | undefined> => (await client.get<Namespace>(resources.namespaces, { name }, { representation: 'metadata', signal })).metadata.uid;
  return {
    get known() {
      return known;
    },
    async read(signal) {
      try {
        known = await uidOf('kube-system', signal).catch((error: unknown) => {
          if (isObjectNotFound(error, resources.namespaces, { name: 'kube-system' })) return uidOf('default', signal);
          throw error;
        });
      } catch (error) {
        // Unknown holds up nobody: what was known stays.
        if (!isApiError(error)) throw error;
      }
      return known;
    },
  };
}
