import { labels } from '@hawser/core-kbind';
import type { APIServiceBinding, CustomResourceDefinition } from '@hawser/kube-bind';

/** The CRD of the API that is migrated, as its provider offers it. */
export function zonesCRD(scope: 'Cluster' | 'Namespaced'): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'zones.example.com', labels: { [labels.exported]: 'true' } },
    spec: {
      group: 'example.com',
      names: { plural: 'zones', kind: 'Zone' },
      scope,
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };
}

export function zonesBinding(annotations?: Readonly<Record<string, string>>): APIServiceBinding {
  return {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'APIServiceBinding',
    metadata: { name: 'zones', uid: 'binding', ...(annotations === undefined ? {} : { annotations }) },
    spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'shop', key: 'kubeconfig' } },
  };
}
