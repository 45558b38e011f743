import { parseDuration } from '@hawser/kube-bind';

import { type Flag, listOf, type ParsedFlags, type PortalInput } from '@hawser/config';

const KEPT = 'accepted; keys of cookies lie in a Secret, for all replicas';

/** Flags of the Go backend's web part that have an effect here (`spec/kube-bind-backend.md §3.1`). */
export const portalFlags: readonly Flag[] = [
  { name: 'frontend', kind: 'string', help: 'accepted; the pages are part of the portal' },
  { name: 'token-expiry', kind: 'string', help: 'how long a sign-in lasts', default: '1h' },
  {
    name: 'konnector-host-alias',
    kind: 'string',
    repeatable: true,
    help: 'accepted; konnectors are not deployed from here',
  },
  {
    name: 'oidc-type',
    kind: 'string',
    help: 'external, or embedded: two people without passwords, for trying out on this machine alone',
    default: 'external',
  },
  {
    name: 'oidc-issuer-url',
    kind: 'string',
    help: 'https address of the identity provider; embedded: where it listens, if that is not the port of the portal',
  },
  {
    name: 'oidc-issuer-client-id',
    kind: 'string',
    help: 'the portal, at the identity provider; embedded: accepted, it makes its own',
  },
  {
    name: 'oidc-issuer-client-secret',
    kind: 'string',
    help: 'better in the environment variable OIDC_CLIENT_SECRET; without either a public client',
  },
  {
    name: 'oidc-callback-url',
    kind: 'string',
    help: 'where people come back to: the public address and /api/callback',
  },
  { name: 'oidc-authorize-url', kind: 'string', help: 'accepted' },
  { name: 'oidc-ca-file', kind: 'string', help: 'certificate authorities of the identity provider' },
  { name: 'oidc-allowed-groups', kind: 'string', repeatable: true, help: 'comma-separated: who may bind everything' },
  { name: 'oidc-allowed-users', kind: 'string', repeatable: true, help: 'comma-separated: who may bind everything' },
  { name: 'cookie-signing-key', kind: 'string', help: KEPT },
  { name: 'cookie-encryption-key', kind: 'string', help: KEPT },
  {
    name: 'redis-addr',
    kind: 'string',
    help: 'accepted, and not connected to: sessions are in encrypted cookies, and what replicas share is in the cluster',
  },
];

export interface PortalFlags {
  readonly portal: PortalInput | undefined;
  readonly problems: readonly string[];
}

/** The portal from the flags, and problems with them. None with `--frontend-disabled`. */
export function portalOfFlags(
  values: ReadonlyMap<string, string>,
  address: string,
  requestNamespaces: readonly string[] | undefined,
): PortalFlags {
  const given = (name: string): string => values.get(name) ?? '';
  if (given('frontend-disabled') === 'true')
    return {
      portal: undefined,
      problems:
        given('tls-key-file') === '' && given('tls-cert-file') === ''
          ? []
          : ['--tls-key-file: must be empty with --frontend-disabled: /healthz is served in plain HTTP'],
    };
  const type = values.get('oidc-type') ?? 'external';
  const callback = URL.parse(given('oidc-callback-url'));
  const session = parseDuration(values.get('token-expiry') ?? '1h');
  const [certFile, keyFile] = [given('tls-cert-file'), given('tls-key-file')];
  const problems = [
    ...(type === 'external' || type === 'embedded' ? [] : [`--oidc-type: must be external or embedded, not "${type}"`]),
    ...(type !== 'embedded' && (given('oidc-issuer-url') === '' || given('oidc-issuer-client-id') === '')
      ? ['--oidc-issuer-url, --oidc-issuer-client-id: are required, unless --frontend-disabled is set']
      : []),
    ...(callback?.pathname.endsWith('/api/callback') === true
      ? []
      : ['--oidc-callback-url: is required, and must be the public address and /api/callback']),
    ...(session === undefined || session < 60_000 ? ['--token-expiry: must be a duration of at least 1m'] : []),
    ...((certFile === '') === (keyFile === '') ? [] : ['--tls-cert-file, --tls-key-file: only both together']),
  ];
  if (problems.length > 0 || callback === null || session === undefined) return { portal: undefined, problems };
  const [namespace = ''] = requestNamespaces ?? [];
  return {
    problems,
    portal: {
      address,
      publicUrl: callback.origin,
      ...(certFile === '' ? {} : { tls: { certFile, keyFile } }),
      issuer: {
        ...(type === 'embedded'
          ? { type, url: embeddedUrl(given('oidc-issuer-url'), address) }
          : {
              url: given('oidc-issuer-url'),
              clientId: given('oidc-issuer-client-id'),
              clientSecret: given('oidc-issuer-client-secret'),
              caFile: given('oidc-ca-file'),
            }),
        callbackUrl: callback.href,
      },
      namespace,
      sessionSeconds: Math.min(86_400, Math.floor(session / 1_000)),
      allowed: {
        users: listOf(given('oidc-allowed-users')),
        // The Go backend lets every embedded user bind.
        groups: [...listOf(given('oidc-allowed-groups')), ...(type === 'embedded' ? EMBEDDED_GROUPS : [])],
      },
    },
  };
}

/** Start-up notices about flags without effect. */
export function portalNotices({ values }: Pick<ParsedFlags, 'values'>): readonly string[] {
  if ((values.get('redis-addr') ?? '') === '' || values.get('frontend-disabled') === 'true') return [];
  return [
    '--redis-addr is not used: nothing is stored in Redis. Sessions are in encrypted cookies, and what replicas share is in the cluster. Remove the flag; once no Go backend uses that Redis, stop it.',
  ];
}

/** Groups of the two users of the embedded identity provider. */
const EMBEDDED_GROUPS = ['engineering', 'devops'];

/** The Go backend serves its embedded identity provider on its own port, below `/oidc`. Hawser uses a separate port. */
function embeddedUrl(issuerUrl: string, address: string): string {
  const url = URL.parse(issuerUrl);
  if (url === null) return issuerUrl;
  const sharesPort = URL.parse(`http://${address}`)?.port === url.port;
  return sharesPort && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
    ? ''
    : issuerUrl.replace(/\/oidc\/?$/u, '');
}
