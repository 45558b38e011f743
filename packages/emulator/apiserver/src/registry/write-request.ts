import type { JsonObject } from '@hawser/json';
import type { UserInfo } from '../parts.js';
import type { ResourceType, ServedVersion, Strategy } from './resource-type.js';
import type { FieldOwnership } from './field-ownership.js';

/** Facts about a write that the storage needs besides the object. */
export interface WriteRequest {
  readonly type: ResourceType;
  readonly version: ServedVersion;
  readonly strategy: Strategy;
  readonly ownership: FieldOwnership;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Of the request; empty for cluster-scoped resources. */
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly manager: string;
  /** Undefined for the server's own controllers, which skip authorization. */
  readonly user: UserInfo | undefined;
  /** Sends a warning that does not fail the request. */
  warn(text: string): void;
  /** Called when an update turns out to create: throws the 403 if the user may not. */
  authorizeCreate(name: string): void;
}

export interface DeleteRequest {
  readonly type: ResourceType;
  readonly version: ServedVersion;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly policy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly orphanDependents: boolean | undefined;
}

/** Outcome of a deletion. `object` is in the version of the request. */
export type DeleteOutcome =
  | { readonly kind: 'deleted'; readonly object: JsonObject }
  /** It waits for finalizers or for its contents. */
  | { readonly kind: 'pending'; readonly object: JsonObject };
