import type { Client, Resource, UnstructuredObject } from '@hawser/client';
import {
  type ClusterKey,
  type InformerHandle,
  type InformerState,
  type Subscription,
  parseClusterKey,
} from '@hawser/informer';

import type { Engagement } from './engagement.js';

/** The caches of all virtual workspaces, by resource. A cache opens at its first use, and stays open. */
export interface KcpCaches {
  add(engagement: Engagement): void;
  remove(url: string): void;
  /** The virtual workspace that shows this logical cluster; undefined: none. */
  engagementOf(cluster: string): Engagement | undefined;
  readonly engagements: readonly Engagement[];
  clientFor(cluster: string): Client | undefined;
  /** Undefined: the cluster is in no virtual workspace. Opens the watch in all of them. */
  cache(resource: Resource, cluster: string): InformerHandle<UnstructuredObject> | undefined;
  /** Opens the watch of a resource in all present and future virtual workspaces. */
  open(resource: Resource): void;
  handles(resource: Resource): readonly InformerHandle<UnstructuredObject>[];
  /** The cache of one virtual workspace. */
  handleAt(url: string, resource: Resource): InformerHandle<UnstructuredObject> | undefined;
  close(): void;
}

export interface KcpListener {
  changed(
    resource: Resource,
    key: ClusterKey,
    object: UnstructuredObject,
    before: UnstructuredObject | undefined,
    how: 'present' | 'gone',
  ): void;
  workspace(cluster: string): void;
  /** kcp was restored to an older state. */
  kcpRestored(): void;
  state(resource: Resource, handle: InformerHandle<UnstructuredObject>, state: InformerState): void;
}

interface Opened {
  readonly engagement: Engagement;
  readonly subscription: Subscription;
  readonly handles: Map<string, InformerHandle<UnstructuredObject>>;
}

export function createKcpCaches(listener: KcpListener): KcpCaches {
  const opened = new Map<string, Opened>();
  const resources = new Map<string, Resource>();
  const watch = ({ engagement, handles }: Opened, id: string, resource: Resource): void => {
    if (handles.has(id)) return;
    const handle = engagement.informers.acquire<UnstructuredObject>({ resource });
    handles.set(id, handle);
    handle.onStateChange((state) => {
      listener.state(resource, handle, state);
    });
    handle.addHandler({
      onAdd: (object, _initial, key) => {
        listener.changed(resource, parseClusterKey(key), object, undefined, 'present');
      },
      onUpdate: (before, object, key) => {
        listener.changed(resource, parseClusterKey(key), object, before, 'present');
      },
      onDelete: (object, _witnessed, key) => {
        listener.changed(resource, parseClusterKey(key), object, undefined, 'gone');
      },
      onRestored: () => {
        listener.kcpRestored();
      },
    });
    void handle.synced().then(
      () => {
        listener.state(resource, handle, handle.state);
      },
      () => undefined,
    );
  };
  const shut = ({ subscription, handles }: Opened): void => {
    subscription.close();
    // Handlers of a handle end with it.
    for (const handle of handles.values()) handle.release();
  };
  const engagementOf = (cluster: string): Opened | undefined =>
    [...opened.values()].find(({ engagement }) => engagement.workspaces.has(cluster));
  const open = (resource: Resource): string => {
    const id = idOf(resource);
    if (!resources.has(id)) {
      resources.set(id, resource);
      for (const entry of opened.values()) watch(entry, id, resource);
    }
    return id;
  };
  const remove = (url: string): void => {
    const entry = opened.get(url);
    if (entry === undefined) return;
    opened.delete(url);
    shut(entry);
    for (const cluster of entry.engagement.workspaces.names) listener.workspace(cluster);
  };
  return {
    add(engagement) {
      remove(engagement.url);
      const entry: Opened = {
        engagement,
        handles: new Map(),
        subscription: engagement.workspaces.onChange((cluster) => {
          listener.workspace(cluster);
        }),
      };
      opened.set(engagement.url, entry);
      for (const [id, resource] of resources) watch(entry, id, resource);
      for (const cluster of engagement.workspaces.names) listener.workspace(cluster);
    },
    remove,
    engagementOf: (cluster) => engagementOf(cluster)?.engagement,
    get engagements() {
      return [...opened.values()].map(({ engagement }) => engagement);
    },
    clientFor: (cluster) => engagementOf(cluster)?.engagement.clientFor(cluster),
    cache: (resource, cluster) => {
      const id = open(resource);
      return engagementOf(cluster)?.handles.get(id);
    },
    open: (resource) => {
      open(resource);
    },
    handleAt: (url, resource) => opened.get(url)?.handles.get(idOf(resource)),
    handles: (resource) => [...opened.values()].flatMap(({ handles }) => handles.get(idOf(resource)) ?? []),
    close() {
      for (const entry of opened.values()) shut(entry);
      opened.clear();
    },
  };
}

function idOf({ group, version, resource }: Resource): string {
  return `${resource}.${version}.${group}`;
}
