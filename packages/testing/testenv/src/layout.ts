import { join } from 'node:path';

/** All that another process needs to use a control plane, as plain JSON. */
export interface ControlPlaneDescription {
  readonly name: string;
  readonly directory: string;
  readonly server: string;
  readonly kubectl: string;
  readonly kubernetesVersion: string;
}

/** File paths of a control plane. */
export interface Layout {
  /** Folder of the certificate authority. */
  readonly authority: string;
  readonly adminKubeconfig: string;
  readonly adminCert: string;
  readonly adminKey: string;
  readonly serverCert: string;
  readonly serverKey: string;
  /** Signs and verifies ServiceAccount tokens. */
  readonly tokenKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly controllerManagerKubeconfig: string;
  readonly etcdData: string;
  readonly etcdSocket: string;
  readonly etcdPeerSocket: string;
  readonly kubectlCache: string;
  readonly log: (program: string) => string;
}

export function layoutOf(directory: string): Layout {
  const file = (name: string): string => join(directory, name);
  return {
    authority: file('pki'),
    adminKubeconfig: file('admin.kubeconfig'),
    adminCert: file('pki/admin.crt'),
    adminKey: file('pki/admin.key'),
    serverCert: file('pki/server.crt'),
    serverKey: file('pki/server.key'),
    tokenKey: file('pki/tokens.key'),
    auditPolicy: file('audit-policy.json'),
    auditLog: file('audit.log'),
    controllerManagerKubeconfig: file('controller-manager.kubeconfig'),
    etcdData: file('etcd'),
    // etcd reads the part after the colon as a port and keeps it in the socket's name.
    etcdSocket: file('e.sock:0'),
    etcdPeerSocket: file('p.sock:0'),
    kubectlCache: file('kubectl-cache'),
    log: (program) => file(`${program}.log`),
  };
}
