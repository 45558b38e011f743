import type { Mutant } from '../mutant.js';

/** In what serves `core.kbind.io`. */
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
