import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, InformerState, SharedInformers, Subscription } from '@hawser/informer';
import {
  type BoundResource,
  type V1alpha1APIBinding,
  clusterNameOf,
  conditionTypes,
  isConditionTrue,
  resources,
  workspacePathOf,
} from '@hawser/kcp-api';
import type { Workspaces } from '@hawser/syncagent-sync';
import type { WorkspaceHomes } from './workspace-homes.js';

interface Workspace {
  /** Keys of its bindings to the export. */
  readonly bindings: Set<string>;
  engaged: boolean;
  path: string | undefined;
}

/**
 * The workspaces of one virtual workspace URL, from one watch of its APIBindings (`spec/api-syncagent.md §4.3`). A
 * workspace is engaged from its first Ready binding until its last binding is gone. A binding that loses Ready changes
 * nothing: its objects still exist. Excludes workspaces whose home is another URL.
 */
export class BoundWorkspaces implements Workspaces {
  readonly #bindings: InformerHandle<V1alpha1APIBinding>;
  readonly #informers: SharedInformers;
  readonly #known = new Map<string, Workspace>();
  readonly #listeners = new Set<(cluster: string) => void>();
  readonly #schemaListeners = new Set<() => void>();
  /** By `resource.group`: how often a binding changed to another schema. */
  readonly #schemaChanges = new Map<string, number>();
  #paths: InformerHandle<KubeObject> | undefined;

  constructor(
    informers: SharedInformers,
    private readonly url: string,
    private readonly homes: WorkspaceHomes,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    this.#informers = informers;
    homes.onChange(url, (cluster) => {
      this.#notify(cluster);
    });
    // Every kcp serves this version. Nothing newer is needed.
    this.#bindings = informers.acquire<V1alpha1APIBinding>({ resource: resources.apiBindingsV1alpha1 });
    this.#bindings.addHandler({
      onAdd: (binding, _initial, key) => {
        this.#seen(binding, key);
      },
      onUpdate: (before, binding, key) => {
        this.#seen(binding, key);
        this.#compareSchemas(before, binding);
      },
      onDelete: (binding, _witnessed, key) => {
        this.#gone(binding, key);
      },
    });
  }

  /** Resolves when the workspaces bound at the start are known. */
  synced(signal: AbortSignal): Promise<void> {
    return this.#bindings.synced(signal);
  }

  get hasSynced(): boolean {
    return this.#bindings.hasSynced;
  }

  has(cluster: string): boolean {
    return this.#known.get(cluster)?.engaged === true && this.homes.homeOf(cluster) === this.url;
  }

  get names(): Iterable<string> {
    return [...this.#known.keys()].filter((cluster) => this.has(cluster));
  }

  /** States of the informers for workspaces and their paths. */
  get states(): readonly InformerState[] {
    return [this.#bindings, ...(this.#paths === undefined ? [] : [this.#paths])].map(({ state }) => state);
  }

  /** No workspace has a binding, Ready or not, except those with another home: no objects exist. */
  get isUnbound(): boolean {
    return (
      this.hasSynced &&
      [...this.#known.keys()].every((cluster) => ![undefined, this.url].includes(this.homes.homeOf(cluster)))
    );
  }

  get isEmpty(): boolean {
    for (const cluster of this.#known.keys()) if (this.has(cluster)) return false;
    return true;
  }

  get hasOverlaps(): boolean {
    return this.homes.hasOverlaps;
  }

  pathOf(cluster: string): string | undefined {
    return this.#known.get(cluster)?.path ?? this.#pathOfLogicalCluster(cluster);
  }

  onChange(listener: (cluster: string) => void): Subscription {
    // A separate closure: the same function can then be registered twice.
    const own = (cluster: string): void => {
      listener(cluster);
    };
    this.#listeners.add(own);
    return {
      close: () => {
        this.#listeners.delete(own);
      },
    };
  }

  /** Whether a binding reports this schema as bound: then kcp serves the resource. */
  hasBound({ group, resource }: Resource, schemaName: string): boolean {
    return this.#bindings
      .list()
      .some(({ status }) =>
        (status?.boundResources ?? []).some(
          (bound) => bound.group === group && bound.resource === resource && bound.schema.name === schemaName,
        ),
      );
  }

  /** Text that changes when a workspace switches to another schema of the resource, not when workspaces come or go. */
  shapeOf({ group, resource }: Resource): string {
    return String(this.#schemaChanges.get(`${resource}.${group}`) ?? 0);
  }

  /** Calls `listener` when {@link states} changes. */
  onStateChange(listener: () => void): void {
    this.#bindings.onStateChange(listener);
  }

  /** Calls `listener` when {@link shapeOf} changes for some resource. */
  onSchemaChange(listener: () => void): void {
    this.#schemaListeners.add(listener);
  }

  /** Starts reading LogicalClusters for paths that kcp omits from bindings. Needs their claim accepted. Idempotent. */
  watchPaths(): void {
    if (this.#paths !== undefined || [...this.#known.values()].every(({ path }) => path !== undefined)) return;
    this.#paths = this.#informers.acquire<KubeObject>({ resource: resources.logicalClusters, projection: 'metadata' });
    const notify = (object: KubeObject): void => {
      const cluster = clusterNameOf(object);
      if (cluster !== undefined && this.#known.get(cluster)?.path === undefined) this.#notify(cluster);
    };
    this.#paths.addHandler({
      onAdd: notify,
      onUpdate: (_, object) => {
        notify(object);
      },
    });
  }

  #pathOfLogicalCluster(cluster: string): string | undefined {
    const [object] = this.#paths?.list(undefined, cluster) ?? [];
    return object === undefined ? undefined : workspacePathOf(object);
  }

  #seen(binding: V1alpha1APIBinding, key: string): void {
    const cluster = clusterNameOf(binding);
    if (cluster === undefined) return;
    const workspace = this.#known.get(cluster) ?? { bindings: new Set(), engaged: false, path: undefined };
    this.#known.set(cluster, workspace);
    workspace.bindings.add(key);
    const path = workspacePathOf(binding) ?? workspace.path;
    const engaged = workspace.engaged || isConditionTrue(binding, conditionTypes.ready);
    const isNamed = path !== workspace.path && workspace.engaged;
    workspace.engaged = engaged;
    workspace.path = path;
    if (engaged) this.homes.show(this.url, cluster);
    if (isNamed) this.#notify(cluster);
  }

  #gone(binding: V1alpha1APIBinding, key: string): void {
    const cluster = clusterNameOf(binding);
    const workspace = cluster === undefined ? undefined : this.#known.get(cluster);
    if (cluster === undefined || workspace === undefined) return;
    workspace.bindings.delete(key);
    if (workspace.bindings.size > 0) return;
    this.#known.delete(cluster);
    this.homes.hide(this.url, cluster);
  }

  #compareSchemas(before: V1alpha1APIBinding, after: V1alpha1APIBinding): void {
    const former = new Map((before.status?.boundResources ?? []).map((bound) => [boundName(bound), bound.schema.UID]));
    const changed = (after.status?.boundResources ?? [])
      .filter((bound) => (former.get(boundName(bound)) ?? bound.schema.UID) !== bound.schema.UID)
      .map(boundName);
    for (const name of changed) this.#schemaChanges.set(name, (this.#schemaChanges.get(name) ?? 0) + 1);
    if (changed.length > 0) this.#notifyAll(this.#schemaListeners, undefined);
  }

  #notify(cluster: string): void {
    this.#notifyAll(this.#listeners, cluster);
  }

  #notifyAll<T>(listeners: ReadonlySet<(what: T) => void>, what: T): void {
    for (const listener of listeners) {
      try {
        listener(what);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }
}

function boundName({ group, resource }: BoundResource): string {
  return `${resource}.${group}`;
}
