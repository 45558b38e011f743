import type { Mutant } from '../mutant.js';

/** In the code that serves `core.kbind.io`. */
export const coreKbindMutants: readonly Mutant[] = [
  {
    name: 'kbind-provider-pin-ignored',
    foundBy: { coreKbindSeed: 2 },
    edits: [
      {
        file: 'packages/konnector/kbind-connection/src/decide.ts',
        find: "return pinned !== undefined && pinned !== '' && identity.kind === 'known' && identity.uid !== pinned;",
        replace: 'return false;',
      },
    ],
  },
  {
    name: 'kbind-trial-without-identity',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-connection/src/decide.ts',
        find: 'if (isOtherProvider(connection, identity) || isOtherConsumer(connection, local)) return [];',
        replace: '',
      },
    ],
  },
  {
    name: 'kbind-rule-direction-swapped',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/related/rules.ts',
        find: "(direction === 'FromConsumer' ? 'consumer' : 'provider')",
        replace: "(direction === 'FromConsumer' ? 'provider' : 'consumer')",
      },
    ],
  },
  {
    name: 'kbind-related-overwrites',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/related/marks.ts',
        find: "if (binding === '') return 'none';",
        replace: "if (binding === '') return 'own';",
      },
    ],
  },
  {
    name: 'kbind-orphan-ignored',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/api/core-kbind/src/pair-dialect.ts',
        find: "return metadata.annotations?.[annotations.deletionPolicy] === 'Orphan';",
        replace: 'return false;',
      },
    ],
  },
  {
    name: 'kbind-binding-of-all-namespaces',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/decide-api.ts',
        find: 'namespace: binding.metadata.namespace,',
        replace: 'namespace: undefined,',
      },
      {
        file: 'packages/konnector/kbind-binding/src/routes.ts',
        find: 'return rules.filter((rule) => rule.namespace === undefined || rule.namespace === namespace);',
        replace: "return namespace === '' ? [] : rules;",
      },
    ],
  },
  {
    name: 'kbind-uid-of-binding-ignored',
    foundBy: { regression: 'deletion-by-the-uid-of-a-binding-before' },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/decide-api.ts',
        find: 'return a === b && equal(one, other);',
        replace: 'return a === b && equal({ ...one, bindingUID: 0 }, { ...other, bindingUID: 0 });',
      },
    ],
  },
  {
    name: 'kbind-selector-ignored',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/routes.ts',
        find: 'const selects = (rule: Rule): boolean => isSelectedBy(rule.selector, labels);',
        replace:
          'const selects = (rule: Rule): boolean => isSelectedBy(rule.selector, labels) || namespace !== undefined;',
      },
    ],
  },
  {
    name: 'kbind-overlap-is-a-race',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/coverage.ts',
        find: 'return shares && selectorsMeet(objectSelector(one), objectSelector(other));',
        replace: 'return shares && false;',
      },
    ],
  },
  {
    name: 'kbind-object-follows-its-label',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/routes.ts',
        find: "if (!isHeld({ metadata })) return chosen === undefined ? { kind: 'none' } : { kind: 'served', rule: chosen };",
        replace:
          "if (chosen !== undefined) return { kind: 'served', rule: chosen }; if (!isHeld({ metadata })) return { kind: 'none' };",
      },
    ],
  },
  {
    name: 'kbind-connection-of-object-ignored',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/routes.ts',
        find: 'const connection = named ?? installedBy ?? only;',
        replace: 'const connection = installedBy ?? only;',
      },
    ],
  },
  {
    name: 'kbind-object-without-note-served-by-default',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/object-route.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/routes.ts',
        find: 'named === undefined && only === undefined ? { isGuess: true } : {}',
        replace: '{}',
      },
    ],
  },
  {
    name: 'kbind-prepared-copy-serves-by-default',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/object-route.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/object-route.ts',
        find: 'if (doubted !== undefined &&',
        replace: 'if (doubted !== undefined && doubted.connection === "" &&',
      },
    ],
  },
  {
    name: 'kbind-copy-by-default',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/decide-route.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/routing.ts',
        find: "if (copy === undefined && memory.copyGone === undefined) return held(OBJECTS_ELSEWHERE, ifCopied, 'operator');",
        replace: '',
      },
    ],
  },
  {
    name: 'kbind-finalizer-before-note',
    foundBy: { tests: ['packages/konnector/konnector-sync/src/decide-route.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/routing.ts',
        find: 'const { note, staleMarks = [] } = servingOf(route);',
        replace: 'const { staleMarks = [] } = servingOf(route); const note = undefined as RouteNote | undefined;',
      },
    ],
  },
  {
    name: 'kbind-claim-forgets-the-holder',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/routing.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/act.ts',
        find: 'isHere ? connection : owner',
        replace: 'isHere ? owner : owner',
      },
    ],
  },
  {
    name: 'kbind-claim-believes-another-cluster',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/act.ts',
        find: 'if (!isOurs) await confirm();',
        replace: 'if (isOurs) await confirm();',
      },
    ],
  },
  {
    name: 'kbind-claim-takes-the-prepared-copy',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/restored-backup.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/act.ts',
        find: 'const isHere = !isUnfinishedAt(object, connection) &&',
        replace: 'const isHere = (!isUnfinishedAt(object, connection) || true) &&',
      },
    ],
  },
  {
    name: 'kbind-claim-without-note',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/routing.integration.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/act.ts',
        find: 'if (isHere || written',
        replace: 'if (isHere || !isHere || written',
      },
    ],
  },
  {
    name: 'kbind-marks-of-an-ended-move-stay',
    foundBy: { tests: ['packages/konnector/kbind-binding/src/object-route.test.ts'] },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/object-route.ts',
        find: 'if (!isMarked(marks) || isHeld(object)) return {};',
        replace: 'if (!isMarked(marks) || !isHeld(object)) return {};',
      },
    ],
  },
  {
    name: 'kbind-move-before-ready',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-move.ts',
        find: 'const wanted = copy !== undefined && isReady(copy, consumer) ? value : undefined;',
        replace: 'const wanted = copy !== undefined ? value : undefined;',
      },
    ],
  },
  {
    name: 'kbind-switch-before-ready',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/cli/bind/src/core-kbind/move.ts',
        find: "if (step.kind === 'switch' && live.metadata.annotations?.[moveAnnotations.ready] !== step.to) return undefined;",
        replace: '',
      },
      {
        file: 'packages/cli/bind/src/core-kbind/move.ts',
        find: '(found) => found[ready] === step.to',
        replace: '() => true',
      },
    ],
  },
  {
    name: 'kbind-prepared-copy-serves',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-move.ts',
        find: "const actions = pair.actions.filter((action) => sideOf(action) === 'provider' && action.type !== 'deleteCopy');",
        replace: "const actions = pair.actions.filter((action) => action.type !== 'deleteCopy');",
      },
    ],
  },
  {
    name: 'kbind-former-copy-stays',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/decide-move.ts',
        find: "if (isProven === undefined) return { actions: [{ type: 'inspectMaker', copy }], verdict: progressing('copyToGo') };",
        replace: 'return done();',
      },
    ],
  },
  {
    name: 'kbind-adopt-takes-marked',
    foundBy: { coreKbindSeed: 3 },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/ownership.ts',
        find: '[...marks.ofAnyCopy, ...MARKS_OF_COPIES].every((mark) => !Object.hasOwn(annotations, mark)) &&',
        replace: '',
      },
    ],
  },
  {
    name: 'kbind-crd-of-people-taken',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/decide-api.ts',
        find: 'if (owner !== connection) return waits(',
        replace: 'if (owner !== undefined && owner !== connection) return waits(',
      },
    ],
  },
  {
    name: 'kbind-foreign-crd-deleted',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/decide-end.ts',
        find: 'const isForeign = crd !== undefined && connectionOf(crd) === undefined;',
        replace: 'const isForeign = crd === undefined;',
      },
      {
        file: 'packages/konnector/kbind-binding/src/decide-end.ts',
        find: 'connectionOf(crd) === spec.connectionRef.name && crd.metadata.annotations?.[annotations.schemaHash] !== undefined',
        replace: 'spec.apis.length > 0 && crd.metadata.deletionTimestamp === undefined',
      },
    ],
  },
  {
    name: 'kbind-unbind-policy-ignored',
    foundBy: { coreKbindSeed: 1 },
    edits: [
      {
        file: 'packages/konnector/kbind-binding/src/decide-end.ts',
        find: "return policy === '' ? 'Delete' : unbindPolicyOf(binding.metadata).policy;",
        replace: "return policy === '' ? 'Delete' : 'Delete';",
      },
    ],
  },
  {
    name: 'kbind-write-before-identity',
    foundBy: { coreKbindSeed: 135480845 },
    edits: [
      {
        file: 'packages/runtime/client/src/recovery.ts',
        find: 'return this.#proof !== undefined && this.#proof.provenAt !== this.#losses;',
        replace: 'return false;',
      },
    ],
  },
  {
    name: 'kbind-former-copy-holds-unbinding',
    foundBy: { regression: 'unbound-over-the-copy-of-a-former-object' },
    edits: [
      {
        file: 'packages/konnector/konnector-sync/src/act.ts',
        find: 'const isAsked = deletionTimestamp !== undefined || consumer.metadata.deletionTimestamp === undefined;',
        replace: 'const isAsked = deletionTimestamp !== undefined;',
      },
    ],
  },
];
