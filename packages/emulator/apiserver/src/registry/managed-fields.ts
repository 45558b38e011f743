import type { JsonObject } from '@hawser/json';
import { ApplyConflictError, ApplyError, type TrackedType, apply, update } from '../server-side-apply/index.js';
import { StatusError, applyConflict, badRequest } from '../status.js';
import type { FieldOwnership, OwnershipChange } from './field-ownership.js';

export interface OwnershipOptions {
  readonly tracked: TrackedType;
  /** Version of the requests. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** {@link FieldOwnership} through the library, with its errors as API answers. */
export class ManagedFields implements FieldOwnership {
  readonly #options: OwnershipOptions;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  update(live: JsonObject | undefined, next: JsonObject, change: OwnershipChange): JsonObject {
    const { tracked, apiVersion, subresource } = this.#options;
    return update({ tracked, apiVersion, subresource, live, updated: next, manager: change.manager, time: change.now });
  }

  apply(
    live: JsonObject | undefined,
    config: JsonObject,
    change: OwnershipChange & { readonly force: boolean },
  ): JsonObject {
    const { tracked, apiVersion, kind, subresource } = this.#options;
    try {
      return apply({
        tracked,
        apiVersion,
        kind,
        subresource,
        live,
        applied: config,
        manager: change.manager,
        time: change.now,
        force: change.force,
      });
    } catch (error) {
      if (error instanceof ApplyConflictError) throw applyConflict(error.causes, error.message);
      if (error instanceof ApplyError)
        throw error.status === 400 ? badRequest(error.message) : new StatusError(500, '', error.message);
      throw error;
    }
  }
}
