import type { FieldSet } from './field-set.js';

/** Fields of one manager, in one version of the object. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** By apply: a field that is no longer applied is removed. */
  readonly applied: boolean;
}

/** By identity of the manager (see `managerIdentity`). */
export type Managers = ReadonlyMap<string, VersionedSet>;
