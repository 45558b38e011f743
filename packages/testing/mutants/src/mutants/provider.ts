import type { Mutant } from '../mutant.js';

export const providerMutants: readonly Mutant[] = [
  {
    name: 'breaking-schema-flows',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/provider/propagation/src/assess.ts',
        find: 'const verdict = judging(before, source, policy, approved);',
        replace: "const verdict = judging(before, source, 'Always', approved);",
      },
    ],
  },
  {
    name: 'rollout-at-once',
    foundBy: { seed: 12 },
    edits: [
      {
        file: 'packages/provider/propagation/src/rollout.ts',
        find: "return missing === 0 ? { kind: 'now' } : { kind: 'later', step: at + 1, steps: steps.length, missing };",
        replace: "return { kind: 'now' };",
      },
    ],
  },
  {
    name: 'rollout-unproven',
    foundBy: { seed: 12 },
    edits: [
      {
        file: 'packages/provider/propagation/src/rollout.ts',
        find: "const missing = steps.slice(0, at).flat().filter(({ state }) => state !== 'proven').length;",
        replace:
          "const missing = steps.slice(0, at).flat().filter(({ state }) => state !== 'proven' && (state === 'waiting')).length;",
      },
    ],
  },
  {
    name: 'namespace-reclaimed-unproven',
    foundBy: { seed: 2 },
    edits: [
      {
        file: 'packages/provider/servicenamespace/src/decide.ts',
        find: "if (settings.reclaim === 'Never' || settings.isolation === 'None') return absent;",
        replace: "if (settings.isolation === 'None') return absent;",
      },
      {
        file: 'packages/provider/servicenamespace/src/reclaim.ts',
        find: "if (by !== undefined) return { kind: 'occupied', by };",
        replace: '',
      },
    ],
  },
  {
    name: 'klutch-requests-unpaced',
    foundBy: { tests: ['packages/provider/exportrequest/src/inline/inline-pace.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/inline/inline-request-controller.ts',
        find: '? 0 : caches.pace.deferral(request);',
        replace: '? 0 : Number.isNaN(caches.pace.deferral(request)) ? 1 : 0;',
      },
    ],
  },
  {
    name: 'klutch-restores-unpaced',
    foundBy: { tests: ['packages/provider/exportrequest/src/inline/inline-pace.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/inline/decide-inline-export.ts',
        find: "change.turn?.kind === 'restored' && restoreInMs > 0",
        replace: "change.turn?.kind === 'restored' && Number.isNaN(restoreInMs)",
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
        file: 'packages/provider/exportrbac/src/consumer-rights.ts',
        find: '      if (waitMs > 0) continue;',
        replace: '      if (waitMs > 0) return waitMs;',
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
        replace:
          "return problem === undefined || object.kind !== '' ? read(object as APIServiceExport) : unreadableView(object, problem);",
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
        replace: "if (malformed !== undefined && malformed.path === '') return stopped(",
      },
    ],
  },
  {
    name: 'full-status-keeps-rights',
    foundBy: { tests: ['packages/provider/exportrbac/src/export-rbac.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/consumer-rights.ts',
        find: '        failure ??= { error };',
        replace: '        throw error;',
      },
    ],
  },
  {
    name: 'schema-decision-of-namespace-unheard',
    foundBy: { tests: ['packages/provider/propagation/src/assess.test.ts'] },
    edits: [
      {
        file: 'packages/provider/propagation/src/namespace-words.ts',
        find: "if (namespaceWords.every((word) => (onNamespace[word] ?? '') === '')) return found;",
        replace:
          "if (namespaceWords.every((word) => (onNamespace[word] ?? '') === '') || found.kind !== '') return found;",
      },
    ],
  },
  {
    name: 'rights-never-withdrawn',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/decide.ts',
        find: "    if (isOurs(dialect, binding, clusterNamespace)) actions.push({ type: 'withdraw', existing: binding });",
        replace: '    if (isOurs(dialect, binding, clusterNamespace)) continue;',
      },
    ],
  },
  {
    name: 'approval-not-asked',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admit.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/template/admit.ts',
        find: '!wantsApproval(template) || approved.has(template.metadata.name)',
        replace: 'true',
      },
    ],
  },
  {
    name: 'admission-of-a-former-request',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admitted-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/observe-request.ts',
        find: 'if (last !== undefined && last.uid === uid && last.generation === generation && admitter.stands(last.admission, request)) return last;',
        replace: 'if (last !== undefined) return last;',
      },
    ],
  },
  {
    name: 'admission-outlives-its-template',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admitted-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/observe-request.ts',
        find: '&& admitter.stands(last.admission, request)) return last;',
        replace: ') return last;',
      },
    ],
  },
  {
    name: 'answer-to-a-former-request',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admitted-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/act-request.ts',
        find: 'current.metadata.generation === generation ? withOutcome(status, outcome, now) : status',
        replace: 'current.metadata.generation === 0 ? status : withOutcome(status, outcome, clock.now())',
      },
    ],
  },
  {
    name: 'successor-of-a-request-unjudged',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admitted-request.test.ts'], seed: 56 },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/observed-request.ts',
        find: "return madeFor === undefined ? request.spec.schemaUpdatePolicy === 'Always' : madeFor !== request.metadata.uid;",
        replace: 'return false;',
      },
    ],
  },
  {
    name: 'unanswered-request-decides-about-schemas',
    foundBy: { tests: ['packages/provider/propagation/src/assess.test.ts'], seed: 20 },
    edits: [
      {
        file: 'packages/provider/propagation/src/assess.ts',
        find: "return request.status?.phase === 'Succeeded' && (madeFor === undefined || madeFor === request.metadata.uid);",
        replace:
          "return madeFor === undefined || metadata.annotations !== undefined || request.status?.phase === 'Succeeded';",
      },
    ],
  },
  {
    name: 'late-namespaces-without-bound',
    foundBy: { tests: ['packages/provider/exportrequest/src/template/admitted-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/decide-request.ts',
        find: ' ?? lateNamespaceProblem(settings, request, observed);',
        replace: ';',
      },
    ],
  },
  {
    name: 'restored-without-admission',
    foundBy: {
      tests: [
        'packages/provider/exportrequest/src/template/admitted-request.test.ts',
        'packages/provider/exportrequest/src/inline/inline-controllers.integration.test.ts',
      ],
      seed: 20,
    },
    edits: [
      {
        file: 'packages/provider/exportrequest/src/withdrawal.ts',
        find: "if (because === undefined && marked !== '' && !admitted) return { annotations: {} };",
        replace:
          "if (because === undefined && marked !== '' && !admitted && request.kind === 'gone') return { annotations: {} };",
      },
    ],
  },
  {
    name: 'targets-resolved-against-a-base',
    foundBy: { tests: ['apps/supervisor/src/health-server.test.ts'] },
    edits: [
      {
        file: 'apps/supervisor/src/health-server.ts',
        find: "if (target.startsWith('/')) return URL.parse(`http://localhost${target}`);",
        replace: "if (target.startsWith('/')) return new URL(target, 'http://localhost');",
      },
    ],
  },
  {
    name: 'consumers-read-all-at-once',
    foundBy: {
      tests: [
        'packages/provider/propagation/src/stored-objects.test.ts',
        'packages/konnector/servicebinding/src/long-check.integration.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/runtime/schemagate/src/turns.ts',
        find: 'const turn = last.then(run);',
        replace: 'const turn = run();',
      },
    ],
  },
  {
    name: 'revocation-needs-room',
    foundBy: {
      tests: [
        'packages/provider/credentials/src/decide.test.ts',
        'packages/provider/credentials/src/credentials-controller.integration.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/api/kube-bind/src/credential-word.ts',
        find: 'return namespace?.metadata.annotations?.[key] ?? binding?.metadata.annotations?.[key];',
        replace:
          'return binding?.metadata.annotations?.[key] ?? (namespace === undefined ? undefined : binding?.metadata.annotations?.[key]);',
      },
    ],
  },
  {
    name: 'schema-decided-before-objects-were-read',
    foundBy: { tests: ['packages/provider/propagation/src/long-check.test.ts'] },
    edits: [
      {
        file: 'packages/provider/propagation/src/observe.ts',
        find: 'const checks = new Map<string, Check>();',
        replace:
          'const checks = new Map<string, Check>(); const before = found === undefined ? [] : [...new Set(resourcesOf(found))].flatMap((one) => this.#resource(found, key, one) ?? []);',
      },
      {
        file: 'packages/provider/propagation/src/observe.ts',
        find: 'export: undefined, resources: [],',
        replace: 'export: found, resources: before,',
      },
      {
        file: 'packages/provider/propagation/src/observe.ts',
        find: 'if (found === undefined) return observed;',
        replace: 'if (found === undefined || observed.export !== undefined) return observed;',
      },
    ],
  },
  {
    name: 'any-namespace-under-none',
    foundBy: { tests: ['packages/provider/servicenamespace/src/decide.test.ts'], seed: 9 },
    edits: [
      {
        file: 'packages/provider/servicenamespace/src/decide.ts',
        find: "if (namespace === undefined) return { kind: 'notAllowed', namespace: name };",
        replace: 'if (namespace === undefined) return undefined;',
      },
    ],
  },
  {
    name: 'reserved-namespaces-under-none',
    foundBy: { tests: ['packages/provider/servicenamespace/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/provider/servicenamespace/src/decide.ts',
        find: 'if (isOfConsumer || matchesAny(name, [...neverShared, ...settings.ownPrefixes.map((prefix) => `${prefix}*`)])) return',
        replace: 'if (isOfConsumer && matchesAny(name, settings.consumerNamespaces)) return',
      },
    ],
  },
  {
    name: 'root-namespaces-are-nobodys',
    foundBy: {
      tests: ['packages/api/klutch/src/dialect.test.ts', 'packages/provider/servicenamespace/src/limits.test.ts'],
    },
    edits: [
      {
        file: 'packages/api/klutch/src/dialects.ts',
        find: ' || isRootNamespace(namespace);',
        replace: " || (namespace.kind === '' && isRootNamespace(namespace));",
      },
    ],
  },
  {
    name: 'tokens-of-any-account',
    foundBy: { tests: ['apps/supervisor/src/commands/provider-rights.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/provider-policy-rules.ts',
        find: "object.type == '${legacyToken}' && variables.isConsumers && variables.name in ${listed(tokenNames)} && object.metadata.?annotations[?'kubernetes.io/service-account.name'].orValue('') in ${listed(binders)}",
        replace: "object.type == '${legacyToken}' && variables.name in ${listed(tokenNames)}",
      },
    ],
  },
  {
    name: 'requests-answered-among-klutch-consumers',
    foundBy: { tests: ['packages/provider/onboarding/src/decide-request.test.ts'] },
    edits: [
      {
        file: 'packages/provider/onboarding/src/decide-request.ts',
        find: ' || isOtherConsumers?.(home) === true',
        replace: ' || isOtherConsumers?.(home) === false',
      },
    ],
  },
  {
    name: 'admission-of-everything-unsaid',
    foundBy: { tests: ['apps/supervisor/src/backend-flags.test.ts'] },
    edits: [
      {
        file: 'apps/supervisor/src/provider-notices.ts',
        find: "if (requestAdmission === 'Template') return undefined;",
        replace: 'if (requestAdmission.length > 0) return undefined;',
      },
    ],
  },
  {
    name: 'consumers-ask-for-any-number',
    foundBy: { tests: ['packages/provider/exportrbac/src/consumer-bounds.integration.test.ts'] },
    edits: [
      {
        file: 'packages/provider/exportrbac/src/consumer-bounds.ts',
        find: '`${list}.size() <= ${length} && ${list}.all(one, ${each})`',
        replace: '`(${list}.size() <= ${length * 1_000} && ${list}.all(one, ${each}))`',
      },
    ],
  },
  {
    name: 'withdrawn-copies-beyond-the-budget',
    foundBy: {
      tests: [
        'packages/provider/withdrawnobjects/src/decide.test.ts',
        'packages/provider/withdrawnobjects/src/decide.fuzz.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/provider/withdrawnobjects/src/decide.ts',
        find: "mayGo(copy) && answers.get(copy.id) === 'allowed'",
        replace: 'mayGo(copy)',
      },
    ],
  },
  {
    name: 'withdrawn-copies-proven-too-early',
    foundBy: {
      tests: [
        'packages/provider/withdrawnobjects/src/decide.test.ts',
        'packages/provider/withdrawnobjects/src/decide.fuzz.test.ts',
      ],
    },
    edits: [
      {
        file: 'packages/provider/withdrawnobjects/src/decide.ts',
        find: 'if (!isFresh(end, latest) || end.batch !== batch.id)',
        replace: 'if (end?.batch !== batch.id)',
      },
    ],
  },
  {
    name: 'undone-app-cluster-deletion-believed',
    foundBy: { tests: ['packages/provider/appclusterbinding/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/provider/appclusterbinding/src/confirm-reason.ts',
        find: 'isTerminating(one) === isTerminating(other) &&',
        replace: '',
      },
    ],
  },
  {
    name: 'export-deleted-while-bound-again',
    foundBy: { tests: ['packages/provider/appclusterbinding/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/provider/appclusterbinding/src/confirm-reason.ts',
        find: 'if (found !== undefined && isChildOf(found, binding))',
        replace: 'if (found === undefined && isChildOf(binding, binding))',
      },
    ],
  },
  {
    name: 'export-released-on-stale-cache',
    foundBy: { tests: ['packages/provider/withdrawnobjects/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/provider/withdrawnobjects/src/confirm-release.ts',
        find: 'if (reading.copies.size > 0)',
        replace: 'if (reading.copies.size < 0)',
      },
    ],
  },
];
