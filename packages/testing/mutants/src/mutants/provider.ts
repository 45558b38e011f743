import type { Mutant } from '../mutant.js';

export const providerMutants: readonly Mutant[] = [
  {
    name: 'breaking-schema-flows',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/provider/propagation/src/assess.ts',
        find: 'const verdict = judging(before, source, policy, approved);',
        replace: 'const verdict = judging(before, source, \'Always\', approved);',
      },
    ],
  },
  {
    name: 'rollout-at-once',
    foundBy: { seed: 12 },
    edits: [
      {
        file: 'packages/provider/propagation/src/rollout.ts',
        find: 'return missing === 0 ? { kind: \'now\' } : { kind: \'later\', step: at + 1, steps: steps.length, missing };',
        replace: 'return { kind: \'now\' };',
      },
    ],
  },
  {
    name: 'rollout-unproven',
    foundBy: { seed: 12 },
    edits: [
      {
        file: 'packages/provider/propagation/src/rollout.ts',
        find: 'const missing = steps.slice(0, at).flat().filter(({ state }) => state !== \'proven\').length;',
        replace: 'const missing = steps.slice(0, at).flat().filter(({ state }) => state !== \'proven\' && (state === \'waiting\')).length;',
      },
    ],
  },
  {
    name: 'namespace-reclaimed-unproven',
    foundBy: { seed: 2 },
    edits: [
      {
        file: 'packages/provider/servicenamespace/src/decide.ts',
        find: 'if (settings.reclaim === \'Never\' || settings.isolation === \'None\') return absent;',
        replace: 'if (settings.isolation === \'None\') return absent;',
      },
      {
        file: 'packages/provider/servicenamespace/src/reclaim.ts',
        find: 'if (by !== undefined) return { kind: \'occupied\', by };',
        replace: '',
      },
    ],
  },
];
