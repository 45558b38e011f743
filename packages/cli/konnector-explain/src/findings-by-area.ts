import { conditionTypes } from '@hawser/kube-bind';
import type { ServingReason } from '@hawser/servicebinding';

/** What the provider says of its own export, and is told there. */
export const OF_PROVIDER: ReadonlySet<string> = new Set<ServingReason>(['ExportWithdrawn', 'RightsMissing']);

/** Conditions of a binding that say something of its connection. With a Secret that can be used, `SecretValid` tells to which clusters it is bound. */
export const OF_CONNECTION: ReadonlySet<string> = new Set([
  conditionTypes.secretValid,
  conditionTypes.informersSynced,
  conditionTypes.heartbeating,
]);
