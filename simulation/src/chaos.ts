import type { Fault, HideFault } from './fault.js';

/** Number of draws of each kind of fault, and of each kind of action. */
export interface Chaos {
  readonly faults: Readonly<Record<string, number>>;
  readonly actions: Readonly<Record<string, number>>;
}

export const noChaos: Chaos = { faults: {}, actions: {} };

/** A plan of either simulation. */
export function chaosOf({
  faults,
  actions,
  kbindActions = [],
}: {
  readonly faults: readonly (Fault | HideFault)[];
  readonly actions: readonly { readonly kind: string }[];
  readonly kbindActions?: readonly { readonly kind: string }[] | undefined;
}): Chaos {
  return {
    faults: counted(faults.map(kindOf)),
    actions: counted([...actions, ...kbindActions].map(({ kind }) => kind)),
  };
}

export function addChaos(one: Chaos, other: Chaos): Chaos {
  return { faults: summed(one.faults, other.faults), actions: summed(one.actions, other.actions) };
}

function kindOf(fault: Fault | HideFault): string {
  return fault.target === 'link' ? fault.fault.kind : fault.target;
}

function counted(kinds: readonly string[]): Readonly<Record<string, number>> {
  return kinds.reduce<Readonly<Record<string, number>>>((counts, kind) => summed(counts, { [kind]: 1 }), {});
}

function summed(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const kinds = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
