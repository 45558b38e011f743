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
import type { Doubt } from './state-draft.js';
import type { StateStore } from './state-store.js';
import type { Survey } from './survey.js';
import type { Worklist } from './worklist.js';

export interface ChangesOptions {
  /** The published resource in kcp. */
  readonly resource: Resource;
  /** Labels of namespaces decide what is synced. */
  readonly filtersNamespaces: boolean;
  readonly dependencies: Dependencies;
  readonly worklist: Worklist;
  readonly leftovers: Leftovers;
  /** The report may have changed. */
  readonly notify: () => void;
  readonly isClosing: () => boolean;
  /** Called at each change. */
  readonly kcp: () => KcpCaches;
  readonly reconciler: () => Reconciler;
  readonly state: () => StateStore;
  readonly survey: () => Survey;
}

/** Maps watch events to keys: the objects that must be looked at. */
export class Changes implements KcpListener {
  readonly #options: ChangesOptions;
  /** Workspaces that have come or gone: thousands at once when an endpoint does. */
  readonly #workspaces = new Set<string>();
  /** Caches of workspaces that have been filled once. */
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

  /** A copy on the service cluster. */
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

  /**
   * The service cluster was restored to an older state: copies, or the state Secrets. An object may be out of step
   * without a change.
   */
  serviceRestored(): void {
    this.#restored('everything');
  }

  /** The same for kcp: its related copies may differ from what was pushed. */
  kcpRestored(): void {
    this.#restored('copiesInKcp');
  }

  #restored(doubt: Exclude<Doubt, 'nothing'>): void {
    const { worklist, reconciler, state } = this.#options;
    state().doubt(doubt);
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
    const { worklist, reconciler, notify, filtersNamespaces } = this.#options;
    if (isSameResource(resource, this.#options.resource)) {
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion) reconciler().unsettle(clusterKey(key));
      if (before !== undefined && asksForRetry(before, object)) reconciler().retry(clusterKey(key));
      worklist.add(clusterKey(key));
      // The count has changed.
      if (before === undefined) notify();
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
    this.#options.notify();
  }

  state(resource: Resource, handle: InformerHandle<UnstructuredObject>, { phase }: InformerState): void {
    const { worklist, notify, survey } = this.#options;
    notify();
    // No event will come: report it to the waiting objects.
    if (phase === 'waiting' && !this.#refused.has(handle) && !isSameResource(resource, this.#options.resource)) {
      this.#refused.add(handle);
      worklist.addPrimaries();
    }
    if (handle.hasSynced && !this.#filled.has(handle)) {
      this.#filled.add(handle);
      // Look again at objects that waited for this cache, including its new objects, and at copies whose objects may
      // prove to be missing.
      worklist.addCopies(() => true);
      worklist.addPrimaries();
    }
    survey().run();
  }

  /** Looks for remains of the workspaces that no virtual workspace shows. */
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
    // For objects without a copy in deleted workspaces there is no other sign.
    const gone = new Set([...changed].filter((cluster) => kcp().engagementOf(cluster) === undefined));
    if (gone.size > 0) worklist.addAll(reconciler().knownIn(gone));
    if (survey().isOver) this.lookForVanished(gone);
  }
}

/** Whether a person has just requested a retry of this object: each new value requests one. */
function asksForRetry(before: KubeObject, now: KubeObject): boolean {
  const asked = now.metadata.annotations?.[hawserAnnotations.retryAt];
  return asked !== undefined && asked !== before.metadata.annotations?.[hawserAnnotations.retryAt];
}
