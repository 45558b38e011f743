import type { ObjectKey } from '@hawser/client';
import { type Secret, fixedNames, resources } from '@hawser/kube-bind';
import { parse, stringify } from 'yaml';
import type { Plane } from './plane.js';
import type { BoundApi, System } from './system.js';

/** A kubeconfig as a YAML document, to be changed. */
export interface Kubeconfig {
  readonly clusters: { name: string; cluster: Record<string, unknown> }[];
  readonly users: { name: string; user: Record<string, unknown> }[];
  readonly contexts: { name: string; context: Record<string, unknown> }[];
  'current-context'?: string;
}

/** The kubeconfig `text` after `change`. */
export function changed(text: string, change: (kubeconfig: Kubeconfig) => void): string {
  const kubeconfig = parse(text) as Kubeconfig;
  change(kubeconfig);
  return stringify(kubeconfig);
}

/** The same kubeconfig with a revocable token for the consumer of `bound`. */
export async function revocableKubeconfig(
  { provider }: System,
  { clusterNamespace: namespace, kubeconfig }: BoundApi,
  name: string,
): Promise<string> {
  const holder = await provider.client.create<Secret>(resources.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
  });
  const answer = (await provider.client.raw(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${fixedNames.binder}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        expirationSeconds: 3_600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid: holder.metadata.uid },
      },
    },
  )) as { readonly status: { readonly token: string } };
  return changed(kubeconfig, ({ users }) => {
    users[0]!.user = { token: answer.status.token };
  });
}

/** The token dies with the object it is bound to. */
export async function revoke(
  { provider }: System,
  { clusterNamespace: namespace }: BoundApi,
  name: string,
): Promise<void> {
  await provider.client.delete(resources.secrets, { namespace, name });
}

export function providerSecret({ clusterNamespace: namespace }: BoundApi): ObjectKey {
  return { namespace, name: fixedNames.providerKubeconfigSecret };
}

export function consumerSecret({ name }: BoundApi): ObjectKey {
  return { namespace: fixedNames.konnectorNamespace, name: `kubeconfig-${name}` };
}

export async function writeKubeconfig(plane: Plane, key: ObjectKey, kubeconfig: string): Promise<void> {
  await plane.client.patch(resources.secrets, key, {
    type: 'merge',
    patch: { data: { [fixedNames.kubeconfigKey]: Buffer.from(kubeconfig).toString('base64') } },
  });
}

export async function readKubeconfig(plane: Plane, key: ObjectKey): Promise<string> {
  const secret = await plane.client.get<Secret>(resources.secrets, key);
  return Buffer.from(secret.data?.[fixedNames.kubeconfigKey] ?? '', 'base64').toString('utf8');
}
