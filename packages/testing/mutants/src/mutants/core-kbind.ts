import type { Mutant } from '../mutant.js';

/** In the code that serves `core.kbind.io`. */
export const coreKbindMutants: readonly Mutant[] = [
  {
    name: 'kbind-provider-pin-ignored',
    foundBy: { coreKbindSeed: 1 },
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
];
