import { createClient, isApiError } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** The user that the API server sees in the bearer of a kubeconfig; else the code of its error. */
export async function whoIs(connection: ConnectionConfig): Promise<string> {
  const client = createClient({ name: 'consumer', connection });
  try {
    const review = await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    return (review as { readonly status: { readonly userInfo: { readonly username: string } } }).status.userInfo
      .username;
  } catch (error) {
    if (isApiError(error)) return error.code;
    throw error;
  } finally {
    await client.close();
  }
}
