import { type APIServiceBinding, type APIServiceExport, conditionTypes, getCondition } from '@hawser/kube-bind';
import type { HeldSchema } from '@hawser/konnector-sync';

/** The held schema change of one resource, from the conditions of export or binding. `crd`: `databases.example.com`. */
export function heldSchemaOf(
  crd: string,
  apiExport: Pick<APIServiceExport, 'status'> | undefined,
  binding: Pick<APIServiceBinding, 'status'> | undefined,
): HeldSchema | undefined {
  return (
    heldIn('provider', apiExport, [` ${crd}:`]) ??
    heldIn('binding', binding, [` CustomResourceDefinition ${crd} stays`, ` ${crd} (`])
  );
}

/** One condition covers all waiting resources. The text on this resource begins with one of `beginnings`. */
function heldIn(
  by: HeldSchema['by'],
  of: Pick<APIServiceExport | APIServiceBinding, 'status'> | undefined,
  beginnings: readonly string[],
): HeldSchema | undefined {
  const condition = getCondition(of?.status?.conditions, conditionTypes.schemaUpdateHeld);
  if (condition?.status !== 'True') return undefined;
  // Another resource's name may end with this one: a blank precedes each.
  const message = ` ${condition.message ?? ''}`;
  const at = beginnings.map((beginning) => message.indexOf(beginning)).find((index) => index >= 0);
  return at === undefined
    ? undefined
    : { by, reason: condition.reason ?? conditionTypes.schemaUpdateHeld, message: message.slice(at).trimStart() };
}
