import type { Mutant } from './mutant.js';
import { coreKbindMutants } from './mutants/core-kbind.js';
import { gatewayMutants } from './mutants/gateway.js';
import { konnectorMutants } from './mutants/konnector.js';
import { runtimeMutants } from './mutants/runtime.js';
import { providerMutants } from './mutants/provider.js';
import { syncagentMutants } from './mutants/syncagent.js';

export type { Edit, FoundBy, Mutant } from './mutant.js';
export { withMutants } from './apply.js';

/** All mutants, by the role whose sources they change first. */
export const mutants: readonly Mutant[] = [
  ...runtimeMutants,
  ...konnectorMutants,
  ...coreKbindMutants,
  ...providerMutants,
  ...gatewayMutants,
  ...syncagentMutants,
];

/**
 * Activates one mutant, or none, in sources built with {@link withMutants}. Holds for this process; it does not undo
 * work already begun.
 */
export function activate(name: string | undefined): void {
  Object.assign(globalThis, { hawserMutant: name });
}
