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
  /** Of the binding, and of the export that it binds. */
  readonly name: string;
  readonly consumer: Consumer;
  /** Claims that the person has accepted, by their ids. */
  readonly acceptedClaims: readonly string[];
  readonly template: APIServiceExportTemplate;
  /** Origin of the portal: two providers may give their consumers namespaces of the same name. */
  readonly provider: string;
}

/**
 * The objects that bind on the consumer cluster, in an order in which they can be applied: namespace, Secret, ClusterRole, APIServiceBinding. Bindings of one provider share the Secret. The ClusterRole is what the chart's konnector may
 * do for this binding, and nothing to a konnector that may do everything. The binding accepts what the person has accepted and
 * nothing else, whatever the export claims by then.
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

/** Whether an object of a bundle is what brings the credential to the cluster. */
export function isCredential({ kind }: KubeObject): boolean {
  return kind === 'Secret';
}

/** One YAML. That of a bundle has a credential in it. */
export function yamlOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`).join('');
}
