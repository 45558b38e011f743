import type { KubeObject } from '@hawser/client';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  bindingOwners,
  isOwnedByBinding,
} from '@hawser/kube-bind';
import type { Observed } from './observed.js';
import { type ChosenSecret, reachesSame } from './chosen-secret.js';
import type { Refusal } from './refusal.js';
import { type BindingWish, dialectOf } from './wish.js';

export function consumerRefusals(
  wish: BindingWish,
  observed: Observed,
  binding: APIServiceBinding | undefined,
  secret: ChosenSecret,
  resources: readonly string[],
): readonly Refusal[] {
  const refusals: Refusal[] = [];
  const { konnectorNamespace: namespace } = dialectOf(wish).names;
  const terminating = (object: KubeObject | undefined): boolean => object?.metadata.deletionTimestamp !== undefined;
  if (terminating(observed.namespace)) {
    refusals.push({
      reason: 'NamespaceTerminating',
      actor: 'operator',
      remedy: 'waits until it is gone',
      message: `Namespace "${namespace}" of the consumer is being deleted.`,
    });
  }
  if (terminating(binding)) {
    refusals.push({
      reason: 'BindingTerminating',
      actor: 'operator',
      remedy: 'waits until it is gone; its condition Unbound says what it waits for',
      message: `APIServiceBinding "${wish.name}" is being deleted.`,
    });
  } else {
    const ref = binding?.spec?.kubeconfigSecretRef;
    if (ref !== undefined && (ref.namespace !== namespace || ref.name !== secret.name)) {
      refusals.push({
        reason: 'BindingDiffers',
        actor: 'operator',
        remedy: 'binds under another name, or unbinds that one first',
        message: `APIServiceBinding "${wish.name}" is there and refers to Secret "${ref.namespace}/${ref.name}", which is another connection.`,
      });
    }
  }
  if (secret.found !== undefined && !reachesSame(secret.found, wish, observed)) {
    refusals.push({
      reason: 'SecretTaken',
      actor: 'operator',
      remedy: 'names another Secret',
      message: `Secret "${namespace}/${secret.name}" is there and ${secret.found.reaches === undefined ? 'holds no kubeconfig' : 'reaches another provider, or another namespace of it'}.`,
    });
  }
  for (const crd of observed.crds) {
    const refusal = crdRefusal(wish.name, dialectOf(wish).apiVersion, crd, binding, observed.bindings);
    if (refusal !== undefined && resources.includes(crd.metadata.name)) refusals.push(refusal);
  }
  return refusals;
}

/** Whether only deleted bindings own a CRD: the garbage collector removes such a CRD. */
export function isLeftover(
  crd: CustomResourceDefinition,
  bindings: readonly APIServiceBinding[],
  apiVersion: string,
): boolean {
  const owners = bindingOwners(crd, apiVersion);
  const isGone = (uid: string): boolean => !bindings.some(({ metadata }) => metadata.uid === uid);
  return (
    owners.length > 0 &&
    owners.length === crd.metadata.ownerReferences?.length &&
    owners.every(({ uid }) => isGone(uid))
  );
}

function crdRefusal(
  name: string,
  apiVersion: string,
  crd: CustomResourceDefinition,
  binding: APIServiceBinding | undefined,
  bindings: readonly APIServiceBinding[],
): Refusal | undefined {
  if (binding !== undefined && isOwnedByBinding(crd, binding)) return undefined;
  if (isLeftover(crd, bindings, apiVersion)) return undefined;
  const owner = bindings.find((one) => isOwnedByBinding(crd, one));
  if (owner !== undefined) {
    return {
      reason: 'ResourceBound',
      actor: 'operator',
      remedy: `uses that one, or unbinds it first`,
      message: `${crd.metadata.name} is bound on the consumer already, by APIServiceBinding "${owner.metadata.name}".`,
    };
  }
  return {
    reason: 'ForeignCRD',
    actor: 'operator',
    remedy: 'removes it together with its objects, or does not bind this API',
    message: `CRD "${crd.metadata.name}" is there on the consumer and belongs to no APIServiceBinding: binding "${name}" would not get it.`,
  };
}
