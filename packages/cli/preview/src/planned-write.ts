import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';

/** A write that is due. `Side` names its target. */
export interface PlannedWrite<Side = string> {
  readonly side: Side;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly subresource?: string | undefined;
  /** The current object; absent if it does not exist, or was not read. */
  readonly before?: UnstructuredObject | undefined;
  /** The object after the write: from the server's answer to a dry run, else as far as known without it. */
  readonly after?: UnstructuredObject | undefined;
  /** A pause or a policy holds the write. */
  readonly withheld?: true;
}
