import { type OwnerReference, metaOf, parseApiVersion, withMeta } from '../object/meta.js';
import type { JsonObject } from '@hawser/json';
import { stringField } from '../object/json.js';
import type { Controller, DeleteOptions, ObjectChange, ServerHost } from '../parts.js';
import { StatusError } from '../status.js';
import {
  type OwnedNode,
  OwnerGraph,
  foregroundFinalizer,
  isWaitingForDependents,
  nodeOf,
  orphanFinalizer,
} from './owner-graph.js';
import { Worklist } from './worklist.js';

/** Same number as in kube-controller-manager. */
const rememberedOwners = 500;

interface OwnerIdentity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** State of an owner reference. `unknown`: its kind does not exist, or cannot own this object. */
type Ownership = 'solid' | 'waiting' | 'dangling' | 'unknown';

/**
 * Deletes objects whose owners are all gone, at once or before an owner that is deleted in the foreground, and orphans
 * dependents where requested (kube-controller-manager `garbagecollector`). Events own nothing and are not owned.
 */
export class GarbageCollector implements Controller {
  readonly name = 'garbage-collector-controller';
  readonly #graph = new OwnerGraph();
  /** Owners seen to go: their kind may be gone too. */
  readonly #gone = new Map<string, OwnerIdentity>();
  readonly #deletions: Worklist;
  readonly #orphans: Worklist;
  #subscriptions: readonly Disposable[] = [];

  constructor(readonly host: ServerHost) {
    this.#deletions = new Worklist(host, (uid) => {
      this.#attemptToDelete(uid);
    });
    this.#orphans = new Worklist(host, (uid) => {
      this.#orphanDependents(uid);
    });
  }

  start(): void {
    if (this.#subscriptions.length > 0) return;
    this.#subscriptions = [
      this.host.objects.onChange((change) => {
        this.#observe(change);
      }),
      // A reference to a missing kind may now name an existing one.
      this.host.catalog.onChange(() => {
        for (const { uid, owners } of this.#graph.nodes()) if (owners.length > 0) this.#deletions.add(uid);
      }),
    ];
    for (const resource of this.host.objects.resources()) {
      if (isEvents(resource)) continue;
      for (const object of this.host.objects.list(resource))
        this.#observeObject(nodeOf(resource, keyOf(object), object), undefined);
    }
    this.#deletions.start();
    this.#orphans.start();
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#subscriptions = [];
    this.#deletions.stop();
    this.#orphans.stop();
  }

  #observe({ type, resource, key, object, previous }: ObjectChange): void {
    if (isEvents(resource)) return;
    const node = nodeOf(resource, key, object);
    if (type === 'DELETED') {
      if (this.#graph.dependentsOf(node.uid).length > 0)
        this.#remember(node.uid, { group: resource.group, kind: stringField(object, 'kind'), ...key });
      this.#observeDeletion(node);
    } else this.#observeObject(node, previous === undefined ? undefined : nodeOf(resource, key, previous));
  }

  #observeObject(node: OwnedNode, previous: OwnedNode | undefined): void {
    const known = this.#graph.get(node.uid);
    this.#graph.set(node);
    const added = node.owners.filter(({ uid }) => known?.owners.every((owner) => owner.uid !== uid) !== false);
    // A missing owner, or one in another place than the reference says, shows when its dependent is checked.
    if (added.some((owner) => this.#ownership(node, owner) !== 'solid')) this.#deletions.add(node.uid);
    for (const owner of known?.owners ?? []) {
      const now = node.owners.find(({ uid }) => uid === owner.uid);
      if (owner.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true && owner.uid !== undefined)
        this.#deletions.add(owner.uid);
    }
    const starts = (finalizer: string): boolean =>
      node.deleting &&
      node.finalizers.includes(finalizer) &&
      !(previous?.deleting === true && previous.finalizers.includes(finalizer));
    if (starts(orphanFinalizer)) this.#orphans.add(node.uid);
    else if (starts(foregroundFinalizer)) {
      for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#deletions.add(uid);
      this.#deletions.add(node.uid);
    }
  }

  #observeDeletion(node: OwnedNode): void {
    this.#graph.delete(node.uid);
    for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#deletions.add(uid);
    for (const { uid } of node.owners) {
      const owner = uid === undefined ? undefined : this.#graph.get(uid);
      if (owner !== undefined && isWaitingForDependents(owner)) this.#deletions.add(owner.uid);
    }
  }

  #remember(uid: string, identity: OwnerIdentity): void {
    this.#gone.set(uid, identity);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > rememberedOwners && oldest !== undefined) this.#gone.delete(oldest);
  }

  #attemptToDelete(uid: string): void {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    if (isWaitingForDependents(node)) {
      this.#continueForeground(node);
      return;
    }
    if (node.deleting || node.owners.length === 0) return;
    const owners = node.owners.map((owner) => ({ owner, state: this.#ownership(node, owner) }));
    if (owners.some(({ state }) => state === 'unknown')) return;
    if (owners.some(({ state }) => state === 'solid')) {
      const lost = owners.filter(({ state }) => state !== 'solid').map(({ owner }) => owner.uid);
      if (lost.length > 0) this.#rewrite(node, (object) => withoutOwners(object, lost));
    } else if (owners.some(({ state }) => state === 'waiting') && this.#graph.dependentsOf(uid).length > 0) {
      this.#deleteInForeground(node);
    } else {
      const propagationPolicy = node.finalizers.includes(orphanFinalizer)
        ? 'Orphan'
        : node.finalizers.includes(foregroundFinalizer)
          ? 'Foreground'
          : 'Background';
      this.#delete(node, propagationPolicy);
    }
  }

  /** Deletes an owner that waits for dependents once none of them blocks it. */
  #continueForeground(node: OwnedNode): void {
    const blocking = this.#graph
      .dependentsOf(node.uid)
      .filter(({ owners }) => owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion === true));
    if (blocking.length === 0) this.#rewrite(node, (object) => withoutFinalizer(object, foregroundFinalizer));
    for (const dependent of blocking)
      if (!isWaitingForDependents(dependent) && !dependent.deleting) this.#deletions.add(dependent.uid);
  }

  #deleteInForeground(node: OwnedNode): void {
    // A dependent that waits for its own dependents may be part of a cycle: it no longer blocks its owners.
    if (this.#graph.dependentsOf(node.uid).some(isWaitingForDependents)) {
      this.#rewrite(node, (object) =>
        withMeta(object, {
          ownerReferences: (metaOf(object).ownerReferences ?? []).map((owner) => ({
            ...owner,
            blockOwnerDeletion: false,
          })),
        }),
      );
    }
    this.#delete(node, 'Foreground');
  }

  #orphanDependents(uid: string): void {
    const node = this.#graph.get(uid);
    if (node === undefined || !node.deleting || !node.finalizers.includes(orphanFinalizer)) return;
    for (const dependent of this.#graph.dependentsOf(uid))
      this.#rewrite(dependent, (object) => withoutOwners(object, [uid]));
    this.#rewrite(node, (object) => withoutFinalizer(object, orphanFinalizer));
  }

  #ownership(node: OwnedNode, { apiVersion = '', kind = '', name = '', uid }: OwnerReference): Ownership {
    const { group, version } = parseApiVersion(apiVersion);
    const gone = uid === undefined ? undefined : this.#gone.get(uid);
    if (
      gone?.group === group &&
      gone.kind === kind &&
      gone.name === name &&
      (gone.namespace === '' || gone.namespace === node.key.namespace)
    )
      return 'dangling';
    const resource = this.host.objects
      .resources()
      .find((each) => each.group === group && each.kind === kind && each.versions.includes(version));
    if (resource === undefined || (resource.namespaced && node.key.namespace === '')) return 'unknown';
    const object = this.host.objects.get(resource, { namespace: resource.namespaced ? node.key.namespace : '', name });
    if (object === undefined || metaOf(object).uid !== uid) return 'dangling';
    return isWaitingForDependents(nodeOf(resource, node.key, object)) ? 'waiting' : 'solid';
  }

  #delete({ resource, key, uid }: OwnedNode, propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>): void {
    unlessGone(() => this.host.objects.delete(resource, key, { uid, propagationPolicy }));
  }

  #rewrite({ resource, key, uid }: OwnedNode, change: (object: JsonObject) => JsonObject): void {
    const object = this.host.objects.get(resource, key);
    if (object === undefined || metaOf(object).uid !== uid) return;
    unlessGone(() => this.host.objects.update(resource, change(object)));
  }
}

const isEvents = ({ group, resource }: { readonly group: string; readonly resource: string }): boolean =>
  resource === 'events' && (group === '' || group === 'events.k8s.io');

function keyOf(object: JsonObject): { namespace: string; name: string } {
  const { namespace = '', name = '' } = metaOf(object);
  return { namespace, name };
}

function withoutOwners(object: JsonObject, uids: readonly (string | undefined)[]): JsonObject {
  const left = (metaOf(object).ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  return withMeta(object, { ownerReferences: left.length === 0 ? undefined : left });
}

function withoutFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const left = (metaOf(object).finalizers ?? []).filter((each) => each !== finalizer);
  return withMeta(object, { finalizers: left.length === 0 ? undefined : left });
}

/** Another writer was faster: nothing left to do. */
function unlessGone(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}
