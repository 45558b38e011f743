import type { CRDVersion, CustomResourceDefinition } from '@hawser/crd';
import { approvalAnnotation } from '@hawser/kcp-api';
import { DiscoveryError } from './discovery-error.js';

/**
 * Reduces an installed CRD to its published parts (spec/api-syncagent.md §8): its name, generation and approval, every
 * version, and no conversion. For callers with a CRD, from an informer; {@link discoverCRD} finds one by itself.
 * @throws {DiscoveryError} `NotEstablished`.
 */
export function cleanCRD(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { name, generation, annotations, deletionTimestamp } = crd.metadata;
  if (deletionTimestamp !== undefined) throw new DiscoveryError('NotEstablished', `CRD ${name} is being deleted`);
  if (!hasCondition(crd, 'Established')) {
    const why = (crd.status?.conditions ?? [])
      .filter(({ status }) => status === 'False')
      .map(({ type, message }) => `${type}: ${message ?? 'no message'}`);
    throw new DiscoveryError(
      'NotEstablished',
      `CRD ${name} is not established${why.length === 0 ? '' : `: ${why.join('; ')}`}`,
    );
  }
  const versions = hasCondition(crd, 'NonStructuralSchema') ? crd.spec.versions.map(withSchema) : crd.spec.versions;
  const approval = annotations?.[approvalAnnotation];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name,
      ...(generation === undefined ? {} : { generation }),
      ...(approval === undefined ? {} : { annotations: { [approvalAnnotation]: approval } }),
    },
    spec: { ...crd.spec, versions, conversion: { strategy: 'None' } },
  };
}

function withSchema(version: CRDVersion): CRDVersion {
  if (version.schema?.openAPIV3Schema !== undefined) return version;
  return { ...version, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } };
}

function hasCondition(crd: CustomResourceDefinition, wanted: string): boolean {
  return (crd.status?.conditions ?? []).some(({ type, status }) => type === wanted && status === 'True');
}
