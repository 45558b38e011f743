import type { JsonObject } from '@hawser/json';
import { type OwnerReference, metaOf } from '../object/meta.js';
import type { ObjectKey } from '../parts.js';
import type { GroupResource } from '../status.js';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** An object for the garbage collector. */
export interface OwnedNode {
  readonly uid: string;
  readonly resource: GroupResource;
  readonly key: ObjectKey;
  readonly owners: readonly OwnerReference[];
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

/** Owners and dependents by uid. An owner need not exist. */
export class OwnerGraph {
  readonly #nodes = new Map<string, OwnedNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): OwnedNode | undefined {
    return this.#nodes.get(uid);
  }

  /** In the order in which they became owned. */
  dependentsOf(uid: string): readonly OwnedNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** Owners with dependents, existing or not. */
  owners(): Iterable<string> {
    return this.#dependents.keys();
  }

  nodes(): Iterable<OwnedNode> {
    return this.#nodes.values();
  }

  set(node: OwnedNode): void {
    const owners = new Set(ownerUids(node));
    for (const owner of ownerUids(this.#nodes.get(node.uid))) if (!owners.has(owner)) this.#disown(owner, node.uid);
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner) ?? new Set();
      this.#dependents.set(owner, dependents.add(node.uid));
    }
    this.#nodes.set(node.uid, node);
  }

  delete(uid: string): void {
    for (const owner of ownerUids(this.#nodes.get(uid))) this.#disown(owner, uid);
    this.#nodes.delete(uid);
  }

  #disown(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

export function nodeOf(resource: GroupResource, key: ObjectKey, object: JsonObject): OwnedNode {
  const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = metaOf(object);
  return { uid, resource, key, owners: ownerReferences, deleting: deletionTimestamp !== undefined, finalizers };
}

export function isWaitingForDependents(node: OwnedNode): boolean {
  return node.deleting && node.finalizers.includes(foregroundFinalizer);
}

function ownerUids(node: OwnedNode | undefined): readonly string[] {
  return (node?.owners ?? []).flatMap(({ uid }) => uid ?? []);
}
