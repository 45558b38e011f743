import type { ConnectionConfig } from '@hawser/kubeconfig';

/** The exact secrets of a connection; those of a credential plugin are unknown. */
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

/** The first line of a PEM block after its head: it also occurs in blocks of another form. */
function bodyOf(pem: string): string {
  return pem.split('\n')[1] ?? '';
}
