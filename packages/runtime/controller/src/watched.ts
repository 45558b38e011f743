import { ControllerError } from './controller-error.js';
import { type KubeObject, apiVersionOf, commitStatus, keyOf, statusPatch } from '@hawser/client';
import type { InformerHandle, InformerSpec } from '@hawser/informer';
import type { EventMessage, ObjectReference } from '@hawser/telemetry';
import type { Cluster, ControllerContext } from './controller.js';
import type { Subject } from './reconciler.js';
import { writesUndone } from './writes-undone.js';

/** Selects what to watch. */
export interface WatchSpec extends InformerSpec {
  /** Kind for Events: a metadata cache does not know it. */
  readonly kind: string;
  /** apiVersion for Events, where the client shows objects as those of another API. Default: that of the resource. */
  readonly apiVersion?: string | undefined;
}

/** Status type of a kind; any fields if the kind declares none. */
export type WatchedStatus<T> = T extends { readonly status?: infer Status }
  ? NonNullable<Status>
  : Readonly<Record<string, unknown>>;

/** A watched cache with writes. It takes in the answer of each write, so the next read sees it. */
export interface Watched<T extends KubeObject> extends InformerHandle<T> {
  /** Subject for Events of a key about the object. Undefined for undefined. */
  about(object: KubeObject | undefined): Subject | undefined;
  /**
   * Records one Event about the object at once. Only for things that have happened; a decision reports lasting states.
   */
  recordEvent(object: KubeObject, event: EventMessage): void;
  create(object: KubeObject, signal: AbortSignal): Promise<T>;
  /**
   * Sends a JSON merge patch. Fails with `Conflict` if the object has changed since it was observed, or was recreated.
   */
  patch(object: T, change: object, signal: AbortSignal): Promise<T>;
  /**
   * Writes the changes of `mutate` to the status, and nothing else. After a conflict `mutate` sees the newest object.
   * Resolves to whether it wrote. If so, records `events` about the new status, even if the answer lacks it. Default:
   * none.
   * @throws ControllerError `ObjectGone`, which ends the run of the key; `StatusUndone` where the answer lacks what was
   * written, which fails it, with an Event
   */
  commitStatus(
    object: T,
    mutate: (status: WatchedStatus<T>, object: T) => WatchedStatus<T>,
    signal: AbortSignal,
    events?: readonly EventMessage[],
  ): Promise<boolean>;
}

/** Adds the writes of {@link Watched} to a share in an informer. */
export function watched<T extends KubeObject>(
  handle: InformerHandle<T>,
  { client, events }: Cluster,
  { kind, resource, apiVersion = apiVersionOf(resource), projection }: WatchSpec,
  { clock, random }: Pick<ControllerContext, 'clock' | 'random'>,
  fieldManager: () => string,
): Watched<T> {
  const regarding = ({ metadata: { name, namespace, uid } }: KubeObject): ObjectReference => ({
    apiVersion,
    kind,
    name,
    namespace,
    uid,
  });
  const taken = (written: T): T => {
    handle.observe(written);
    return written;
  };
  return Object.assign(handle, {
    about(object: KubeObject | undefined): Subject | undefined {
      return object === undefined ? undefined : { regarding: regarding(object), events };
    },
    recordEvent(object: KubeObject, event: EventMessage): void {
      events.record(regarding(object), event);
    },
    async create(object: KubeObject, signal: AbortSignal): Promise<T> {
      return taken(
        await client.create<T>(resource, object, { fieldManager: fieldManager(), representation: projection, signal }),
      );
    },
    async patch(object: T, change: { readonly metadata?: object }, signal: AbortSignal): Promise<T> {
      const { uid, resourceVersion } = object.metadata;
      const patch = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
      return taken(
        await client.patch<T>(
          resource,
          keyOf(object),
          { type: 'merge', patch },
          { fieldManager: fieldManager(), representation: projection, signal },
        ),
      );
    },
    async commitStatus(
      object: T,
      mutate: (status: WatchedStatus<T>, object: T) => WatchedStatus<T>,
      signal: AbortSignal,
      announcements: readonly EventMessage[] = [],
    ): Promise<boolean> {
      const change = (status: object, current: KubeObject): object => mutate(status as WatchedStatus<T>, current as T);
      const written = await commitStatus<KubeObject & { readonly status?: object }>(client, resource, object, change, {
        clock,
        random,
        signal,
      });
      // The cache shows it until the deletion arrives: another look would write again.
      if (written === undefined) throw new ControllerError('ObjectGone', kind);
      if (written === object) return false;
      handle.observe(written as T);
      for (const event of announcements) events.record(regarding(object), event);
      const status = written.status ?? {};
      const lacking = Object.keys(statusPatch(status, change(status, written)) ?? {});
      if (lacking.length > 0) {
        events.record(
          regarding(written),
          writesUndone(
            'the status',
            lacking.map((field) => `status.${field}`),
          ),
        );
        throw new ControllerError('StatusUndone', kind);
      }
      return true;
    },
  });
}
