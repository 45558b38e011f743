import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, InformerState, SharedInformers } from '@hawser/informer';

/**
 * Tells that something happened to objects of related types on the service cluster. Only metadata are watched and kept, so that the content of Secrets is read
 * one by one, and only where a rule refers to it.
 */
export interface ServiceWatches {
  open(resource: Resource): void;
  /** What cannot be watched, and why. */
  readonly refused: readonly { readonly resource: Resource; readonly state: Extract<InformerState, { phase: 'waiting' }> }[];
  close(): void;
}

export function createServiceWatches(informers: SharedInformers, changed: (resource: Resource, object: KubeObject) => void, stateChanged: () => void): ServiceWatches {
  const handles = new Map<string, { readonly resource: Resource; readonly handle: InformerHandle<KubeObject> }>();
  return {
    open(resource) {
      const id = `${resource.resource}.${resource.version}.${resource.group}`;
      if (handles.has(id)) return;
      const handle = informers.acquire<KubeObject>({ resource, projection: 'metadata' });
      handles.set(id, { resource, handle });
      const tell = (object: KubeObject): void => { changed(resource, object); };
      handle.onStateChange(stateChanged);
      handle.addHandler({ onAdd: tell, onUpdate: (_before, after) => { tell(after); }, onDelete: tell });
    },
    get refused() {
      return [...handles.values()].flatMap(({ resource, handle: { state } }) => (state.phase === 'waiting' ? [{ resource, state }] : []));
    },
    close() {
      for (const { handle } of handles.values()) handle.release();
      handles.clear();
    },
  };
}
