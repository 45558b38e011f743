import type { JsonObject } from '@hawser/json';

/** One stored object at one revision. Immutable. */
export interface Entry {
  /** All objects of one resource, of all clusters and namespaces. */
  readonly bucket: string;
  /** Sorts within the bucket: `namespace/name`, or `name`. */
  readonly key: string;
  /** In the storage version, with `metadata.resourceVersion`. */
  readonly object: JsonObject;
  readonly revision: number;
  /** Revision at which the key was created. */
  readonly createRevision: number;
}

/** A change at one revision. */
export type Change =
  | { readonly type: 'ADDED'; readonly revision: number; readonly entry: Entry; readonly previous: undefined }
  | { readonly type: 'MODIFIED'; readonly revision: number; readonly entry: Entry; readonly previous: Entry }
  /** `entry` is the last state, with the resourceVersion of the deletion. */
  | { readonly type: 'DELETED'; readonly revision: number; readonly entry: Entry; readonly previous: Entry };
