import type { KubeObject } from '@hawser/client';
import type { Condition } from '@hawser/kube-bind';

/** The conditions in an object's status, by type. */
export function conditionsOf(object: KubeObject | undefined): Readonly<Record<string, Condition | undefined>> {
  const { status } = (object ?? {}) as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return Object.fromEntries((status?.conditions ?? []).map((condition) => [condition.type, condition]));
}
