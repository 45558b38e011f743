import type { Layout } from './layout.js';

/**
 * Logs each answered request with its user. Leaves out health checks and the API server's own reads: they are many, and
 * no test checks them. Keeps `/version`, which the reader of the log uses as a marker.
 */
export const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [
    { level: 'None', users: ['system:apiserver'], verbs: ['get', 'list', 'watch'] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/healthz*', '/livez*', '/openapi*'] },
    { level: 'Metadata' },
  ],
});

export interface ApiServerSettings {
  readonly port: number;
  readonly layout: Layout;
  readonly extraFlags: Readonly<Record<string, string>>;
  readonly featureGates: Readonly<Record<string, boolean>>;
}

/** Command line of kube-apiserver. */
export function apiServerArgs(settings: ApiServerSettings): string[] {
  const { layout } = settings;
  const flags: Record<string, string> = {
    'etcd-servers': `unix://${layout.etcdSocket}`,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': String(settings.port),
    'tls-cert-file': layout.serverCert,
    'tls-private-key-file': layout.serverKey,
    'client-ca-file': `${layout.authority}/ca.crt`,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': layout.tokenKey,
    'service-account-signing-key-file': layout.tokenKey,
    'authorization-mode': 'RBAC',
    'service-cluster-ip-range': '10.0.0.0/24',
    // No program in this cluster calls the API server by its Service.
    'endpoint-reconciler-type': 'none',
    'audit-policy-file': layout.auditPolicy,
    'audit-log-path': layout.auditLog,
    // Each entry is in the file before the request ends, and the file is never rotated.
    'audit-log-mode': 'blocking',
    'audit-log-maxsize': '100000',
    profiling: 'false',
    'feature-gates': gates(settings.featureGates),
    ...settings.extraFlags,
  };
  return Object.entries(flags)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `--${name}=${value}`);
}

/** `A=true,B=false`, as Kubernetes components take it. */
export function gates(featureGates: Readonly<Record<string, boolean>>): string {
  return Object.entries(featureGates)
    .map(([name, on]) => `${name}=${on}`)
    .join(',');
}
