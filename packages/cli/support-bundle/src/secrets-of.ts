import type { ConnectionConfig } from '@hawser/kubeconfig';

/** What of a connection is a secret, word for word; of a program that makes credentials nothing is known. */
export function secretsOf({ credentials, server, proxyUrl }: ConnectionConfig): readonly string[] {
  return [
    ...(credentials.kind === 'token' ? [credentials.token] : []),
    ...(credentials.kind === 'certificate' ? [credentials.key, bodyOf(credentials.key)] : []),
    ...[server, proxyUrl ?? ''].flatMap((url) => {
      const parsed = URL.parse(url);
      return parsed === null ? [] : [parsed.username, parsed.password];
    }),
  ].filter((secret) => secret !== '');
}

/** The first line of a PEM block after its head: it stands also where the block is written in another way. */
function bodyOf(pem: string): string {
  return pem.split('\n')[1] ?? '';
}
