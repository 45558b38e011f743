import { isSameResource, type KubeObject, type Resource, type UnstructuredObject } from '@hawser/client';
import { coalesce } from '@hawser/controller';
import { type ClusterKey, type InformerHandle, type InformerState, clusterKey } from '@hawser/informer';
import { equal } from '@hawser/json';
import { hawserAnnotations } from '@hawser/syncagent-api';

import type { CopyListener } from './copies.js';
import type { Dependencies } from './dependencies.js';
import type { KcpCaches, KcpListener } from './kcp-caches.js';
import type { Leftovers } from './leftovers.js';
import type { Reconciler } from './reconcile.js';
import { namespaces } from './service-namespaces.js';
import type { StateStore } from './state-store.js';
import type { Survey } from './survey.js';
import type { Worklist } from './worklist.js';

export interface ChangesOptions {
  /** What is published, in kcp. */
  readonly resource: Resource;
  /** Labels of namespaces decide what is synced. */
  readonly filtersNamespaces: boolean;
  readonly dependencies: Dependencies;
  readonly worklist: Worklist;
  readonly leftovers: Leftovers;
  /** There may be something new to report. */
  readonly tell: () => void;
  readonly isClosing: () => boolean;
  /** Asked at each change. */
  readonly kcp: () => KcpCaches;
  readonly reconciler: () => Reconciler;
  readonly state: () => StateStore;
  readonly survey: () => Survey;
}

/** What the watches tell becomes keys here: the objects that have to be looked at because of it. */
export class Changes implements KcpListener {
  readonly #options: ChangesOptions;
  /** Workspaces that have come or gone: thousands do so at once where an endpoint does. */
  readonly #workspaces = new Set<string>();
  /** Caches of workspaces that have shown everything once. */
  readonly #filled = new WeakSet<object>();
  /** Caches of related types that could not be filled at first. */
  readonly #refused = new WeakSet<object>();
  readonly #lookAtWorkspaces: () => void;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#lookAtWorkspaces = coalesce(() => {
      this.#workspacesChanged();
    });
  }

  /** On the service cluster. */
  copy(...[identity, copy, how]: Parameters<CopyListener>): void {
    const { worklist, reconciler, leftovers } = this.#options;
    if (identity !== undefined) {
      const key = clusterKey(identity);
      if (how === 'reread') reconciler().unsettle(key);
      worklist.add(key);
    }
    const { namespace } = copy.metadata;
    if (how === 'gone' && namespace !== undefined) leftovers.namespaceLeft(namespace);
  }

  /** The service cluster has an older state again: copies, or what is remembered of them. An object may be out of step without having changed. */
  serviceRestored(): void {
    const { worklist, reconciler, state } = this.#options;
    state().doubt();
    for (const key of worklist.keys()) {
      reconciler().unsettle(key);
      worklist.add(key);
    }
  }

  /** An object of a related type on the service cluster. */
  related(resource: Resource, object: KubeObject, before: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    this.#affected({ side: 'service', cluster: undefined, resource, namespace, name }, object, before);
  }

  /** An object in kcp, published or not. */
  changed(
    resource: Resource,
    key: ClusterKey,
    object: UnstructuredObject,
    before: UnstructuredObject | undefined,
  ): void {
    const { worklist, reconciler, tell, filtersNamespaces } = this.#options;
    if (isSameResource(resource, this.#options.resource)) {
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion) reconciler().unsettle(clusterKey(key));
      if (before !== undefined && asksForRetry(before, object)) reconciler().retry(clusterKey(key));
      worklist.add(clusterKey(key));
      // One more, or one less.
      if (before === undefined) tell();
    } else if (
      filtersNamespaces &&
      isSameResource(resource, namespaces) &&
      !equal(before?.metadata.labels, object.metadata.labels)
    )
      worklist.addNamespace(key.cluster, key.name);
    this.#affected({ side: 'kcp', resource, ...key }, object, before);
  }

  workspace(cluster: string): void {
    this.#workspaces.add(cluster);
    this.#lookAtWorkspaces();
    this.#options.tell();
  }

  state(resource: Resource, handle: InformerHandle<UnstructuredObject>, { phase }: InformerState): void {
    const { worklist, tell, survey } = this.#options;
    tell();
    // No event will come: what waits for it is told.
    if (phase === 'waiting' && !this.#refused.has(handle) && !isSameResource(resource, this.#options.resource)) {
      this.#refused.add(handle);
      worklist.addPrimaries();
    }
    if (handle.hasSynced && !this.#filled.has(handle)) {
      this.#filled.add(handle);
      // What waited for this cache is looked at again, objects that it has just shown included, and so are copies whose objects may turn out to be missing.
      worklist.addCopies(() => true);
      worklist.addPrimaries();
    }
    survey().run();
  }

  /** Of those workspaces that no virtual workspace shows something may be left. */
  lookForVanished(clusters: Iterable<string>): void {
    const { kcp, leftovers } = this.#options;
    for (const cluster of clusters) if (kcp().engagementOf(cluster) === undefined) leftovers.workspaceUnseen(cluster);
  }

  #affected(
    changed: Omit<Parameters<Dependencies['affectedBy']>[0], 'labels'>,
    object: KubeObject,
    before: KubeObject | undefined,
  ): void {
    const labels = [object.metadata.labels, ...(before === undefined ? [] : [before.metadata.labels])];
    this.#options.worklist.addAll(this.#options.dependencies.affectedBy({ ...changed, labels }));
  }

  #workspacesChanged(): void {
    const { worklist, kcp, reconciler, survey, isClosing } = this.#options;
    if (isClosing()) return;
    const changed = new Set(this.#workspaces);
    this.#workspaces.clear();
    for (const cluster of changed) worklist.addNamespace(cluster, undefined);
    worklist.addCopies((cluster) => changed.has(cluster));
    // Of objects without a copy in workspaces that have gone nothing else tells.
    const gone = new Set([...changed].filter((cluster) => kcp().engagementOf(cluster) === undefined));
    if (gone.size > 0) worklist.addAll(reconciler().knownIn(gone));
    if (survey().isOver) this.lookForVanished(gone);
  }
}

/** Whether a person has just asked that this object be tried again: each new value asks once. */
function asksForRetry(before: KubeObject, now: KubeObject): boolean {
  const asked = now.metadata.annotations?.[hawserAnnotations.retryAt];
  return asked !== undefined && asked !== before.metadata.annotations?.[hawserAnnotations.retryAt];
}
