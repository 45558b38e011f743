import { createHash } from 'node:crypto';
import type { KubeObject } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceExportTemplate,
  type Secret,
  apiVersion,
  boundRole,
  fixedNames,
  hawserAnnotations,
  labels,
} from '@hawser/kube-bind';
import { stringify } from 'yaml';
import type { Consumer } from './consumers.js';

export interface BundleContent {
  /** Name of the binding, and of its export. */
  readonly name: string;
  readonly consumer: Consumer;
  /** Ids of the claims that the person has accepted. */
  readonly acceptedClaims: readonly string[];
  readonly template: APIServiceExportTemplate;
  /** Origin of the portal: two providers may use consumer namespaces of the same name. */
  readonly provider: string;
}

/**
 * Builds the objects that bind on the consumer cluster, in apply order: namespace, Secret, ClusterRole,
 * APIServiceBinding. Bindings of one provider share the Secret. The ClusterRole grants the chart's konnector its rights
 * for this binding; a konnector with all rights does not need it. The binding accepts exactly the claims that the
 * person has accepted, whatever the export claims by then.
 */
export function bundleOf({ name, consumer, acceptedClaims, template, provider }: BundleContent): readonly KubeObject[] {
  const namespace = fixedNames.konnectorNamespace;
  const id = createHash('sha256').update(`${provider}\n${consumer.namespace}`).digest('hex').slice(0, 12);
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `kubeconfig-${id}`, labels: { [labels.providerKubeconfig]: 'true' } },
    type: 'Opaque',
    data: { [fixedNames.kubeconfigKey]: consumer.kubeconfig },
  };
  const binding: APIServiceBinding = {
    apiVersion,
    kind: 'APIServiceBinding',
    metadata: { name, annotations: { [hawserAnnotations.acceptedClaims]: acceptedClaims.join(',') } },
    spec: {
      kubeconfigSecretRef: { namespace, name: secret.metadata.name, key: fixedNames.kubeconfigKey },
    },
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    secret,
    boundRole(name, template.spec, acceptedClaims),
    binding,
  ];
}

/** Whether an object of a bundle brings the credential to the cluster. */
export function isCredential({ kind }: KubeObject): boolean {
  return kind === 'Secret';
}

/** Joins objects into one YAML. A bundle's has a credential in it. */
export function yamlOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`).join('');
}
