import { stringify } from 'yaml';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** Kubeconfig text for a connection with a token or a client certificate; one context, the current one. */
export function kubeconfigText(name: string, connection: ConnectionConfig): string {
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name, cluster: { server: connection.server, 'certificate-authority-data': base64(connection.caData ?? '') } },
      ],
      users: [{ name, user: userEntry(connection) }],
      contexts: [
        {
          name,
          context: {
            cluster: name,
            user: name,
            ...(connection.namespace === undefined ? {} : { namespace: connection.namespace }),
          },
        },
      ],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}

function userEntry(connection: ConnectionConfig): Record<string, string> {
  const { credentials } = connection;
  switch (credentials.kind) {
    case 'token':
      return { token: credentials.token };
    case 'certificate':
      return { 'client-certificate-data': base64(credentials.cert), 'client-key-data': base64(credentials.key) };
    case 'none':
      return {};
    case 'dynamic':
      throw new TypeError('a kubeconfig cannot hold dynamic credentials');
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
