import { parse, stringify } from 'yaml';
import { hasNew, withoutLoss } from './authorities.js';
import type { Endpoint } from './endpoint.js';

/** Name of the one context, cluster and user (spec/kube-bind-backend.md §6.1). */
const only = 'default';
const authority = 'certificate authority';

/** Writes a consumer's kubeconfig, byte for byte as the Go backend does. The result is a credential. */
export function writeKubeconfig({ server, caData, tlsServerName }: Endpoint, namespace: string, token: string): string {
  return stringify(
    {
      apiVersion: 'v1',
      clusters: [
        {
          cluster: {
            ...(caData === undefined ? {} : { 'certificate-authority-data': Buffer.from(caData).toString('base64') }),
            server,
            ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
          },
          name: only,
        },
      ],
      contexts: [{ context: { cluster: only, namespace, user: only }, name: only }],
      'current-context': only,
      kind: 'Config',
      users: [{ name: only, user: { token } }],
    },
    { lineWidth: 0, indentSeq: false },
  );
}

/** The relevant parts of a handed-out kubeconfig. Holds a credential. */
export interface HandedOut {
  readonly server: string | undefined;
  readonly caData: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly token: string | undefined;
}

/** Reads the only cluster and the only user of a kubeconfig; undefined for anything else. Never throws. */
export function readKubeconfig(text: string): HandedOut | undefined {
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return undefined;
  }
  const clusters = field(document, 'clusters');
  const users = field(document, 'users');
  if (!Array.isArray(clusters) || clusters.length !== 1 || !Array.isArray(users) || users.length !== 1)
    return undefined;
  const cluster = field(clusters[0], 'cluster');
  return {
    server: textOf(field(cluster, 'server')),
    caData: text64(field(cluster, 'certificate-authority-data')),
    tlsServerName: textOf(field(cluster, 'tls-server-name')),
    token: textOf(field(field(users[0], 'user'), 'token')),
  };
}

/** The differences between a handed-out kubeconfig and a new one, without the token. */
export function differences(found: HandedOut, endpoint: Endpoint): readonly string[] {
  return [
    ...(found.server === endpoint.server ? [] : ['server']),
    ...((found.caData ?? '').trim() === (endpoint.caData ?? '').trim() ? [] : [authority]),
    ...((found.tlsServerName ?? '') === (endpoint.tlsServerName ?? '') ? [] : ['TLS server name']),
  ];
}

/**
 * The authorities for a renewal if only an authority is missing. The kubeconfig keeps its token and its present
 * authorities, so the consumer keeps its access.
 */
export function widerAuthorities(found: HandedOut, endpoint: Endpoint): string | undefined {
  const outdated = differences(found, endpoint);
  return outdated.length === 1 && outdated[0] === authority && hasNew(found.caData, endpoint.caData)
    ? withoutLoss(found.caData, endpoint.caData)
    : undefined;
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, name)
    ? (of as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function text64(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
}
