import { type Client, isAlreadyExists, isNotFound } from '@hawser/client';
import { type APIServiceNamespace, hawserAnnotations, labels, owners, resources } from '@hawser/kube-bind';

/** On the consumer, for the provider with that identity. That somebody else was faster is as good. */
export async function createNamespace(
  consumer: Client,
  name: string,
  provider: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await consumer.create(
      resources.namespaces,
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name,
          labels: { [labels.owner]: owners.provider },
          annotations: { [hawserAnnotations.providerIdentity]: provider },
        },
      },
      { signal },
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** In the version that was decided about. That it is gone is as good. */
export async function deleteRequest(
  provider: Client,
  { metadata: { namespace, name, uid, resourceVersion } }: APIServiceNamespace,
  signal: AbortSignal,
): Promise<void> {
  try {
    await provider.delete(
      resources.apiServiceNamespaces,
      { namespace, name },
      { preconditions: { uid, resourceVersion }, signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
