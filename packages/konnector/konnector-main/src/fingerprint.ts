import { createHash } from 'node:crypto';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/**
 * Text of a token kubeconfig without the token: server, certificate authority, server name, cluster namespace, and the
 * token's claimed account. Two kubeconfigs with the same text may replace each other without a new connection.
 * Undefined for other credentials, which always need a new connection.
 *
 * The token's claims are not verified. They only decide what is tried: the provider must accept the token, and show the
 * same cluster namespace.
 */
export function fingerprintOf(
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

/** The subject of a JWT; undefined for other tokens. */
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
