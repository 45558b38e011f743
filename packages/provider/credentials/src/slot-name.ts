/** Name of a Secret that binds tokens: see {@link slotNames}. */
export type SlotName = string;

/**
 * The two Secrets of a cluster namespace that bind tokens. The first is the contract's, named like the ServiceAccount,
 * `binder`. A Secret holds a legacy token, or an expiring token is bound to it and ends with it. With two slots a new
 * credential exists before the old one goes.
 */
export function slotNames(binder: string): readonly [SlotName, SlotName] {
  return [binder, `${binder}-next`];
}

export function isSlotName(binder: string, name: string): name is SlotName {
  return slotNames(binder).includes(name);
}

export function otherSlot(binder: string, slot: SlotName): SlotName {
  const [first, next] = slotNames(binder);
  return slot === first ? next : first;
}
