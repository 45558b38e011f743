import type { FieldSet } from './field-set.js';

/** What one manager owns, seen in one version of the object. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** By apply, so that what is applied no longer is taken away. */
  readonly applied: boolean;
}

/** By identity of the manager (see `managerIdentity`). */
export type Managers = ReadonlyMap<string, VersionedSet>;
