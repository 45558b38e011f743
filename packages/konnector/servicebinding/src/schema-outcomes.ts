import type { SchemaOutcomes } from '@hawser/konnector-connection';
import type { SchemaAnswer } from '@hawser/kube-bind';
import type { ResourceResult } from './conclude.js';
import type { ResourceObserved } from './observed.js';

/** Passes on the outcomes of a binding's existing schemas, with their hashes. */
export function reportOutcomes(
  outcomes: SchemaOutcomes,
  binding: string,
  resources: readonly ResourceObserved[],
  results: readonly ResourceResult[],
): void {
  for (const { name, schemaHash: hash } of resources) {
    const result = results.find((one) => one.name === name);
    if (hash === undefined || result === undefined || isPassing(result)) continue;
    outcomes.set(binding, name, answerOf(result, hash));
  }
}

/** Neither applied nor refused: transient. */
function isPassing(result: ResourceResult): boolean {
  return result.kind === 'held' && result.hold.reason === 'StoredVersionsLeft';
}

function answerOf(result: ResourceResult, hash: string): SchemaAnswer {
  switch (result.kind) {
    case 'inStep':
      return { kind: 'applied', hash };
    case 'held':
      return { kind: 'refused', hash, reason: result.hold.reason, message: result.hold.message };
    case 'problem':
      return { kind: 'refused', hash, reason: result.problem.reason, message: result.problem.message };
  }
}
