import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databases, sampleCrd } from '@hawser/installation';
import type { PermissionClaim } from '@hawser/kube-bind';
import { eventually, freePort } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import {
  type IdentityProvider,
  clientId,
  clientSecret,
  startIdentityProvider,
} from '../../packages/provider/portal/src/testing/identity-provider.js';
import { startBackend } from './backend.js';
import { renderChart } from './chart.js';
import { LONG } from './copies.js';
import type { Program } from './program.js';
import { root } from './root.js';
import type { System } from './system.js';

const templates = [
  'serviceaccount.yaml',
  'clusterrole.yaml',
  'role.yaml',
  'consumer-rights.yaml',
  'consumer-roles.yaml',
  'onboarding-rights.yaml',
  'portal.yaml',
  'admissionpolicy.yaml',
];

/** The user of the provider role. */
export const providerUser = 'system:serviceaccount:hawser:hawser-provider';

export interface RunningPortal {
  readonly backend: Program;
  readonly idp: IdentityProvider;
  readonly url: string;
}

/**
 * The provider role with its portal, with the chart's rights, and an identity provider. Group `databases` may bind the
 * template `databases`.
 */
export async function startPortal(
  parts: Pick<System, 'provider' | 'folder' | 'watchdog'>,
  permissionClaims: readonly PermissionClaim[] = [],
): Promise<RunningPortal> {
  const { provider, folder } = parts;
  if (provider.controlPlane === undefined) throw new Error('it needs clusters of its own');
  await provider.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hawser' } });
  const values = {
    exportedResources: [{ group: databases.group, resource: databases.plural }],
    portal: { enabled: true, publicUrl: 'https://portal.example.com' },
  };
  await provider.apply(
    ...renderChart(join(root, 'charts/provider'), templates, { name: 'provider', namespace: 'hawser', values }),
  );
  const { kubeconfig } = await provider.controlPlane.serviceAccountAccess('hawser', 'hawser-provider');
  const file = join(folder, 'provider.kubeconfig');
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  const url = `http://127.0.0.1:${await freePort()}`;
  const idp = await startIdentityProvider([`${url}/api/callback`]);
  const args = [
    '--request-namespaces=hawser',
    // Consumers have no right to bind: they may request only what people bind for them.
    '--request-admission=Template',
    `--oidc-issuer-url=${idp.url}`,
    `--oidc-issuer-client-id=${clientId}`,
    `--oidc-callback-url=${url}/api/callback`,
  ];
  const backend = await startBackend(parts, {
    kubeconfig: file,
    args,
    address: new URL(url).host,
    env: { OIDC_CLIENT_SECRET: clientSecret },
  });
  await eventually(async () => {
    expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
  }, LONG);
  await provider.apply(
    sampleCrd(databases),
    {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportTemplate',
      metadata: { name: 'databases' },
      spec: {
        scope: 'Namespaced',
        resources: [{ group: databases.group, resource: databases.plural, versions: ['v1'] }],
        permissionClaims,
      },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'may-bind' },
      rules: [{ apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['bind'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'may-bind' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'databases' }],
    },
  );
  return { backend, idp, url };
}
