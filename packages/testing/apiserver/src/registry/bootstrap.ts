import type { Objects } from '../parts.js';

const NAMESPACES = { group: '', resource: 'namespaces' };

/** The namespaces that every cluster has. */
export function bootstrapNamespaces(objects: Objects): void {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
    if (objects.get(NAMESPACES, { namespace: '', name }) !== undefined) continue;
    objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'kube-apiserver' });
  }
}
