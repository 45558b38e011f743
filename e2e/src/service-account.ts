import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Plane } from './plane.js';

/** Connection to a cluster as a ServiceAccount, with a token valid for a day. */
export async function serviceAccountConnection(
  { client, connection }: Plane,
  namespace: string,
  name: string,
): Promise<ConnectionConfig> {
  const answer = (await client.raw('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400 },
  })) as { readonly status: { readonly token: string } };
  return { ...connection, credentials: { kind: 'token', token: answer.status.token } };
}
