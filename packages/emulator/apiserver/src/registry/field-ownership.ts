import type { JsonObject } from '@hawser/json';

export interface OwnershipChange {
  readonly manager: string;
  readonly now: string;
}

/** Who set which field (`metadata.managedFields`) for one version of a type, and one subresource of it. */
export interface FieldOwnership {
  /** The new object with the managedFields that a create, update or patch by `manager` leaves. `live` is undefined on create. */
  update(live: JsonObject | undefined, next: JsonObject, change: OwnershipChange): JsonObject;
  /** Server-side apply: merges `config` into the live object. Throws the 409 of conflicts. */
  apply(
    live: JsonObject | undefined,
    config: JsonObject,
    change: OwnershipChange & { readonly force: boolean },
  ): JsonObject;
}
