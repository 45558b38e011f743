import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type * as apply from '../../packages/testing/mutants/src/apply.ts';
import type { Mutant } from '../../packages/testing/mutants/src/mutant.ts';
import { coreKbindMutants } from '../../packages/testing/mutants/src/mutants/core-kbind.ts';
import { gatewayMutants } from '../../packages/testing/mutants/src/mutants/gateway.ts';
import { konnectorMutants } from '../../packages/testing/mutants/src/mutants/konnector.ts';
import { runtimeMutants } from '../../packages/testing/mutants/src/mutants/runtime.ts';
import { providerMutants } from '../../packages/testing/mutants/src/mutants/provider.ts';
import { syncagentMutants } from '../../packages/testing/mutants/src/mutants/syncagent.ts';
import { root } from '../workspace.ts';

const require = createRequire(import.meta.url);
const loader = join(root, 'packages', 'testing', 'mutants', 'src', 'apply.ts');
const version = createHash('sha256').update(readFileSync(loader)).digest('hex');

/** The mutants of @hawser/mutants, for tools that run without a build. */
export const mutants: readonly Mutant[] = [
  ...runtimeMutants,
  ...konnectorMutants,
  ...coreKbindMutants,
  ...providerMutants,
  ...gatewayMutants,
  ...syncagentMutants,
];

/** Names of those that the simulation finds. */
export const simulatedMutants: readonly string[] = mutants
  .filter(({ foundBy: { seed, coreKbindSeed, regression } }) => (seed ?? coreKbindSeed ?? regression) !== undefined)
  .map(({ name }) => name);

const byFile = Map.groupBy(
  mutants.flatMap((mutant) => [...new Set(mutant.edits.map(({ file }) => file))].map((file) => ({ file, mutant }))),
  ({ file }) => file,
);

/** Mutants that change a file. */
export function mutantsOf(path: string): readonly Mutant[] | undefined {
  return byFile.get(relative(root, path))?.map(({ mutant }) => mutant);
}

/** The source of a file with its mutants, switched off. Loads the compiler only for a file with mutants. */
export function withItsMutants(source: string, path: string): string {
  const its = mutantsOf(path);
  return its === undefined ? source : (require(loader) as typeof apply).withMutants(source, relative(root, path), its);
}

/** Further inputs of {@link withItsMutants} besides the source, as text; empty: none. */
export function keyOf(path: string): string {
  const its = mutantsOf(path);
  return its === undefined ? '' : JSON.stringify([version, its]);
}
