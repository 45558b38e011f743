import type { Objects } from '../parts.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

/** The namespaces that every cluster has. */
export function bootstrapNamespaces(
  objects: Objects,
  names: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'],
): void {
  for (const name of names) {
    if (objects.get(NAMESPACES, { namespace: '', name }) !== undefined) continue;
    objects.create(
      NAMESPACES,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      { fieldManager: 'kube-apiserver' },
    );
  }
}
