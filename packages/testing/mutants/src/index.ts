import type { Mutant } from './mutant.js';
import { coreKbindMutants } from './mutants/core-kbind.js';
import { gatewayMutants } from './mutants/gateway.js';
import { konnectorMutants } from './mutants/konnector.js';
import { runtimeMutants } from './mutants/runtime.js';
import { providerMutants } from './mutants/provider.js';
import { syncagentMutants } from './mutants/syncagent.js';

export type { Edit, FoundBy, Mutant } from './mutant.js';
export { withMutants } from './apply.js';

/** All mutants there are, by the role whose sources they change first. */
export const mutants: readonly Mutant[] = [
  ...runtimeMutants,
  ...konnectorMutants,
  ...coreKbindMutants,
  ...providerMutants,
  ...gatewayMutants,
  ...syncagentMutants,
];

/** Makes one mutant active, or none, where sources were built with {@link withMutants}. Of this process, and for good as far as work has begun. */
export function activate(name: string | undefined): void {
  Object.assign(globalThis, { hawserMutant: name });
}
