import { mkdir, writeFile } from 'node:fs/promises';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { auditPolicy } from './api-server.js';
import { createCertificateAuthority, newKey, writeSecret } from './certificates.js';
import { kubeconfigText } from './kubeconfig-text.js';
import type { Layout } from './layout.js';

/** Identities created at the start of a control plane. */
export interface StartCredentials {
  /** Administrator's access to the API server at `server`. */
  admin(server: string): ConnectionConfig;
  /** The kubeconfigs that programs read from files. */
  writeKubeconfigs(name: string, server: string): Promise<void>;
}

/** Writes keys, certificates and the audit policy to the paths of `layout`. */
export async function writeCredentials(layout: Layout): Promise<StartCredentials> {
  await mkdir(layout.authority, { mode: 0o700, recursive: true });
  const authority = await createCertificateAuthority(layout.authority, 'hawser-testenv');
  const [server, admin, controllerManager] = await Promise.all([
    authority.issueServer(
      'kube-apiserver',
      ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
      ['127.0.0.1', '10.0.0.1'],
    ),
    authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] }),
    authority.issueClient({ commonName: 'system:kube-controller-manager', organizations: ['system:masters'] }),
    writeSecret(layout.tokenKey, newKey()),
    writeFile(layout.auditPolicy, auditPolicy),
    // The log's reader must find the file even before the first request.
    writeFile(layout.auditLog, ''),
  ]);
  await Promise.all([
    writeFile(layout.serverCert, server.cert),
    writeSecret(layout.serverKey, server.key),
    writeFile(layout.adminCert, admin.cert),
    writeSecret(layout.adminKey, admin.key),
  ]);
  const connection = (url: string, pair: { readonly cert: string; readonly key: string }): ConnectionConfig => ({
    server: url,
    caData: authority.cert,
    credentials: { kind: 'certificate', ...pair },
  });
  return {
    admin: (url) => connection(url, admin),
    async writeKubeconfigs(name, url) {
      await writeSecret(layout.adminKubeconfig, kubeconfigText(name, connection(url, admin)));
      await writeSecret(layout.controllerManagerKubeconfig, kubeconfigText(name, connection(url, controllerManager)));
    },
  };
}
