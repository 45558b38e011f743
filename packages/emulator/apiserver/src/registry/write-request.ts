import type { JsonObject } from '@hawser/json';
import type { UserInfo } from '../parts.js';
import type { ResourceType, ServedVersion, Strategy } from './resource-type.js';
import type { FieldOwnership } from './field-ownership.js';

/** What the storage must know of a write besides the object. */
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
  /** Undefined for the server's own controllers: nothing is authorized. */
  readonly user: UserInfo | undefined;
  /** Tells the client something that does not fail the request. */
  warn(text: string): void;
  /** An update turns out to create: throws the 403 where the user may not. */
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

/** What a deletion came to. `object` is in the version of the request. */
export type DeleteOutcome =
  | { readonly kind: 'deleted'; readonly object: JsonObject }
  /** It waits: for finalizers, or for what is in it. */
  | { readonly kind: 'pending'; readonly object: JsonObject };
