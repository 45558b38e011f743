import type { Client, KubeObject } from '@hawser/client';
import { crdOf } from '@hawser/installation';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';

/** A bound API. */
export const databases = { group: 'example.com', version: 'v1', resource: 'databases' };
export const crd = { name: 'databases.example.com' };
export const binding = { name: 'databases' };
export const one = { namespace: 'default', name: 'one' };

export function createBinding(client: Client, annotations: Readonly<Record<string, string>>): Promise<KubeObject> {
  return client.create(resources.apiServiceBindings, {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { ...binding, annotations },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' } },
  } as KubeObject);
}

/** Creates a binding, its CRD, and an object with these finalizers. */
export async function bind(
  client: Client,
  annotations: Readonly<Record<string, string>>,
  held: readonly string[] = [],
): Promise<void> {
  const { apiVersion, kind, metadata } = await createBinding(client, annotations);
  const owner = { apiVersion, kind, ...binding, uid: metadata.uid ?? '', controller: true };
  const made = crdOf(
    { group: databases.group, plural: 'databases', kind: 'Database', scope: 'Namespaced' },
    {
      properties: {},
    },
  );
  await client.create(resources.customResourceDefinitions, {
    ...made,
    metadata: { ...made.metadata, ownerReferences: [owner] },
  });
  await eventually(() =>
    client.create(databases, {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { ...one, finalizers: held },
    }),
  );
}
