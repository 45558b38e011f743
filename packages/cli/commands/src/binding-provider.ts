import { type Client, createClient, getIfExists } from '@hawser/client';
import { readSecret } from '@hawser/konnector-explain';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';

import type { ConsumerCommand } from './consumer-command.js';
import { reportedVersion } from './version.js';

/** The provider of a binding, as its konnector reaches it. */
export interface BindingProvider {
  readonly provider: Client | undefined;
  readonly unreachable?: string | undefined;
  readonly clusterNamespace: string | undefined;
}

/** Uses the kubeconfig of the binding's own Secret; the caller closes the client. */
export async function providerOf(
  { client: consumer, spoken }: ConsumerCommand,
  name: string,
  signal: AbortSignal,
): Promise<BindingProvider> {
  const unreachable = (why: string): BindingProvider => ({
    provider: undefined,
    unreachable: why,
    clusterNamespace: undefined,
  });
  const binding = await getIfExists<APIServiceBinding>(consumer, resources.apiServiceBindings, { name }, { signal });
  if (binding === undefined) return unreachable('there is no binding');
  const { ref, reading } = await readSecret(consumer, binding, {}, signal);
  switch (reading.kind) {
    case 'valid':
      return {
        provider: spoken.speaking(
          createClient({
            name: 'provider',
            connection: reading.config,
            userAgent: `hawser/${reportedVersion()}`,
          }),
        ),
        clusterNamespace: reading.clusterNamespace,
      };
    case 'invalid':
      return unreachable(reading.problem);
    case 'unreadable':
      return unreachable(reading.error);
    case 'missing':
    case 'unknown':
      return unreachable(
        ref === undefined ? 'the binding names no Secret' : `Secret ${ref.namespace}/${ref.name} is not there`,
      );
  }
}
