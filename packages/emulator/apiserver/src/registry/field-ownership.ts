import type { JsonObject } from '@hawser/json';

export interface OwnershipChange {
  readonly manager: string;
  readonly now: string;
}

/** Field ownership (`metadata.managedFields`) for one version of a type, and one of its subresources. */
export interface FieldOwnership {
  /**
   * The new object with its managedFields after a create, update or patch by `manager`. `live` is undefined on create.
   */
  update(live: JsonObject | undefined, next: JsonObject, change: OwnershipChange): JsonObject;
  /** Server-side apply: merges `config` into the live object. Throws the 409 of conflicts. */
  apply(
    live: JsonObject | undefined,
    config: JsonObject,
    change: OwnershipChange & { readonly force: boolean },
  ): JsonObject;
}
