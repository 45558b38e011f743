import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import type { PairDecision, PairVerdict } from '@hawser/pair';

import type { Marks } from './observed.js';

/** One step towards both sides being in step. Closed; carried out only by `act`. */
export type Action =
  | { readonly type: 'addFinalizer'; readonly source: UnstructuredObject }
  | { readonly type: 'releaseFinalizer'; readonly source: UnstructuredObject }
  /** Reads live who has set the finalizer. */
  | { readonly type: 'confirmHolder'; readonly source: UnstructuredObject }
  /** `readFirst`: something stood in the place at the last look. */
  | { readonly type: 'create'; readonly object: UnstructuredObject; readonly readFirst?: true }
  /** Puts our marks on an object that was nobody's. */
  | {
      readonly type: 'adopt';
      readonly destination: UnstructuredObject;
      readonly marks: Pick<Marks, 'labels' | 'annotations'>;
    }
  /** An equal object becomes the copy as it is. */
  | { readonly type: 'take'; readonly destination: UnstructuredObject }
  /** Reads live who has written an object that is remembered as the copy. */
  | { readonly type: 'confirmWritten'; readonly destination: UnstructuredObject }
  /** Asks the server, by a write that it does not keep, whether the object says what we would write, and nothing else. */
  | {
      readonly type: 'confirmAgreement';
      readonly destination: UnstructuredObject;
      readonly wanted: UnstructuredObject;
      readonly subresources: readonly string[];
    }
  /** `correction`: the source has not changed; somebody else took away what is ours. */
  | {
      readonly type: 'patch';
      readonly destination: UnstructuredObject;
      readonly patch: JsonObject;
      readonly correction: boolean;
    }
  /** Remembers what was pushed last. */
  | { readonly type: 'storeSnapshot'; readonly snapshot: UnstructuredObject }
  /** Reads live whether a copy exists anywhere: only that proves that it is gone. */
  | { readonly type: 'confirmGone'; readonly key: ObjectKey | undefined }
  | { readonly type: 'delete'; readonly destination: UnstructuredObject }
  /** Reads the source live, of which the cache shows that it is deleted: it may be gone, and another one of its name have this copy. */
  | { readonly type: 'confirmDeletion'; readonly destination: UnstructuredObject }
  /** The pair is no more: forget what was pushed. */
  | { readonly type: 'forget' }
  /** `status` of the destination to the source. */
  | {
      readonly type: 'writeStatusBack';
      readonly source: UnstructuredObject;
      readonly destination: UnstructuredObject;
      readonly status: JsonObject[string];
    }
  /** `status` of the source to the destination. */
  | {
      readonly type: 'writeStatusForward';
      readonly destination: UnstructuredObject;
      readonly status: JsonObject[string];
      /** What it was taken from. */ readonly from: UnstructuredObject;
    };

/** How a pair stands once the actions, if any, are done. `notSelected`: the filter leaves it out, and there is no copy of it. */
export type Verdict = Exclude<
  PairVerdict<'write' | 'cache' | 'copyToGo' | 'proof' | 'workspacePath'>,
  { kind: 'rewritten' }
>;

export type Decision = PairDecision<Action, Verdict>;
