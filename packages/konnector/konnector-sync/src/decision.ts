import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import type { PairDecision, PairVerdict } from '@hawser/pair';

import type { Contest } from './corrections.js';
import type { Path } from './difference.js';
import type { Wanted } from './wanted.js';

/** One step towards both sides being in step. Closed; carried out only by `act`. */
export type Action =
  /** Ask the provider for a namespace that stands for the consumer's. */
  | { readonly type: 'requestNamespace'; readonly consumerNamespace: string }
  /** Have the export become an owner of the APIServiceNamespace that it uses. */
  | { readonly type: 'shareNamespace'; readonly consumerNamespace: string }
  | { readonly type: 'addFinalizer'; readonly consumer: UnstructuredObject }
  | { readonly type: 'removeFinalizer'; readonly consumer: UnstructuredObject }
  /** On the consumer, after one that was made on the provider. */
  | { readonly type: 'createConsumerObject'; readonly object: UnstructuredObject }
  | { readonly type: 'createCopy'; readonly object: UnstructuredObject; readonly wantedHash: string }
  /** Read the copy live, with managedFields, to learn which extra fields are left over. */
  | {
      readonly type: 'inspectCopy';
      readonly key: ObjectKey;
      readonly wantedHash: string;
      readonly extras: readonly Path[];
      readonly extrasKey: string;
      /** Nothing but extra fields differs: also make sure that the server would let go of them. */ readonly onlyReason: boolean;
    }
  /** Read a copy live that does not name its original, with managedFields, to learn whether a konnector has made it. */
  | { readonly type: 'inspectMaker'; readonly copy: UnstructuredObject }
  | {
      readonly type: 'patchCopy';
      readonly copy: UnstructuredObject;
      readonly wanted: Wanted;
      readonly wantedHash: string;
      readonly remove: readonly Path[];
      readonly annotations: Readonly<Record<string, string>>;
      readonly correction: boolean;
      /** What differs. */ readonly wrong: readonly Path[];
      /** Some of what differs is left as it is. */ readonly partly: boolean;
    }
  /** Read the copy live, with managedFields, to learn who else writes these fields. */
  | { readonly type: 'nameWriters'; readonly key: ObjectKey; readonly contest: Contest }
  /** Note on the copy that the provider changes this content whenever it is written. */
  | { readonly type: 'recordRewritten'; readonly copy: UnstructuredObject; readonly wantedHash: string }
  | {
      readonly type: 'deleteCopy';
      readonly copy: UnstructuredObject;
      /** No cache has it: what becomes of it has to be remembered, as seen at this time. */ readonly at?: number;
      /** The object, which is served elsewhere: only if it is the same version when it is read live. */
      readonly leftBy?: UnstructuredObject;
    }
  /** Read the copy's key live: only a 404 of the server proves that it is gone. */
  | { readonly type: 'confirmGone'; readonly key: ObjectKey; /** As for `deleteCopy`. */ readonly at?: number }
  | { readonly type: 'proveDeletion' }
  /** Read the object live, which the cache shows as being deleted: it may be gone, and another of its name stand in its place. */
  | { readonly type: 'confirmDeletion'; readonly consumer: UnstructuredObject; readonly copy: UnstructuredObject }
  /** The same for an object that is missing, or went in spite of its finalizer: first of all it must be gone when read live. */
  | { readonly type: 'proveGone'; readonly key: ObjectKey }
  | { readonly type: 'writeStatus'; readonly consumer: UnstructuredObject; readonly copy: UnstructuredObject }
  /** Nobody waits for these annotations: done when nothing else is to do. */
  | {
      readonly type: 'recordCopy';
      readonly consumer: UnstructuredObject;
      /** Null: taken away. */ readonly annotations: Readonly<Record<string, string | null>>;
    };

/** How a pair stands once the actions, if any, are done. `rewritten`: except for content that the provider insists on changing. */
export type Verdict = PairVerdict<'write' | 'namespace' | 'cache' | 'copyToGo' | 'deletionProof'>;

export type Decision = PairDecision<Action, Verdict>;
