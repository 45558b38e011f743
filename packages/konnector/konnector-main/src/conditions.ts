import type { SecretKeyRef } from '@hawser/konnector-connection';
import {
  type NewCondition,
  conditionReasons,
  conditionTypes,
  falseCondition,
  hawserAnnotations,
  trueCondition,
} from '@hawser/kube-bind';
import type { ConnectionFailure } from './controller-set.js';
import type { SecretReading } from './secret-reading.js';

/** Input for the conditions of one binding. */
export interface BindingObserved {
  /** Absent: the binding names no Secret. */
  readonly ref: SecretKeyRef | undefined;
  readonly secret: SecretReading;
  /** The connection for the Secret's current kubeconfig; without one, the connection that serves the binding. */
  readonly connection: { readonly serves: boolean; readonly failure?: ConnectionFailure | undefined } | undefined;
  /** Whether any connection serves the binding, with any kubeconfig. */
  readonly served: boolean;
  /** It is bound to another cluster than the one found. */
  readonly mismatch?: IdentityMismatch | undefined;
}

/** uids of the cluster namespace on the provider, or of `kube-system` (else `default`) on the consumer. */
export interface IdentityMismatch {
  readonly side: 'provider' | 'consumer';
  /** `APIServiceBinding databases` */
  readonly object: string;
  readonly expected: string;
  readonly found: string;
  /** Cluster namespace on the provider. */
  readonly clusterNamespace?: string | undefined;
}

/** Decides the conditions of one binding (spec/kube-bind-api.md §10.1). Types outside the list stay unchanged. Pure. */
export function decideConditions(observed: BindingObserved): readonly NewCondition[] {
  return [...secretValid(observed, 'binding'), ...informersSynced(observed)];
}

/** Condition `SecretValid` for the object that names the Secret. */
export function secretValid(
  { ref, secret, served, mismatch }: BindingObserved,
  of: 'binding' | 'bundle',
): readonly NewCondition[] {
  const goesOn = served ? ' Until then the connection goes on with the last kubeconfig that worked.' : '';
  // While the connection works, the konnector repairs the Secret: a person acts only if it cannot.
  const repaired = served
    ? "The konnector puts the provider's kubeconfig there again by itself, within seconds. Only if it does not: "
    : '';
  const no = (reason: string, message: string): readonly NewCondition[] => [
    falseCondition(conditionTypes.secretValid, reason, 'Error', message + goesOn),
  ];
  if (ref === undefined)
    return no(
      conditionReasons.kubeconfigSecretNotFound,
      `The ${of} has no spec.kubeconfigSecretRef. Make it again, with one.`,
    );
  const name = `Secret ${ref.namespace}/${ref.name}`;
  switch (secret.kind) {
    case 'unknown':
      return [];
    case 'valid': {
      if (mismatch === undefined) return [trueCondition(conditionTypes.secretValid)];
      const { reason, message } = mismatchText(mismatch, name);
      return no(reason, message);
    }
    case 'missing':
      return no(
        conditionReasons.kubeconfigSecretNotFound,
        `${name} does not exist. ${repaired}${served ? 'whoever' : 'Whoever'} ${of === 'binding' ? 'bound this API has to bind again' : 'made this bundle has to ask the provider for a kubeconfig again'}, or to create the Secret with the provider's kubeconfig under key ${ref.key}.`,
      );
    case 'invalid':
      return no(
        conditionReasons.kubeconfigSecretInvalid,
        `Key ${ref.key} of ${name} is refused. ${secret.problem} ${repaired}${served ? 'whoever' : 'Whoever'} keeps this Secret has to correct it.`,
      );
    case 'unreadable':
      return no(
        'KubeconfigSecretUnreadable',
        `${name} cannot be read: ${secret.error}. The administrator of this cluster has to let the konnector get, list and watch it.`,
      );
  }
}

/** Reason, expected and found cluster, and how the operator accepts it. */
function mismatchText(
  { side, object, expected, found, clusterNamespace = '' }: IdentityMismatch,
  secret: string,
): { readonly reason: string; readonly message: string } {
  const [kind = '', name = ''] = object.toLowerCase().split(' ');
  const accept = (annotation: string): string => `kubectl annotate ${kind} ${name} --overwrite ${annotation}=${found}`;
  // This cluster takes over the other's copies only with a person's explicit approval.
  const copies = kind === 'apiservicebinding' ? ` ${hawserAnnotations.formerConsumerIdentity}=${expected}` : '';
  switch (side) {
    case 'provider':
      return {
        reason: 'ProviderIdentityChanged',
        message: `The kubeconfig of ${secret} leads to another provider: namespace ${clusterNamespace} has uid ${found} there, and ${object} is bound to uid ${expected}. Nothing is synced to it. If the provider has moved, the administrator of this cluster accepts that by: ${accept(hawserAnnotations.providerIdentity)}. Otherwise whoever keeps this Secret has to put the right kubeconfig back.`,
      };
    case 'consumer':
      return {
        reason: 'ConsumerIdentityChanged',
        message: `${object} was bound in another cluster, with uid ${expected}; this one has uid ${found}. Nothing is synced, since two clusters would work on the same copies. If this cluster has taken the place of that one, its administrator accepts that by: ${accept(hawserAnnotations.consumerIdentity)}${copies}. Otherwise delete it here.`,
      };
  }
}

function informersSynced({ connection, served }: BindingObserved): readonly NewCondition[] {
  if (connection === undefined) return [];
  const { failure } = connection;
  if (failure !== undefined) {
    const goesOn =
      served && !connection.serves ? ' Until then the connection goes on with the last kubeconfig that worked.' : '';
    return [
      falseCondition(
        conditionTypes.informersSynced,
        failure.reason,
        'Error',
        `${failure.message} This is tried again by itself.${goesOn}`,
      ),
    ];
  }
  return connection.serves ? [trueCondition(conditionTypes.informersSynced)] : [];
}
