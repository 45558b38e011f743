import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import type { PairDecision, PairVerdict } from '@hawser/pair';

import type { Marks } from './observed.js';

/** One step that brings both sides closer to being in step. Closed; only `act` carries it out. */
export type Action =
  | { readonly type: 'addFinalizer'; readonly source: UnstructuredObject }
  | { readonly type: 'releaseFinalizer'; readonly source: UnstructuredObject }
  /** Read live who set the finalizer. */
  | { readonly type: 'confirmHolder'; readonly source: UnstructuredObject }
  /** `readFirst`: another object was in the place at the last look. */
  | { readonly type: 'create'; readonly object: UnstructuredObject; readonly readFirst?: true }
  /** Put our marks on an unowned object. */
  | {
      readonly type: 'adopt';
      readonly destination: UnstructuredObject;
      readonly marks: Pick<Marks, 'labels' | 'annotations'>;
    }
  /** Take an equal object as the copy without a change. */
  | { readonly type: 'take'; readonly destination: UnstructuredObject }
  /** Read live who wrote an object that is remembered as the copy. */
  | { readonly type: 'confirmWritten'; readonly destination: UnstructuredObject }
  /** Ask the server by a trial write whether the object has exactly the content that we would write. */
  | {
      readonly type: 'confirmAgreement';
      readonly destination: UnstructuredObject;
      readonly wanted: UnstructuredObject;
      readonly subresources: readonly string[];
    }
  /** `correction`: the source is unchanged; another writer removed our content. */
  | {
      readonly type: 'patch';
      readonly destination: UnstructuredObject;
      readonly patch: JsonObject;
      readonly correction: boolean;
    }
  /** Remember the last pushed content. */
  | { readonly type: 'storeSnapshot'; readonly snapshot: UnstructuredObject }
  /** Search live for any copy: only that proves that it is gone. */
  | { readonly type: 'confirmGone'; readonly key: ObjectKey | undefined }
  | { readonly type: 'delete'; readonly destination: UnstructuredObject }
  /**
   * Read live a source that the cache shows as being deleted: it may be gone, and a later one of its name have this
   * copy; or a restored backup has undone the deletion.
   */
  | { readonly type: 'confirmDeletion'; readonly destination: UnstructuredObject | undefined }
  /** The pair is gone: forget the pushed content. */
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
      /** The object that it was taken from. */ readonly from: UnstructuredObject;
    };

/** State of a pair after its actions. `notSelected`: the filter excludes it, and it has no copy. */
export type Verdict = Exclude<
  PairVerdict<'write' | 'cache' | 'copyToGo' | 'proof' | 'workspacePath'>,
  { kind: 'rewritten' }
>;

export type Decision = PairDecision<Action, Verdict>;
