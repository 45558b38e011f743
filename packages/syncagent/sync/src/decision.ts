import type { ObjectKey, UnstructuredObject } from '@hawser/client';
import type { Actor } from '@hawser/controller';
import type { JsonObject } from '@hawser/json';

import type { Marks } from './observed.js';

/** One step towards both sides being in step. Closed; carried out only by `act`. */
export type Action =
  | { readonly type: 'addFinalizer'; readonly source: UnstructuredObject }
  | { readonly type: 'releaseFinalizer'; readonly source: UnstructuredObject }
  | { readonly type: 'create'; readonly object: UnstructuredObject }
  /** Puts our marks on an object that was nobody's. */
  | { readonly type: 'adopt'; readonly destination: UnstructuredObject; readonly marks: Pick<Marks, 'labels' | 'annotations'> }
  /** An equal object becomes the copy as it is. */
  | { readonly type: 'take'; readonly destination: UnstructuredObject }
  /** Reads live who has written an object that is remembered as the copy. */
  | { readonly type: 'confirmWritten'; readonly destination: UnstructuredObject }
  /** Asks the server, by a write that it does not keep, whether the object says what we would write, and nothing else. */
  | { readonly type: 'confirmAgreement'; readonly destination: UnstructuredObject; readonly wanted: UnstructuredObject; readonly subresources: readonly string[] }
  /** `correction`: the source has not changed; somebody else took away what is ours. */
  | { readonly type: 'patch'; readonly destination: UnstructuredObject; readonly patch: JsonObject; readonly correction: boolean }
  /** Remembers what was pushed last. */
  | { readonly type: 'storeSnapshot'; readonly snapshot: UnstructuredObject }
  /** Reads live whether a copy exists anywhere: only that proves that it is gone. */
  | { readonly type: 'confirmGone'; readonly key: ObjectKey | undefined }
  | { readonly type: 'delete'; readonly destination: UnstructuredObject }
  /** The pair is no more: forget what was pushed. */
  | { readonly type: 'forget' }
  /** `status` of the destination to the source. */
  | { readonly type: 'writeStatusBack'; readonly source: UnstructuredObject; readonly destination: UnstructuredObject; readonly status: JsonObject[string] }
  /** `status` of the source to the destination. */
  | { readonly type: 'writeStatusForward'; readonly destination: UnstructuredObject; readonly status: JsonObject[string]; /** What it was taken from. */ readonly from: UnstructuredObject };

/** How a pair stands once the actions, if any, are done. */
export type Verdict =
  /** Neither side has the object. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'inStep' }
  /** The filter leaves it out, and there is no copy of it. */
  | { readonly kind: 'notSelected' }
  /** Something of ours, or of the service cluster's controllers, is under way. */
  | { readonly kind: 'progressing'; readonly waitingFor: 'write' | 'cache' | 'copyToGo' | 'proof' | 'workspacePath' }
  /** Stays so until somebody acts. */
  | { readonly kind: 'held'; readonly reason: string; readonly message: string; readonly actor: Actor }
  /** A copy whose object in kcp is missing. Kept. */
  | { readonly kind: 'orphan'; readonly message: string };

export interface Decision {
  /** In this order. */
  readonly actions: readonly Action[];
  readonly verdict: Verdict;
  /** What would be done if it were not for a pause. For the reader: it is not carried out. */
  readonly withheld?: readonly Action[] | undefined;
  /** Look again after this many milliseconds although nothing happened. */
  readonly requeueAfterMs?: number | undefined;
}
