import { createHash } from 'node:crypto';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/**
 * What a kubeconfig with a token says besides the token: server, certificate authority, server name, cluster namespace, and whose the token says it is. Where two say the same, one may take the place
 * of the other without a new connection. Undefined for other credentials, whose connections are made anew in any case.
 *
 * The claims of the token are not verified. They only decide what is tried: the provider then has to accept it, and to show the same cluster namespace.
 */
export function placeOf(
  { server, caData, tlsServerName, insecureSkipTlsVerify, proxyUrl, credentials }: ConnectionConfig,
  clusterNamespace: string,
): string | undefined {
  if (credentials.kind !== 'token') return undefined;
  const parts = [
    server,
    caData,
    tlsServerName,
    insecureSkipTlsVerify === true,
    proxyUrl,
    clusterNamespace,
    subjectOf(credentials.token),
  ];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');
}

/** The subject of a JWT; undefined for tokens of another make. */
function subjectOf(token: string): string | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const subject = typeof claims === 'object' && claims !== null && 'sub' in claims ? claims.sub : undefined;
    return typeof subject === 'string' ? subject : undefined;
  } catch {
    return undefined;
  }
}
