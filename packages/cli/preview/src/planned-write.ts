import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';

/** A write that would be sent. `Side` names where to. */
export interface PlannedWrite<Side = string> {
  readonly side: Side;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly subresource?: string | undefined;
  /** The object as it is; absent if it does not exist, or was not read. */
  readonly before?: UnstructuredObject | undefined;
  /** The object as it would be: in the server's answer to a dry run, else as far as can be told without it. */
  readonly after?: UnstructuredObject | undefined;
  /** A pause or a policy holds it back. */
  readonly withheld?: true;
}
