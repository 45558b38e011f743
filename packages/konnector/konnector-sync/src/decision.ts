import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import type { PairDecision, PairVerdict } from '@hawser/pair';

import type { Contest } from './corrections.js';
import type { Path } from './difference.js';
import type { Wanted } from './wanted.js';

/** One step that brings both sides closer to being in step. Closed; only `act` carries it out. */
export type Action =
  /** Ask the provider for a namespace for the consumer's namespace. */
  | { readonly type: 'requestNamespace'; readonly consumerNamespace: string }
  /** Make the export an owner of the APIServiceNamespace that it uses. */
  | { readonly type: 'shareNamespace'; readonly consumerNamespace: string }
  | { readonly type: 'addFinalizer'; readonly consumer: UnstructuredObject }
  | { readonly type: 'removeFinalizer'; readonly consumer: UnstructuredObject }
  /** Create an object on the consumer from one on the provider. */
  | { readonly type: 'createConsumerObject'; readonly object: UnstructuredObject }
  | { readonly type: 'createCopy'; readonly object: UnstructuredObject; readonly wantedHash: string }
  /** Read the copy live, with managedFields, to find leftover extra fields. */
  | {
      readonly type: 'inspectCopy';
      readonly key: ObjectKey;
      readonly wantedHash: string;
      readonly extras: readonly Path[];
      readonly extrasKey: string;
      /** Only extra fields differ: also check that the server would remove them. */ readonly onlyReason: boolean;
    }
  /** Read a copy without an original in its marks live, with managedFields, to check whether a konnector made it. */
  | { readonly type: 'inspectMaker'; readonly copy: UnstructuredObject }
  | {
      readonly type: 'patchCopy';
      readonly copy: UnstructuredObject;
      readonly wanted: Wanted;
      readonly wantedHash: string;
      readonly remove: readonly Path[];
      readonly annotations: Readonly<Record<string, string>>;
      readonly correction: boolean;
      /** The differing paths. */ readonly wrong: readonly Path[];
      /** Some differences stay. */ readonly partly: boolean;
    }
  /** Read the copy live, with managedFields, to name the other writers of these fields. */
  | { readonly type: 'nameWriters'; readonly key: ObjectKey; readonly contest: Contest }
  /** Record on the copy that the provider changes this content at each write. */
  | { readonly type: 'recordRewritten'; readonly copy: UnstructuredObject; readonly wantedHash: string }
  | {
      readonly type: 'deleteCopy';
      readonly copy: UnstructuredObject;
      /** No cache covers it: remember the outcome, as seen at this time. */ readonly at?: number;
      /** The object, which another sync serves: only if a live read shows the same version. */
      readonly leftBy?: UnstructuredObject;
    }
  /** Read the copy's key live: only a 404 of the server proves that it is gone. */
  | { readonly type: 'confirmGone'; readonly key: ObjectKey; /** As for `deleteCopy`. */ readonly at?: number }
  | { readonly type: 'proveDeletion' }
  /**
   * Read live an object that the cache shows as being deleted: it may be gone, and another may have its name; or a
   * backup has undone the deletion. `at`: when that was decided.
   */
  | {
      readonly type: 'confirmDeletion';
      readonly consumer: UnstructuredObject;
      readonly copy: UnstructuredObject;
      readonly at: number;
    }
  /**
   * Prove the deletion of an object that is missing, or went despite its finalizer: a live read must first show that it
   * is gone.
   */
  | { readonly type: 'proveGone'; readonly key: ObjectKey }
  | { readonly type: 'writeStatus'; readonly consumer: UnstructuredObject; readonly copy: UnstructuredObject }
  /** Note who serves the object, before anything else is written. */
  | {
      readonly type: 'recordRoute';
      readonly consumer: UnstructuredObject;
      /** Null: it goes. */
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  /** Background work: write these annotations when nothing else is to do. */
  | {
      readonly type: 'recordCopy';
      readonly consumer: UnstructuredObject;
      /** Null: remove the annotation. */ readonly annotations: Readonly<Record<string, string | null>>;
    };

/** State of a pair after its actions. `rewritten`: in step except for content that the provider keeps changing. */
export type Verdict = PairVerdict<'write' | 'namespace' | 'cache' | 'copyToGo' | 'deletionProof'>;

export type Decision = PairDecision<Action, Verdict>;
