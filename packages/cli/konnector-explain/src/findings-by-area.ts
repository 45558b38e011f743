import { conditionTypes } from '@hawser/kube-bind';
import type { ServingReason } from '@hawser/servicebinding';

/** The provider's reports on its own export, which appear in its area. */
export const OF_PROVIDER: ReadonlySet<string> = new Set<ServingReason>(['ExportWithdrawn', 'RightsMissing']);

/**
 * Conditions of a binding about its connection. With a usable Secret, `SecretValid` names the clusters that it is bound
 * to.
 */
export const OF_CONNECTION: ReadonlySet<string> = new Set([
  conditionTypes.secretValid,
  conditionTypes.informersSynced,
  conditionTypes.heartbeating,
]);
