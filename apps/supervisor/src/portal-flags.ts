import { parseDuration } from '@hawser/kube-bind';

import { type Flag, listOf } from './flags.js';
import type { PortalInput } from './portal-config.js';

const KEPT = 'accepted; keys of cookies lie in a Secret, for all replicas';

/** The flags of the Go backend's web part that count (`spec/kube-bind-backend.md §3.1`). */
export const portalFlags: readonly Flag[] = [
  { name: 'frontend', kind: 'string', help: 'accepted; there are no pages yet, but the API' },
  { name: 'token-expiry', kind: 'string', help: 'how long a sign-in lasts', default: '1h' },
  {
    name: 'konnector-host-alias',
    kind: 'string',
    repeatable: true,
    help: 'accepted; konnectors are not deployed from here',
  },
  { name: 'oidc-type', kind: 'string', help: 'only external', default: 'external' },
  { name: 'oidc-issuer-url', kind: 'string', help: 'https address of the identity provider' },
  { name: 'oidc-issuer-client-id', kind: 'string', help: 'the portal, at the identity provider' },
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
  { name: 'redis-addr', kind: 'string', help: 'accepted; sessions need no store' },
];

export interface PortalFlags {
  readonly portal: PortalInput | undefined;
  readonly problems: readonly string[];
}

/** The portal that the flags say, and what is wrong with them. With `--frontend-disabled` there is none. */
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
  const callback = URL.parse(given('oidc-callback-url'));
  const session = parseDuration(values.get('token-expiry') ?? '1h');
  const [certFile, keyFile] = [given('tls-cert-file'), given('tls-key-file')];
  const problems = [
    ...(given('oidc-type') === 'embedded'
      ? ['--oidc-type: embedded is not offered: name an identity provider, or set --frontend-disabled']
      : []),
    ...(given('oidc-issuer-url') === '' || given('oidc-issuer-client-id') === ''
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
        url: given('oidc-issuer-url'),
        clientId: given('oidc-issuer-client-id'),
        clientSecret: given('oidc-issuer-client-secret'),
        caFile: given('oidc-ca-file'),
        callbackUrl: callback.href,
      },
      namespace,
      sessionSeconds: Math.min(86_400, Math.floor(session / 1_000)),
      allowed: { users: listOf(given('oidc-allowed-users')), groups: listOf(given('oidc-allowed-groups')) },
    },
  };
}
