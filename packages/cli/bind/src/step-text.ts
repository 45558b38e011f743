import { hawserAnnotations } from '@hawser/kube-bind';

import type { Agreement, BindStep } from './bind-step.js';

/** One line that describes a step, without credentials. */
export function stepText(step: BindStep): string {
  switch (step.kind) {
    case 'request':
      return `create APIServiceExportRequest ${step.object.metadata.namespace ?? ''}/${step.object.metadata.name} on the provider, and wait for its answer`;
    case 'awaitRequest':
      return `wait for the answer to APIServiceExportRequest ${step.name} on the provider`;
    case 'awaitCRDGone':
      return `wait until the garbage collector of the consumer has removed CRD ${step.name}, which a former binding left`;
    case 'installCRDs':
      return `install the CRDs of ${step.apiGroup} on the consumer`;
    case 'namespace':
      return `create Namespace ${step.object.metadata.name} on the consumer`;
    case 'createSecret':
      return `create Secret ${step.object.metadata.namespace ?? ''}/${step.object.metadata.name} with the provider's kubeconfig on the consumer`;
    case 'updateSecret':
      return `update Secret ${step.namespace}/${step.name} with the provider's kubeconfig on the consumer`;
    case 'grantKonnector':
      return `${step.found === undefined ? 'create' : 'update'} ClusterRole ${step.object.metadata.name} with the konnector's rights for the binding on the consumer`;
    case 'connection':
      return `create Connection ${step.object.metadata.name} on the consumer`;
    case 'coreBinding': {
      const { kind, metadata, spec } = step.object;
      const what = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
      return `create ${kind} ${what} on the consumer, by Connection ${spec.connectionRef.name}`;
    }
    case 'binding':
      return `create APIServiceBinding ${step.object.metadata.name} on the consumer${step.agreesTo === undefined ? '' : agreementText(step.agreesTo)}`;
  }
}

function agreementText({ provider: { server, clusterNamespace }, claims }: Agreement): string {
  return `. With it you agree that the provider at ${server} (namespace ${clusterNamespace}) reads and writes on this cluster: ${claims.join('; ')}. Only a person can widen that, by annotation ${hawserAnnotations.acceptedClaims} of the binding`;
}
