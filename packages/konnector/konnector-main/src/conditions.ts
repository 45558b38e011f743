import type { SecretKeyRef } from '@hawser/konnector-connection';
import { type NewCondition, conditionReasons, conditionTypes, falseCondition, trueCondition } from '@hawser/kube-bind';
import type { ConnectionFailure } from './controller-set.js';
import type { SecretReading } from './secret-reading.js';

/** Everything that the conditions of one binding depend on. */
export interface BindingObserved {
  /** Absent: the binding names no Secret. */
  readonly ref: SecretKeyRef | undefined;
  readonly secret: SecretReading;
  /** The connection for the kubeconfig that the Secret holds now; while it holds none, the one that serves the binding. */
  readonly connection: { readonly serves: boolean; readonly failure?: ConnectionFailure | undefined } | undefined;
  /** Whether any connection serves the binding, on whatever kubeconfig. */
  readonly served: boolean;
}

/** The conditions of one binding (spec/kube-bind-api.md §10.1). A type that is not in the list is left as it is. Pure. */
export function decideConditions(observed: BindingObserved): readonly NewCondition[] {
  return [...secretValid(observed), ...informersSynced(observed)];
}

function secretValid({ ref, secret, served }: BindingObserved): readonly NewCondition[] {
  const goesOn = served ? ' Until then the connection goes on with the last kubeconfig that worked.' : '';
  const no = (reason: string, message: string): readonly NewCondition[] => [falseCondition(conditionTypes.secretValid, reason, 'Error', message + goesOn)];
  if (ref === undefined) return no(conditionReasons.kubeconfigSecretNotFound, 'The binding has no spec.kubeconfigSecretRef. Whoever bound this API has to bind again.');
  const name = `Secret ${ref.namespace}/${ref.name}`;
  switch (secret.kind) {
    case 'unknown':
      return [];
    case 'valid':
      return [trueCondition(conditionTypes.secretValid)];
    case 'missing':
      return no(conditionReasons.kubeconfigSecretNotFound, `${name} does not exist. Whoever bound this API has to bind again, or to create the Secret with the provider's kubeconfig under key ${ref.key}.`);
    case 'invalid':
      return no(conditionReasons.kubeconfigSecretInvalid, `Key ${ref.key} of ${name} is refused. ${secret.problem} Whoever keeps this Secret has to correct it.`);
    case 'unreadable':
      return no('KubeconfigSecretUnreadable', `${name} cannot be read: ${secret.error}. The administrator of this cluster has to let the konnector get, list and watch it.`);
  }
}

function informersSynced({ connection, served }: BindingObserved): readonly NewCondition[] {
  if (connection === undefined) return [];
  const { failure } = connection;
  if (failure !== undefined) {
    const goesOn = served && !connection.serves ? ' Until then the connection goes on with the last kubeconfig that worked.' : '';
    return [falseCondition(conditionTypes.informersSynced, failure.reason, 'Error', `${failure.message} This is tried again by itself.${goesOn}`)];
  }
  return connection.serves ? [trueCondition(conditionTypes.informersSynced)] : [];
}
