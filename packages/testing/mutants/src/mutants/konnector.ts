import type { Mutant } from '../mutant.js';

export const konnectorMutants: readonly Mutant[] = [
  {
    name: 'R19',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/export-status.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/export-status.ts',
        find: 'conditions = setCondition(conditions, connected(facts), now);',
        replace:
          "conditions = setCondition(conditions, trueCondition('Connected'), now);\n" +
          '  conditions = setCondition(conditions, connected(facts), now);',
      },
    ],
  },
  {
    name: 'R11',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/plan-syncs.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/plan-syncs.ts',
        find: "if (schema.kind === 'unreadable') return { kind: 'keep', name, message: schema.message };",
        replace: "if (schema.kind === 'unreadable') return stop('BoundSchemaMissing', schema.message);",
      },
    ],
  },
  {
    name: 'sync-after-the-end',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/sync-set.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/sync-set.ts',
        find: 'if (lifetime.aborted) return;',
        replace: '',
      },
    ],
  },
  {
    name: 'R34',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/plan-syncs.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/plan-syncs.ts',
        find: 'return undefined;',
        replace: "return 'None';",
      },
    ],
  },
  {
    name: 'R9',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/plan-syncs.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/plan-syncs.ts',
        find: 'if (!isOwnedByBinding(crd, binding)) return stop(\'ForeignCustomResourceDefinition\', `The CustomResourceDefinition "${name}" does not belong to this binding; its objects are left alone.`);',
        replace: '',
      },
    ],
  },
  {
    name: 'R8',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/sync-set.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/sync-set.ts',
        find: 'await entry.sync.stop();',
        replace:
          'for (const other of running.keys()) if (other.startsWith(name)) await stopOne(other, why);\n' +
          '    await entry.sync.stop();',
      },
    ],
  },
  {
    name: 'claims-of-another-cluster',
    foundBy: { seed: 100 },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/act.ts',
        find: 'return (await isReplaced(action.side, clients[action.side], settings, signal)) ? { wait: true, replaced: true } : { originalGone: true };',
        replace: 'return { originalGone: true };',
      },
      {
        file: 'packages/konnector/claimedresources/src/running-claims.ts',
        find: 'if (this.#identities.isDoubted(uids)) await this.#identifyAgain(signal);',
        replace: '',
      },
      {
        file: 'packages/konnector/claimedresources/src/decide-copy-alone.ts',
        find: 'const held = missing(observed, settings, side, copy);',
        replace: 'const held = undefined;',
      },
    ],
  },
  {
    name: 'R27',
    foundBy: { tests: ['packages/konnector/claimedresources/src/claim.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/claim.ts',
        find: 'return { claims: read, problems };',
        replace:
          'return { claims: [...Map.groupBy(read, ({ resource }) => resource.resource).values()].flatMap(([first]) => first ?? []), problems };\n' +
          '  return { claims: read, problems };',
      },
    ],
  },
  {
    name: 'claim-selects-all',
    foundBy: { seed: 2 },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/claimed-by.ts',
        find: 'if (byName) return true;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'R12',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide.ts',
        find: 'const isClaimed = observed.claimedBy[side].length > 0;\n' + '  switch (marks.roleOf(object, side)) {',
        replace:
          'const isClaimed = observed.claimedBy[side].length > 0 || (marks.markedOwner(object) === side);\n' +
          '  switch (marks.roleOf(object, side)) {',
      },
    ],
  },
  {
    name: 'R31',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
        find: 'const leftMs = since + namespaceGraceMs - now;',
        replace: "return progressing('namespace');\n" + '  const leftMs = since + namespaceGraceMs - now;',
      },
    ],
  },
  {
    name: 'terminating-object-claimed',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
        find: "if (original.metadata.deletionTimestamp !== undefined && copy === undefined) return progressing('originalToGo');",
        replace: '',
      },
    ],
  },
  {
    name: 'claimed-copies-of-others',
    foundBy: { seed: 8 },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/origin.ts',
        find: "if ((named.namespace ?? namespace) !== namespace) return isOurCluster ? 'clone' : 'foreign';",
        replace:
          "return 'ours';\n" +
          "  if ((named.namespace ?? namespace) !== namespace) return isOurCluster ? 'clone' : 'foreign';",
      },
    ],
  },
  {
    name: 'clones-are-copies',
    foundBy: { seed: 2 },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/origin.ts',
        find: "if (controllerOf(copy) !== undefined) return 'owned';",
        replace: "if (isOurCluster) return 'ours';\n" + "  if (controllerOf(copy) !== undefined) return 'owned';",
      },
    ],
  },
  {
    name: 'kubeconfigs-claimed',
    foundBy: { tests: ['packages/konnector/claimedresources/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/protection.ts',
        find: "if (side === 'provider' && konnectorNamespaces.has(namespace)) return `namespace ${namespace} of the consumer is the konnector's own`;",
        replace:
          'return undefined;\n' +
          "  if (side === 'provider' && konnectorNamespaces.has(namespace)) return `namespace ${namespace} of the consumer is the konnector's own`;",
      },
    ],
  },
  {
    name: 'R30',
    foundBy: { tests: ['packages/konnector/claimedresources/src/references.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/references.ts',
        find: 'const shared = sharedSteps(paths.name, paths.namespace);',
        replace: 'const shared = 0;',
      },
    ],
  },
  {
    name: 'references-listed',
    foundBy: { tests: ['packages/konnector/claimedresources/src/selection.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/selection.ts',
        find: 'return claimedBy(watched, resource, side, namespace, object);',
        replace:
          '{\n' +
          '        const read = watched.map(({ claim }) => claim);\n' +
          '        closeAll(watched);\n' +
          '        watched = read.map((claim) => ({ claim, references: claim.references.map(resolve) }));\n' +
          '      }\n' +
          '      return claimedBy(watched, resource, side, namespace, object);',
      },
    ],
  },
  {
    name: 'foreign-metadata-overwritten',
    foundBy: { tests: ['packages/konnector/claimedresources/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/wanted.ts',
        find: 'const ours = new Set(ownedOnlyByUs(extra, copy.metadata.managedFields ?? []));',
        replace: 'const ours = new Set(extra);',
      },
    ],
  },
  {
    name: 'secret-written-each-time',
    foundBy: { tests: ['packages/konnector/clusterbinding/src/mirror.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/clusterbinding/src/mirror.ts',
        find: "if (Object.keys(data).length === 0) return { kind: 'none', namespace, name };",
        replace: '',
      },
    ],
  },
  {
    name: 'R4',
    foundBy: { tests: ['packages/konnector/konnector-main/src/connection-runner.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/connection-runner.ts',
        find: 'await sleep(this.#options.clock, waitMs, this.#interrupt.signal).catch(() => undefined);',
        replace: 'await whenAborted(this.#interrupt.signal);',
      },
    ],
  },
  {
    name: 'R7',
    foundBy: { tests: ['packages/konnector/konnector-main/src/connection-runner.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/in-time.ts',
        find: "if (timeout.signal.aborted) return { reason: 'InformerSyncTimeout', message: `The caches of the provider were not filled within ${Math.round(prepareTimeoutMs / 1000)} s.` };",
        replace:
          'if (timeout.signal.aborted) return undefined;\n' +
          "      if (timeout.signal.aborted) return { reason: 'InformerSyncTimeout', message: `The caches of the provider were not filled within ${Math.round(prepareTimeoutMs / 1000)} s.` };",
      },
    ],
  },
  {
    name: 'rotated-secret-ignored',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/connection-runner.ts',
        find: "const works = this.#phase === 'running' || this.#phase === 'prepared';",
        replace: 'return false;\n' + "    const works = this.#phase === 'running' || this.#phase === 'prepared';",
      },
      {
        file: 'packages/konnector/konnector-main/src/decide.ts',
        find: "if (target === undefined || target.kind === 'refused' || refuses(target, connection)) return false;",
        replace:
          'return target !== undefined;\n' +
          "    if (target === undefined || target.kind === 'refused' || refuses(target, connection)) return false;",
      },
    ],
  },
  {
    name: 'R3',
    foundBy: { tests: ['packages/konnector/konnector-main/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/decide.ts',
        find: "if (target === undefined || target.kind === 'refused' || refuses(target, connection)) return false;",
        replace:
          'if (target === undefined) return true;\n' +
          "    if (target === undefined || target.kind === 'refused' || refuses(target, connection)) return false;",
      },
    ],
  },
  {
    name: 'bindBySecretOfCache',
    foundBy: { tests: ['packages/konnector/konnector-main/src/konnector-main.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/first-readings.ts',
        find: 'const secret = await readOnce(member);',
        replace: 'const { secret } = observed; if (secret.kind !== "valid") await readOnce(member);',
      },
    ],
  },
  {
    name: 'R32',
    foundBy: { tests: ['packages/konnector/konnector-main/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/decide.ts',
        find: "if (target.kind === 'connect' && target.hash === hash && !refuses(target, connection) && !settled.has(member) && !draining.has(member)) joining.push({ kind: 'join', hash, member });",
        replace:
          "if (target.kind === 'connect' && target.hash === hash && !refuses(target, connection) && !settled.has(member) && !draining.has(member) && !(joining.length > 0)) joining.push({ kind: 'join', hash, member });",
      },
    ],
  },
  {
    name: 'R5',
    foundBy: { tests: ['packages/konnector/konnector-main/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/decide.ts',
        find: "const alive = connections.filter((connection) => connection.phase !== 'stopping');",
        replace:
          "if (connections.some(({ members: [first] }) => first !== undefined && targets.get(first)?.kind === 'stay')) return connections.map(({ hash }) => ({ kind: 'stop', hash }));\n" +
          "  const alive = connections.filter((connection) => connection.phase !== 'stopping');",
      },
    ],
  },
  {
    name: 'R6',
    foundBy: { tests: ['packages/konnector/konnector-main/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/decide.ts',
        find: "if (!staying && !wanted.has(hash)) return [{ kind: 'stop', hash }];",
        replace: 'if (!staying && !wanted.has(hash)) return [];',
      },
    ],
  },
  {
    name: 'namespace-deleted-unproven',
    foundBy: { tests: ['packages/konnector/namespacelifecycle/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/namespacelifecycle/src/decide.ts',
        find: "if (proof.kind === 'unused') return { kind: 'delete' };",
        replace: "return { kind: 'delete' };",
      },
    ],
  },
  {
    name: 'R38',
    foundBy: { tests: ['packages/konnector/servicebinding/src/claim-consent.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/claim-consent.ts',
        find: 'const annotation = binding.metadata.annotations?.[hawserAnnotations.acceptedClaims];',
        replace:
          'return { accepted: claims, held: [] };\n' +
          '  const annotation = binding.metadata.annotations?.[hawserAnnotations.acceptedClaims];',
      },
    ],
  },
  {
    name: 'R39',
    foundBy: { tests: ['packages/konnector/servicebinding/src/crd-policy.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/crd-policy.ts',
        find: "const { allowedGroups = ['*'], allowConversionWebhooks = false } = policy;",
        replace: 'return undefined;\n' + "  const { allowedGroups = ['*'], allowConversionWebhooks = false } = policy;",
      },
    ],
  },
  {
    name: 'crd-written-each-time',
    foundBy: { tests: ['packages/konnector/servicebinding/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/decide-crd.ts',
        find: "if (sameCrdSpec(crd.full.spec, wanted.spec)) return { kind: 'inStep', name, wanted, live: read };",
        replace: '',
      },
    ],
  },
  {
    name: 'crd-changes-unjudged',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/schema-gate.ts',
        find: 'const verdict = judge({ before: live.spec, after: wanted.spec, ...terms });',
        replace:
          'return undefined;\n' + '  const verdict = judge({ before: live.spec, after: wanted.spec, ...terms });',
      },
    ],
  },
  {
    name: 'R10',
    foundBy: { tests: ['packages/konnector/servicebinding/src/servicebinding.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/binding-caches.ts',
        find: 'return this.#connection.bindings.has(binding);',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'R33',
    foundBy: { tests: ['packages/konnector/servicebindingbundle/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebindingbundle/src/decide.ts',
        find:
          "if (exports.exports.length === 0) problems.push(kept(name, 'the provider exports nothing at all any more.'));\n" +
          "        else actions.push({ kind: 'delete', binding });",
        replace: "actions.push({ kind: 'delete', binding });",
      },
    ],
  },
  {
    name: 'bundle-takes-bindings',
    foundBy: { seed: 6 },
    edits: [
      {
        file: 'packages/konnector/servicebindingbundle/src/decide.ts',
        find:
          'return (metadata.ownerReferences ?? []).some(\n' +
          "    (owner) => owner.kind === 'APIServiceBindingBundle' && owner.apiVersion.split('/', 1)[0] === apiGroup && owner.name === bundle.metadata.name && owner.uid === bundle.metadata.uid,\n" +
          '  );',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'unreadable-exports-withdrawn',
    foundBy: { seed: 7 },
    edits: [
      {
        file: 'packages/konnector/servicebindingbundle/src/decide.ts',
        find: "if (exports.kind === 'unreadable') return { actions: [], problems",
        replace:
          "if (exports.kind === 'unreadable') return { actions: [...bindings.values()].filter((binding) => isOwned(binding, bundle)).map((binding) => ({ kind: 'delete', binding })), problems",
      },
    ],
  },
  {
    name: 'withdrawn-export-bound',
    foundBy: { seed: 6 },
    edits: [
      {
        file: 'packages/konnector/servicebindingbundle/src/decide.ts',
        find: "else actions.push({ kind: 'delete', binding });",
        replace: '',
      },
    ],
  },
  {
    name: 'R24',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = copy !== undefined && (consumer === undefined || (consumer.metadata.deletionTimestamp !== undefined && right.actions.some(({ type }) => type === 'removeFinalizer'))) ? { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'R25',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = { ...right, actions: right.actions.map((action) => (action.type === 'patchCopy' ? { ...action, remove: [] } : action)) };",
      },
    ],
  },
  {
    name: 'copy-without-finalizer',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = { ...right, actions: right.actions.filter(({ type }) => type !== 'addFinalizer') };",
      },
    ],
  },
  {
    name: 'defaults-fought',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = consumer !== undefined && copy !== undefined && right.verdict.kind === 'inStep' && !equal(consumer['spec'], copy['spec'])\n" +
          "    ? { actions: [{ type: 'patchCopy', copy, wanted: wantedOf(consumer), wantedHash: contentHash(wantedOf(consumer), settings.policy ?? defaultPolicy), remove: [], correction: false, wrong: [['spec']], partly: false, annotations: {} }], verdict: progressing('write') }\n" +
          '    : right;',
      },
    ],
  },
  {
    name: 'delete-on-cache-absence',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = right.verdict.kind === 'orphan' && copy !== undefined ? { actions: copy.metadata.deletionTimestamp === undefined ? [{ type: 'deleteCopy', copy }] : [], verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'deletion-unproven',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = consumer !== undefined && right.actions.some(({ type }) => type === 'proveDeletion') && copy !== undefined && copy.metadata.deletionTimestamp === undefined ? { actions: [{ type: 'deleteCopy', copy }], verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'drift-kept',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const patch = right.actions.find((action) => action.type === 'patchCopy');\n" +
          "  const decision: Decision = patch !== undefined && copy?.metadata.annotations?.[WANTED_HASH] === patch.wantedHash ? { actions: right.actions.filter(({ type }) => type !== 'patchCopy'), verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'finalizer-released-early',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'], seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = consumer?.metadata.deletionTimestamp !== undefined && copy?.metadata.deletionTimestamp !== undefined && right.actions.length === 0 ? { actions: [{ type: 'removeFinalizer', consumer }], verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'namespace-polled',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = right.verdict.kind === 'progressing' && right.verdict.waitingFor === 'namespace' && right.actions.length === 0 ? { ...right, requeueAfterMs: 1_000 } : right;",
      },
    ],
  },
  {
    name: 'status-written-once',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = consumer?.['status'] === undefined ? right : { ...right, actions: right.actions.filter(({ type }) => type !== 'writeStatus') };",
      },
    ],
  },
  {
    name: 'uid-never-compared',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/rough-edges.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: 'const decision = decideUnpaused(observed, settings);',
        replace:
          'const right = decideUnpaused(observed, settings);\n' +
          '  const { consumer, copy } = observed;\n' +
          "  const decision: Decision = consumer !== undefined && copy !== undefined && right.actions.some((action) => action.type === 'patchCopy' && 'kube-bind.io/consumer-uid' in action.annotations) ? { actions: [{ type: 'writeStatus', consumer, copy }], verdict: progressing('write') } : right;",
      },
    ],
  },
  {
    name: 'inherited-marks-believed',
    foundBy: { seed: 3 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/ownership.ts',
        find: 'const name = annotations[CONSUMER_OBJECT];',
        replace: "return { kind: 'ours', isNamed: true };\n" + '  const name = annotations[CONSUMER_OBJECT];',
      },
    ],
  },
  {
    name: 'R35',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/service-namespaces.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/service-namespaces.ts',
        find: 'if (object === undefined || !lacks(object, owner)) return undefined;',
        replace: 'return undefined;',
      },
      {
        file: 'packages/konnector/konnector-sync/src/service-namespaces.ts',
        find: 'const key = shareKey(consumerNamespace, owner);',
        replace: 'return;\n' + '      const key = shareKey(consumerNamespace, owner);',
      },
    ],
  },
  {
    name: 'status-of-former-copy',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/sync-role.ts',
        find: 'const copy = copyKey === undefined ? undefined : copies.get(copyKey);',
        replace:
          'const own = this as unknown as { firstCopies?: Map<string, UnstructuredObject> };\n' +
          '    const firstCopies = (own.firstCopies ??= new Map<string, UnstructuredObject>());\n' +
          '    const present = copyKey === undefined ? undefined : copies.get(copyKey);\n' +
          '    if (present !== undefined && !firstCopies.has(key)) firstCopies.set(key, present);\n' +
          '    const first = firstCopies.get(key);\n' +
          "    const copy = present === undefined || first === undefined || first.metadata.uid === present.metadata.uid ? present : { ...present, status: first['status'] };",
      },
    ],
  },
  {
    name: 'finalizers-kept-on-unbinding',
    foundBy: { seed: 1 },
    edits: [
      {
        file: 'packages/konnector/unbinding/src/release-objects.ts',
        find: 'let released = 0;',
        replace: 'return 0;\n' + '  let released = 0;',
      },
    ],
  },
  {
    name: 'proof-without-crd',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/deletion-prover.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: "if (crd === undefined || (crd.metadata.deletionTimestamp !== undefined && !withCrd)) return { kind: 'crdTerminating' };",
        replace: '',
      },
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: "return isOwnedByBinding(crd, { apiVersion: binding.apiVersion, metadata: binding }) ? { kind: 'byUser' } : { kind: 'crdForeign' };",
        replace: "return { kind: 'byUser' };",
      },
    ],
  },
  {
    name: 'proof-with-foreign-crd',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/deletion-prover.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: "return isOwnedByBinding(crd, { apiVersion: binding.apiVersion, metadata: binding }) ? { kind: 'byUser' } : { kind: 'crdForeign' };",
        replace: "return { kind: 'byUser' };",
      },
    ],
  },
  {
    name: 'proof-by-binding-of-same-name',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/deletion-prover.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: 'if (liveBinding?.metadata.uid !== binding.uid) return',
        replace: 'if (liveBinding === undefined) return',
      },
    ],
  },
  {
    name: 'proof-read-before-it-was-asked',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/deletion-prover.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: 'next ??= running.then',
        replace: 'next ??= Promise.resolve(running) ?? running.then',
      },
    ],
  },
  {
    name: 'malformed-cluster-binding-is-read',
    foundBy: { tests: ['packages/konnector/clusterbinding/src/malformed.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/clusterbinding/src/observe.ts',
        find: '  if (malformed !== undefined) return',
        replace: "  if (malformed !== undefined && malformed.path === 'none') return",
      },
    ],
  },
  {
    name: 'malformed-label-selector-is-read',
    foundBy: { tests: ['tools/fuzz.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/claim.ts',
        find: '  if (!isListOfObjects(matchExpressions)) return undefined;\n',
        replace: '  if (!isListOfObjects([])) return undefined;\n',
      },
    ],
  },
  {
    name: 'outage-of-webhook-outlived',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/outage-of-webhook.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-engine.ts',
        find: "isApiError(error, 'InternalError') ? { id: steps.endpointOf(action) } : missingRight(",
        replace: "isApiError(error, 'InternalError') ? undefined : missingRight(",
      },
    ],
  },
  {
    name: 'report-outlives-outage',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/binding-reports.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/binding-reports.ts',
        find: 'recoveries: [consumer.client.recovery]',
        replace: 'recoveries: []',
      },
    ],
  },
  {
    name: 'right-not-noticed',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/missing-right.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-engine.ts',
        find: '{ id: steps.endpointOf(action) } : missingRight(',
        replace: '{ id: steps.endpointOf(action) } : isApiError(error) ? undefined : missingRight(',
      },
    ],
  },
  {
    name: 'claims-right-not-noticed',
    foundBy: { tests: ['packages/konnector/claimedresources/src/retries.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/claim-role.ts',
        find: 'clientOf: (_, error) => options.clients[refusingSide(error)]',
        replace:
          "clientOf: (_, error) => options.clients[refusingSide(error) === 'consumer' ? 'provider' : 'consumer']",
      },
    ],
  },
  {
    name: 'claims-log-too-early-a-retry',
    foundBy: { tests: ['packages/konnector/claimedresources/src/retries.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-engine.ts',
        find: 'return at === undefined ? undefined : at - this.#options.clock.now();',
        replace: 'return at === undefined ? undefined : Math.min(0, at - this.#options.clock.now());',
      },
    ],
  },
  {
    name: 'claims-agreed-to-in-silence',
    foundBy: { tests: ['packages/cli/bind/src/plan.test.ts'] },
    edits: [
      {
        file: 'packages/cli/bind/src/step-text.ts',
        find: "step.agreesTo === undefined ? '' : agreementText(step.agreesTo)",
        replace:
          "step.agreesTo !== undefined ? '' : agreementText({ provider: { server: '', clusterNamespace: '' }, claims: [] }).slice(0, 0)",
      },
    ],
  },
  {
    name: 'next-try-untold',
    foundBy: { tests: ['packages/cli/konnector-explain/src/explain.integration.test.ts'] },
    edits: [
      {
        file: 'packages/cli/konnector-explain/src/object-report.ts',
        find: 'return next === undefined ? message : `${sentence(message)} ${next}`;',
        replace: 'return next === undefined ? message : `${sentence(message)}`;',
      },
    ],
  },
  {
    name: 'event-believed-after-its-cause',
    foundBy: { tests: ['packages/cli/konnector-explain/src/explain.integration.test.ts'] },
    edits: [
      {
        file: 'packages/cli/konnector-explain/src/object-report.ts',
        find: '  if (accepted !== undefined) {',
        replace: "  if (accepted !== undefined && accepted === '') {",
      },
    ],
  },
  {
    name: 'hold-released-unnoticed',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/held-release.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/running-exports.ts',
        find: "reason === 'SchemaChangeHeld')) sync.recheck();",
        replace: "reason === 'SchemaChangeHeld')) sync.size;",
      },
    ],
  },
  {
    name: 'claims-overwrite-copies-of-another-cluster',
    foundBy: { tests: ['packages/konnector/claimedresources/src/another-cluster.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/origin.ts',
        find: "!formerClustersFor(observed, policies).includes(identity) ? 'otherCluster' : 'unknown'",
        replace:
          "!formerClustersFor(observed, policies).includes(identity) && identity === '' ? 'otherCluster' : 'unknown'",
      },
    ],
  },
  {
    name: 'former-clusters-of-claims-ignored',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/policies.ts',
        find: 'policies.get(binding)?.formerClusters ?? []',
        replace: 'policies.get(binding)?.formerClusters?.slice(0, 0) ?? []',
      },
    ],
  },
  {
    name: 'adopt-untold-for-claims',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-conflict.ts',
        find: 'isAdoptable(pair[side], marks, side) ? observed.claimedBy[owner] : []',
        replace: 'isAdoptable(pair[side], marks, side) ? observed.claimedBy[owner].slice(0, 0) : []',
      },
    ],
  },
  {
    name: 'malformed-export-unseen',
    foundBy: { tests: ['packages/konnector/servicebinding/src/malformed.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/observe.ts',
        find: "const problem = found === undefined ? undefined : malformation('APIServiceExport', found);",
        replace:
          "const problem = found === undefined || found.kind !== '' ? undefined : malformation('APIServiceExport', found);",
      },
    ],
  },
  {
    name: 'unbound-export-not-asked-for',
    foundBy: { seed: 15 },
    edits: [
      {
        file: 'packages/cli/bind/src/plan.ts',
        find: '  return recorded === undefined ? isWithdrawn(metadata) && request === undefined : request?.metadata.uid !== recorded;',
        replace: "  return recorded === 'never' && isWithdrawn(metadata) && request?.metadata.uid !== recorded;",
      },
    ],
  },
  {
    name: 'asked-again-without-claims',
    foundBy: { seed: 2 },
    edits: [
      {
        file: 'packages/cli/bind/src/plan.ts',
        find: 'spec: existing === undefined ? wanted : sameAs(existing, wanted) } }];',
        replace:
          'spec: existing === undefined || sameAs(existing, wanted).resources.length >= 0 ? wanted : sameAs(existing, wanted) } }];',
      },
    ],
  },
  {
    name: 'crd-deletion-passed-on',
    foundBy: { seed: 15 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/deletion-prover.ts',
        find: "  if (crd === undefined || (crd.metadata.deletionTimestamp !== undefined && !withCrd)) return { kind: 'crdTerminating' };",
        replace: "  if (crd === undefined) return { kind: 'crdTerminating' };",
      },
    ],
  },
  {
    name: 'ready-before-it-is-known',
    foundBy: { tests: ['packages/api/kube-bind/src/conditions/merge.test.ts'], seed: 6 },
    edits: [
      {
        file: 'packages/api/kube-bind/src/conditions/summary.ts',
        find: "const isEarly = !hasCondition(conditions, last) && summary(conditions)?.status === 'True';",
        replace: 'const isEarly = false;',
      },
    ],
  },
  {
    name: 'standstill-untold',
    foundBy: { seed: 36 },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-loop.ts',
        find: 'if (undone !== undefined && undone.problem === undefined) {',
        replace: 'if (undone !== undefined && undone.problem !== undefined) {',
      },
    ],
  },
  {
    name: 'kubeconfig-of-another-provider-overwritten',
    foundBy: { tests: ['packages/konnector/clusterbinding/src/clusterbinding.integration.test.ts'], seed: 17 },
    edits: [
      {
        file: 'packages/konnector/clusterbinding/src/observe.ts',
        find: 'destinations.isOtherDestination(value) ? [key] : []',
        replace: "destinations.isOtherDestination('') ? [key] : []",
      },
    ],
  },
  {
    name: 'admission-with-metadata-unseen',
    foundBy: { seed: 5 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/act.ts',
        find: 'if (answer.metadata.generation === object.metadata.generation && object.metadata.generation !== undefined) {',
        replace: 'if (answer.metadata.generation !== undefined) {',
      },
    ],
  },
  {
    name: 'deep-object-untold',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/sync.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/problem-of.ts',
        find: '  if (isTooDeep(error)) {',
        replace: '  if (isTooDeep(error)) return undefined;\n' + '  if (isTooDeep(error)) {',
      },
    ],
  },
  {
    name: 'other-provider-unnoticed',
    foundBy: { tests: ['packages/konnector/clusterbinding/src/destinations.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/clusterbinding/src/destinations.ts',
        find: 'destination !== undefined && destination !== connectionDestination(connection.config, connection.clusterNamespace) && ![...handedOut.values()].includes(destination)',
        replace: "destination === ''",
      },
    ],
  },
  {
    name: 'namespace-without-its-export',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide.ts',
        find: "return namespace !== undefined && (namespaceUnshared === 'ours' ||",
        replace: "return namespace !== undefined && writes && (namespaceUnshared === 'ours' ||",
      },
    ],
  },
  {
    name: 'conflict-over-owners-swallowed',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/service-namespaces.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/service-namespaces.ts',
        find: "if (!isApiError(error, 'Conflict') || attempt >= SHARE_ATTEMPTS) throw error;",
        replace: "if (isApiError(error, 'Conflict')) return;\n" + '        if (attempt >= SHARE_ATTEMPTS) throw error;',
      },
    ],
  },
  {
    name: 'copies-of-another-cluster-taken',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/inherited-marks.test.ts'], seed: 9 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/ownership.ts',
        find: "if (cluster !== '' && consumerCluster !== '' && cluster !== consumerCluster && policy?.formerClusters?.includes(cluster) !== true) return foreign({ kind: 'cluster', uid: cluster });",
        replace: '',
      },
    ],
  },
  {
    name: 'missing-exports-deleted',
    foundBy: { tests: ['packages/konnector/servicebindingbundle/src/servicebindingbundle.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebindingbundle/src/withdrawals.ts',
        find: "const why = witnessed.has(name) ? 'many' : 'unseen';",
        replace: "const why: Hold['why'] = 'many';",
      },
    ],
  },
  {
    name: 'missing-originals-unbounded',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-copy-alone.ts',
        find: "if (leftMs === 0 && deletion === 'allowed') return undefined;",
        replace: 'if (leftMs === 0) return undefined;',
      },
    ],
  },
  {
    name: 'removed-annotation-stays-beside-null',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/copy-patch.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/copy-patch.ts',
        find: '.filter(([key]) => !isCarriedAnnotation(key)));\n' + '    return',
        replace: '.filter(() => true));\n' + '    return',
      },
    ],
  },
  {
    name: 'consent-from-the-export',
    foundBy: { seed: 18 },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/claim-consent.ts',
        find: 'const isAccepted = (claim: PermissionClaim): boolean => record.has(claimId(claim));',
        replace: 'const isAccepted = (): boolean => true;',
      },
      {
        file: 'packages/konnector/claimedresources/src/claimedresources.ts',
        find: 'return record === undefined ? claims : claims.filter((claim) => record.has(claimId(claim)));',
        replace: 'return record === undefined || record.size >= 0 ? claims : [];',
      },
    ],
  },
  {
    name: 'consent-from-what-the-provider-says',
    foundBy: { tests: ['packages/konnector/servicebinding/src/claim-consent.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/claim-consent.ts',
        find: 'const isNew = known === undefined && !hasMetExport(binding);',
        replace: 'const isNew = (binding.status?.boundSchemas ?? []).length === 0;',
      },
      {
        file: 'packages/konnector/servicebinding/src/claim-consent.ts',
        find: 'const base = known ?? (isNew ? ids(',
        replace: 'const base = (isNew ? undefined : known) ?? (isNew ? ids(',
      },
    ],
  },
  {
    name: 'claims-land-anywhere',
    foundBy: { tests: ['packages/konnector/claimedresources/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
        find: "if ((copy === undefined || adopting) && owner === 'provider' && observed.landing === 'closed') return closedNamespace(observed);",
        replace: '',
      },
    ],
  },
  {
    name: 'brought-objects-open-namespaces',
    foundBy: { tests: ['packages/konnector/claimedresources/src/landing.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/landing.ts',
        find: 'return annotations?.[hawserAnnotations.adoptedFrom] === undefined;',
        replace: "return annotations?.[hawserAnnotations.adoptedFrom] !== '';",
      },
    ],
  },
  {
    name: 'schema-reports-fought-over',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/provider-reports.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/act-report.ts',
        find: 'this.#contest.waits(key, text)',
        replace: '0',
      },
    ],
  },
  {
    name: 'refused-note-forgiven',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/progress.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-reports.ts',
        find: 'const standing = this.#failures.standing(key, actions);',
        replace:
          "const standing = undefined as ReturnType<Failures<T['action']>['standing']>;\n" +
          '        this.#failures.gone(key);',
      },
    ],
  },
  {
    name: 'undone-claims-untold',
    foundBy: { tests: ['packages/konnector/claimedresources/src/progress.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/pair/src/pair-reports.ts',
        find: 'else this.report(key, observed, standing.problem);',
        replace: 'else this.#problems.clear(key);',
      },
    ],
  },
  {
    name: 'lost-namespace-polled',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/lost-namespace.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-deletion.ts',
        find: 'if (found === undefined || now - found.at >= LOOK_AGAIN_MS) return',
        replace: 'if (found?.copy.metadata.deletionTimestamp === undefined || now - found.at >= 0) return',
      },
    ],
  },
  {
    name: 'lost-namespace-not-asked-for',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-deletion.ts',
        find: "if (since === undefined) return { actions: [{ type: 'requestNamespace', consumerNamespace }], verdict: progressing('namespace') };",
        replace: "if (since === undefined) return waiting('namespace');",
      },
    ],
  },
  {
    name: 'pin-of-predecessor-kept',
    foundBy: { tests: ['packages/konnector/konnector-main/src/konnector-main.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-main/src/bundles.ts',
        find: '      gone(metadata.name);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'konnector-waits-out-outages',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/outage.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/sync.ts',
        find: '      recoveries: [consumer.client.recovery, provider.client.recovery],\n',
        replace: '',
      },
    ],
  },
  {
    name: 'claims-wait-out-outages',
    foundBy: { tests: ['packages/konnector/claimedresources/src/retries.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/claim-sync.ts',
        find: '      recoveries: [consumer.client.recovery, provider.client.recovery],\n',
        replace: '',
      },
    ],
  },
  {
    name: 'claimed-copies-gone-with-their-namespace',
    foundBy: { tests: ['packages/konnector/namespacelifecycle/src/namespacelifecycle.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/namespacelifecycle/src/proof.ts',
        find: 'for (const resource of await claimed()) {',
        replace: 'for (const resource of (await claimed()).slice(0, 0)) {',
      },
    ],
  },
  {
    name: 'crd-decided-before-objects-were-read',
    foundBy: { tests: ['packages/konnector/servicebinding/src/long-check.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/servicebinding/src/binding-observer.ts',
        find: 'if (readings.takeReads() === 0) return',
        replace: 'if (readings.takeReads() < 100) return',
      },
    ],
  },
  {
    name: 'claims-without-their-namespace',
    foundBy: { tests: ['packages/konnector/claimedresources/src/shared-namespace.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/claimedresources/src/decide-in-step.ts',
        find: "if (copy !== undefined && observed.unshared !== undefined) return write({ type: 'shareNamespace', consumerNamespace, binding: observed.unshared });",
        replace: '',
      },
    ],
  },
  {
    name: 'age-of-crd-is-news',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/export-status.test.ts'], seed: 9 },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/export-status.ts',
        find: 'if (before !== undefined && equal(',
        replace: "if (before !== undefined && before.type === '' && equal(",
      },
    ],
  },
  {
    name: 'unbinding-told-against-another-cluster',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/provider-reports.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/provider-reports.ts',
        find: 'binding === undefined ? this.#allowanceWithoutBinding(name) : this.#budget',
        replace: 'binding === undefined ? this.#budget : this.#budget',
      },
    ],
  },
  {
    name: 'controllers-wait-out-outages',
    foundBy: { tests: ['packages/runtime/controller/src/create-controller.test.ts'] },
    edits: [
      {
        file: 'packages/runtime/controller/src/controller-scope.ts',
        find: '      recoveries: clients.map(({ recovery }) => recovery),\n',
        replace: '',
      },
    ],
  },
  {
    name: 'missing-right-hidden-by-another-problem',
    foundBy: { tests: ['packages/konnector/apiserviceexport/src/objects-in-sync.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/apiserviceexport/src/objects-in-sync.ts',
        find: "all.find(({ reason }) => reason === 'ForbiddenByProvider') ?? all[0]",
        replace: 'all[0]',
      },
    ],
  },
  {
    name: 'one-missing-role-told-twice',
    foundBy: { tests: ['packages/cli/konnector-explain/src/examine.integration.test.ts'] },
    edits: [
      {
        file: 'packages/cli/konnector-explain/src/examine-rights.ts',
        find: '  if (cause !== undefined) return',
        replace: "  if (cause === '') return",
      },
    ],
  },
  {
    name: 'later-object-unseen',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/decide.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-deletion.ts',
        find: 'if ((isFormer || observed.isConsumerDoubtful === true) &&',
        replace: 'if (observed.isConsumerDoubtful === true &&',
      },
    ],
  },
  {
    name: 'undone-deletion-believed',
    foundBy: {
      tests: ['packages/konnector/konnector-sync/src/restored-consumer.test.ts'],
      regression: 'undone-deletion-passed-on',
    },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-deletion.ts',
        find: 'observed.isConsumerDoubtful === true',
        replace: 'observed.isConsumerDoubtful === null',
      },
    ],
  },
  {
    name: 'broken-open-before-recorded',
    foundBy: { tests: ['packages/konnector/unbinding/src/broken-open.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/unbinding/src/finalizer-release.ts',
        find: '(holdsObjects(binding.metadata) || awaitsRecord(binding.metadata))',
        replace: 'holdsObjects(binding.metadata)',
      },
    ],
  },
];
