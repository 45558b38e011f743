import type { ApiError, KubeObject, Resource, UnstructuredObject } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';

import { unreadable } from './unreadable.js';

/**
 * Watches objects of related types on the service cluster for changes. Keeps only metadata: the content of Secrets is
 * read one by one, and only where a rule references it.
 */
export interface ServiceWatches {
  open(resource: Resource): void;
  /** The metadata of all objects of a resource, if watched; undefined: not watched. */
  list(resource: Resource): readonly UnstructuredObject[] | undefined;
  /** Resources that cannot be watched for long, and why. */
  readonly unreadable: readonly { readonly resource: Resource; readonly error: ApiError }[];
  close(): void;
}

export function createServiceWatches(
  informers: SharedInformers,
  changed: (resource: Resource, object: KubeObject, before: KubeObject | undefined) => void,
  stateChanged: () => void,
): ServiceWatches {
  const handles = new Map<
    string,
    { readonly resource: Resource; readonly handle: InformerHandle<UnstructuredObject> }
  >();
  return {
    open(resource) {
      const id = idOf(resource);
      if (handles.has(id)) return;
      const handle = informers.acquire<UnstructuredObject>({ resource, projection: 'metadata' });
      handles.set(id, { resource, handle });
      const notify = (object: KubeObject, before?: KubeObject): void => {
        changed(resource, object, before);
      };
      handle.onStateChange(stateChanged);
      handle.addHandler({
        onAdd: (object) => {
          notify(object);
        },
        onUpdate: (before, after) => {
          notify(after, before);
        },
        onDelete: (object) => {
          notify(object);
        },
      });
    },
    list(resource) {
      const { handle } = handles.get(idOf(resource)) ?? {};
      return handle?.hasSynced === true && handle.state.phase === 'watching' ? handle.list() : undefined;
    },
    get unreadable() {
      return [...handles.values()].flatMap(({ resource, handle: { state } }) => {
        const error = unreadable(state);
        return error === undefined ? [] : [{ resource, error }];
      });
    },
    close() {
      for (const { handle } of handles.values()) handle.release();
      handles.clear();
    },
  };
}

function idOf({ group, version, resource }: Resource): string {
  return `${resource}.${version}.${group}`;
}
