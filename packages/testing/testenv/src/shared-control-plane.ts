import { readFileSync } from 'node:fs';
import { createAuditLog } from './audit-log.js';
import { openCertificateAuthority } from './certificates.js';
import type { ClusterAccess, SharedControlPlane } from './control-plane.js';
import { removeEntry } from './etcd.js';
import { kubeconfigText } from './kubeconfig-text.js';
import { type ControlPlaneDescription, layoutOf } from './layout.js';
import { rawRequest } from './request.js';
import { runCommand } from './run-command.js';
import { TestenvError } from './testenv-error.js';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** Uses a running control plane from any process of the same user: its folder holds everything needed. */
export function openControlPlane(description: ControlPlaneDescription): SharedControlPlane {
  const layout = layoutOf(description.directory);
  const caData = readFileSync(`${layout.authority}/ca.crt`, 'utf8');
  const base = { server: description.server, caData } as const;
  const access = (suffix: string, connection: ConnectionConfig): ClusterAccess => ({
    connection,
    kubeconfig: kubeconfigText(suffix === '' ? description.name : `${description.name}-${suffix}`, connection),
  });
  const admin = access('', {
    ...base,
    credentials: {
      kind: 'certificate',
      cert: readFileSync(layout.adminCert, 'utf8'),
      key: readFileSync(layout.adminKey, 'utf8'),
    },
  });

  const userAccess: SharedControlPlane['userAccess'] = async (user, groups = []) => {
    const authority = await openCertificateAuthority(layout.authority);
    const pair = await authority.issueClient({ commonName: user, organizations: groups });
    return access(user, { ...base, credentials: { kind: 'certificate', ...pair } });
  };

  const serviceAccountAccess: SharedControlPlane['serviceAccountAccess'] = async (namespace, name, options = {}) => {
    const collection = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const created = await rawRequest(admin.connection, {
      method: 'POST',
      path: collection,
      body: JSON.stringify({ metadata: { name } }),
    });
    if (created.status !== 201 && created.status !== 409)
      throw refused(`create ServiceAccount ${namespace}/${name}`, created);
    const body = JSON.stringify({ spec: { expirationSeconds: options.expirationSeconds ?? 86_400 } });
    const answer = await rawRequest(admin.connection, { method: 'POST', path: `${collection}/${name}/token`, body });
    if (answer.status !== 201) throw refused(`request a token for ${namespace}/${name}`, answer);
    const { status } = JSON.parse(answer.text) as { status: { token: string } };
    return access(name, {
      ...base,
      credentials: { kind: 'token', token: status.token },
      namespace: options.contextNamespace ?? namespace,
    });
  };

  return {
    name: description.name,
    kubernetesVersion: description.kubernetesVersion,
    ...admin,
    kubeconfigFile: layout.adminKubeconfig,
    userAccess,
    userKubeconfig: async (user, groups) => (await userAccess(user, groups)).kubeconfig,
    serviceAccountAccess,
    serviceAccountKubeconfig: async (namespace, name, options) =>
      (await serviceAccountAccess(namespace, name, options)).kubeconfig,
    auditLog: () => createAuditLog(layout.auditLog, (path) => rawRequest(admin.connection, { method: 'GET', path })),
    kubectl: (args, options = {}) =>
      runCommand(
        description.kubectl,
        [
          `--kubeconfig=${options.kubeconfigFile ?? layout.adminKubeconfig}`,
          `--cache-dir=${layout.kubectlCache}`,
          ...args,
        ],
        options.input === undefined ? {} : { input: options.input },
      ),
    removeFromStorage: (key) => removeEntry(layout.etcdSocket, key),
    request: (request) => rawRequest(admin.connection, request),
  };
}

function refused(what: string, answer: { readonly status: number; readonly text: string }): TestenvError {
  return new TestenvError('request-failed', `cannot ${what}: ${answer.status} ${answer.text.slice(0, 500)}`);
}
