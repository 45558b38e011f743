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
  {
    name: 'klutch-requests-unpaced',
    foundBy: { tests: ['packages/provider/exportrequest/src/inline/inline-pace.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/inline/inline-controller.ts',
        find: 'const waitMs = pace.deferral(request);',
        replace: 'const waitMs = Number.isNaN(pace.deferral(request)) ? 1 : 0;',
      },
    ],
  },
  {
    name: 'klutch-restores-unpaced',
    foundBy: { tests: ['packages/provider/exportrequest/src/inline/inline-pace.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/inline/inline-controller.ts',
        find: 'const waitMs = restores.deferral(found);',
        replace: 'const waitMs = Number.isNaN(restores.deferral(found)) ? 1 : 0;',
      },
    ],
  },
  {
    name: 'request-ready-without-rights',
    foundBy: { tests: ['packages/provider/exportrbac/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/request-rights.ts',
        find: '  const refused = inForce.filter((name) => (refusals.get(name) ?? []).length > 0);',
        replace: '  const refused = inForce.filter((name) => (refusals.get(name) ?? []).length > 1_000);',
      },
    ],
  },
  {
    name: 'conditions-delay-withdrawal',
    foundBy: { tests: ['packages/provider/exportrbac/src/export-rbac.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/export-rbac.ts',
        find: '          if (waitMs > 0) continue;',
        replace: '          if (waitMs > 0) return { kind: \'requeue\', afterMs: waitMs };',
      },
    ],
  },
  {
    name: 'one-malformed-klutch-export-hides-all',
    foundBy: { tests: ['packages/api/klutch/src/client/views.test.ts'] },
    edits: [
      {
        file: 'packages/api/klutch/src/client/views.ts',
        find: 'return problem === undefined ? read(object as APIServiceExport) : unreadableView(object, problem);',
        replace: 'return problem === undefined || object.kind !== \'\' ? read(object as APIServiceExport) : unreadableView(object, problem);',
      },
    ],
  },
  {
    name: 'malformed-request-unseen',
    foundBy: { tests: ['packages/provider/exportrequest/src/decide-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/decide-request.ts',
        find: 'if (malformed !== undefined) return stopped(',
        replace: 'if (malformed !== undefined && malformed.path === \'\') return stopped(',
      },
    ],
  },
  {
    name: 'full-status-keeps-rights',
    foundBy: { tests: ['packages/provider/exportrbac/src/export-rbac.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/export-rbac.ts',
        find: '            failure ??= { error };',
        replace: '            throw error;',
      },
    ],
  },
  {
    name: 'schema-decision-of-namespace-unheard',
    foundBy: { tests: ['packages/provider/propagation/src/assess.test.ts'] },
    edits: [
      {
        file: 'packages/provider/propagation/src/namespace-words.ts',
        find: 'if (namespaceWords.every((word) => (said[word] ?? \'\') === \'\')) return found;',
        replace: 'if (namespaceWords.every((word) => (said[word] ?? \'\') === \'\') || found.kind !== \'\') return found;',
      },
    ],
  },
  {
    name: 'rights-never-withdrawn',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/decide.ts',
        find: '    if (isOurs(dialect, binding, clusterNamespace)) actions.push({ type: \'withdraw\', existing: binding });',
        replace: '    if (isOurs(dialect, binding, clusterNamespace)) continue;',
      },
    ],
  },
];
