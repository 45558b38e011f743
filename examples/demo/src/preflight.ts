import { type KubeObject, type ObjectKey, type Resource, isNotFound } from '@hawser/client';
import { type CustomResourceDefinition, apiGroup, fixedNames, resources } from '@hawser/kube-bind';
import type { Cluster } from './cluster.js';
import { DemoError } from './demo-error.js';
import { names } from './names.js';

/**
 * Checks that two given clusters may be used: none of the objects that the demo will create exists, so it can remove
 * them all again.
 * @throws DemoError `refused`, naming the object in the way.
 */
export async function mayBeUsed(consumer: Cluster, provider: Cluster): Promise<void> {
  const [one, other] = await Promise.all(
    [consumer, provider].map(({ client }) => client.get(resources.namespaces, { name: 'kube-system' })),
  );
  if (one?.metadata.uid === other?.metadata.uid)
    throw new DemoError(
      'refused',
      'consumer and provider are the same cluster: the demo needs two, since the API is to come from one to the other',
    );
  if (provider.connection.insecureSkipTlsVerify === true) {
    throw new DemoError(
      'refused',
      'provider: its kubeconfig does not verify the server (insecure-skip-tls-verify), and the konnector refuses such a kubeconfig: put the certificate authority into it',
    );
  }
  const clusterRoles = [fixedNames.binder, `${fixedNames.binderExports}-${names.clusterNamespace}`].map((name) => ({
    resource: resources.clusterRoles,
    key: { name },
  }));
  const inTheWay = (
    await Promise.all([
      ...[fixedNames.konnectorNamespace, names.userNamespace].map((name) =>
        find(consumer, resources.namespaces, { name }),
      ),
      ...[names.clusterNamespace, names.serviceNamespace].map((name) => find(provider, resources.namespaces, { name })),
      ...clusterRoles.map(({ resource, key }) => find(provider, resource, key)),
      ...[consumer, provider].map((cluster) => find(cluster, resources.customResourceDefinitions, { name: names.crd })),
      ...[consumer, provider].map(ownCRDs),
    ])
  ).flat();
  if (inTheWay.length > 0) {
    throw new DemoError(
      'refused',
      `The demo uses no cluster on which kube-bind, Hawser or an earlier demo is installed, for it could not tell theirs from its own. There is already: ${inTheWay.join(', ')}.`,
    );
  }
}

async function find(cluster: Cluster, resource: Resource, key: ObjectKey): Promise<readonly string[]> {
  try {
    await cluster.client.get<KubeObject>(resource, key, { representation: 'metadata' });
    return [`${resource.resource} ${key.name} (${cluster.side})`];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function ownCRDs(cluster: Cluster): Promise<readonly string[]> {
  const { items } = await cluster.client.list<CustomResourceDefinition>(resources.customResourceDefinitions, {
    representation: 'metadata',
  });
  return items
    .filter(({ metadata }) => metadata.name.endsWith(`.${apiGroup}`))
    .map(({ metadata }) => `customresourcedefinition ${metadata.name} (${cluster.side})`);
}
