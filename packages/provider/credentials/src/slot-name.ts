/** Of a Secret that tokens hang on: see {@link slotNames}. */
export type SlotName = string;

/**
 * The two Secrets in a cluster namespace that tokens hang on, the first being the contract's, which has the name of the ServiceAccount, `binder`. A legacy token is in its Secret; one that expires is bound to
 * it, so that it dies with it. With two of them a new credential can be there before the old one goes.
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
