import type { KubeObject } from '@hawser/client';
import { crds as coreKbindCRDs } from '@hawser/core-kbind';
import { consumerCRDs as klutchCRDs } from '@hawser/klutch';
import { consumerCRDs, fixedNames } from '@hawser/kube-bind';
import type { BindStep } from './bind-step.js';
import type { BindPlan } from './plan.js';

/** The same binding as files, to apply or delete in any order. */
export interface Manifests {
  readonly provider: readonly KubeObject[];
  /** Its Secret holds a placeholder for the kubeconfig, not a credential, unless requested. */
  readonly consumer: readonly KubeObject[];
}

/** Placeholder for the credential. */
const PLACEHOLDER = 'the kubeconfig of the provider';

/** The objects that a plan would make. `credentials`: the Secret holds the kubeconfig. */
export function manifestsOf({ steps }: BindPlan, { credentials }: { readonly credentials: boolean }): Manifests {
  const provider: KubeObject[] = [];
  const consumer: KubeObject[] = [];
  for (const step of steps) {
    switch (step.kind) {
      case 'request':
        provider.push(step.object);
        break;
      case 'createSecret':
        consumer.push(credentials ? step.object : withoutCredential(step.object));
        break;
      case 'namespace':
      case 'grantKonnector':
      case 'connection':
      case 'coreBinding':
      case 'binding':
        consumer.push(step.object);
        break;
      case 'installCRDs':
        consumer.push(...crdsOf(step.dialect));
        break;
      case 'awaitRequest':
      case 'awaitCRDGone':
      case 'updateSecret':
        break;
    }
  }
  return { provider, consumer };
}

function crdsOf(dialect: Extract<BindStep, { kind: 'installCRDs' }>['dialect']): readonly KubeObject[] {
  switch (dialect) {
    case 'kube-bind':
      return consumerCRDs;
    case 'klutch':
      return klutchCRDs;
    case 'core-kbind':
      return coreKbindCRDs;
  }
}

function withoutCredential(secret: KubeObject): KubeObject {
  const shown: Record<string, unknown> = { ...secret, stringData: { [fixedNames.kubeconfigKey]: PLACEHOLDER } };
  delete shown['data'];
  return shown as unknown as KubeObject;
}
