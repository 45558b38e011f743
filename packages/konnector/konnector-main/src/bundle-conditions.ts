import { type NewCondition, conditionReasons, conditionTypes, falseCondition } from '@hawser/kube-bind';
import { type BindingObserved, secretValid } from './conditions.js';

/** Input for the conditions of one bundle, apart from its exports. */
export interface BundleObserved extends BindingObserved {
  /** Whether a working connection serves the bundle, with any kubeconfig. */
  readonly works: boolean;
}

/**
 * Decides the conditions of one bundle (spec/kube-bind-api.md §10.2). Pure. Includes `Synced` only while no working
 * connection serves it: then no other controller can report that the provider's state is unknown.
 */
export function decideBundleConditions(observed: BundleObserved): readonly NewCondition[] {
  return [...secretValid(observed, 'bundle'), ...notSynced(observed)];
}

function notSynced({ ref, secret, connection, served, works, mismatch }: BundleObserved): readonly NewCondition[] {
  const no = (reason: string, message: string): readonly NewCondition[] => [
    falseCondition(conditionTypes.synced, reason, 'Error', `${message} The bindings of this bundle stay as they are.`),
  ];
  if (works) return [];
  if (connection?.failure !== undefined) {
    const reason =
      connection.failure.reason === 'ControllersFailed'
        ? conditionReasons.providerClientError
        : conditionReasons.listExportsFailed;
    return no(
      reason,
      `What the provider exports is not known: ${connection.failure.message} This is tried again by itself.`,
    );
  }
  if (mismatch !== undefined)
    return no(
      conditionReasons.providerClientError,
      'What the provider exports is not looked at, because the bundle is bound to another cluster: see SecretValid.',
    );
  if (served || (ref !== undefined && (secret.kind === 'unknown' || secret.kind === 'valid'))) return [];
  return no(
    conditionReasons.providerClientError,
    'What the provider exports is not known, because there is no kubeconfig that can be used: see SecretValid.',
  );
}
