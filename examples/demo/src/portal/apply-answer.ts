import { type Client, type ObjectKey, createClient } from '@hawser/client';
import { sleep, systemClock } from '@hawser/clock';
import { bind, ensure } from '@hawser/installation';
import { type APIServiceExportRequest, type BindingResourceResponse, resources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { Cluster } from '../cluster.js';
import { DemoError } from '../demo-error.js';

export interface Applied {
  /** Name of the binding. */
  readonly name: string;
  /** Plural of the API. */
  readonly api: string;
  /** Namespace of the consumer on the provider. */
  readonly clusterNamespace: string;
}

/**
 * Carries out the portal's answer like `kubectl bind`: requests the export with the new credential, and writes Secret
 * and binding into the consumer.
 */
export async function applyAnswer(consumer: Cluster, answer: BindingResourceResponse): Promise<Applied> {
  const { requests, providerNamespace: clusterNamespace } = answer;
  const [request] = requests;
  const [offered] = request?.spec.resources ?? [];
  const bytes = Buffer.from(answer.kubeconfig, 'base64');
  const read = parseSecretKubeconfig(bytes);
  if (request === undefined || offered === undefined || clusterNamespace === undefined || !read.ok)
    throw new DemoError('failed', 'the answer of the portal cannot be used');
  const { name } = request.metadata;
  const provider = createClient({ name: 'provider', connection: read.connection });
  try {
    await ensure(provider, resources.apiServiceExportRequests, {
      ...request,
      metadata: { name, namespace: clusterNamespace },
    });
    await answered(provider, { namespace: clusterNamespace, name });
  } finally {
    await provider.close();
  }
  await bind({ consumer: consumer.client, name, kubeconfig: bytes.toString() });
  return { name, api: offered.resource, clusterNamespace };
}

const PATIENCE_MS = 30_000;

/**
 * Resolves when the provider has granted the request.
 * @throws DemoError with the provider's message
 */
async function answered(provider: Client, key: ObjectKey): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status } = await provider.get<APIServiceExportRequest>(resources.apiServiceExportRequests, key);
    if (status?.phase === 'Succeeded') return;
    const message = status?.terminalMessage ?? status?.conditions?.find(({ status: is }) => is === 'False')?.message;
    if (status?.phase === 'Failed' || performance.now() > deadline)
      throw new DemoError('failed', `provider: the export request is not granted: ${message ?? 'no answer'}`);
    await sleep(systemClock, 20);
  }
}
