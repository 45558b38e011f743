import type { ObjectChange } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { Model, Slot } from './model.js';
import type { Names } from './names.js';
import { SECRETS, secretSampleOf } from './secret-sample.js';
import { objectOf, sampleOf } from './sample.js';
import type { SimCluster } from './sim-cluster.js';

export interface BystandersParts {
  readonly names: Names;
  readonly model: Model;
  /** Secrets of users that providers claim, and those that providers make. */
  readonly secrets: readonly Model[];
  readonly cluster: (name: string) => SimCluster;
  readonly violate: (invariant: string, what: string) => void;
}

interface Resource {
  readonly group: string;
  readonly resource: string;
}

interface Bystander {
  readonly cluster: SimCluster;
  readonly resource: Resource;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly uid: string;
  readonly content: string;
}

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const INVARIANT = 'objects of others stay';
/** Most backups of one Secret. */
const MOST_BACKUPS = 3;

/**
 * Objects with our marks that are no copies, as people clone with annotations and operators pass marks on. They must
 * stay unchanged, whatever happens.
 */
export class Bystanders {
  readonly #parts: BystandersParts;
  readonly #known = new Map<string, Bystander>();
  /** Children that their operator has removed, or will once their cluster is up. */
  readonly #unwanted: Omit<Bystander, 'content'>[] = [];
  readonly #watched = new WeakSet<SimCluster>();

  constructor(parts: BystandersParts) {
    this.#parts = parts;
  }

  /**
   * An operator makes a child of a copy, of the same kind and with its marks, in the place of a still unwanted object.
   * Returns how the operator removes it again.
   */
  makeChild(object: number): (() => void) | undefined {
    const { model, names } = this.#parts;
    const slot = model.slots[object];
    const binding = slot === undefined ? undefined : names.bindings[slot.binding];
    if (slot === undefined || binding === undefined || model.of(object).wanted !== undefined) return undefined;
    const cluster = this.#parts.cluster(binding.provider);
    const resource = { group: binding.group, resource: binding.plural };
    if (!cluster.up || !cluster.serves(resource)) return undefined;
    const isNear = (other: Slot): boolean =>
      other.binding === slot.binding && other.namespace === slot.namespace && other.object !== object;
    const parent = cluster.objects
      .list(resource)
      .find((copy) => model.slots.some((other) => isNear(other) && other.object === sampleOf(copy).object));
    if (parent === undefined) return undefined;
    const { namespace, labels = {}, annotations = {} } = metadataOf(parent);
    const owner = cluster.objects.get({ group: '', resource: 'namespaces' }, { namespace: '', name: namespace });
    const key = { namespace, name: slot.name };
    if (owner === undefined || cluster.objects.get(resource, key) !== undefined) return undefined;
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: metadataOf(owner).uid, controller: true },
    ];
    const child = objectOf({ ...slot, namespace, object: -1 }, binding, 1);
    cluster.objects.create(
      resource,
      { ...child, metadata: { ...key, labels, annotations, ownerReferences } },
      { fieldManager: 'operator' },
    );
    const uid = this.#know({ cluster, resource, key });
    return () => {
      this.#known.delete(idOf(cluster, resource, key));
      this.#unwanted.push({ cluster, resource, key, uid });
      this.reapply();
    };
  }

  /** Operators remove unwanted children, also those back from a backup of the cluster. */
  reapply(): void {
    for (const { cluster, resource, key, uid } of this.#unwanted) {
      if (!cluster.up || !cluster.serves(resource)) continue;
      const current = cluster.objects.get(resource, key);
      if (current !== undefined && metadataOf(current).uid === uid) cluster.objects.delete(resource, key);
    }
  }

  /**
   * A person keeps a backup of a claimed Secret's copy beside it: under another name, with all its marks, but without
   * the label for the claim.
   */
  backUp(at: number): void {
    const { names, secrets } = this.#parts;
    const cluster = this.#parts.cluster(names.clusters[at % names.clusters.length] ?? names.consumer);
    if (!cluster.up) return;
    const copies = cluster.objects.list(SECRETS).filter((secret) => {
      const model = secrets.find((one) => one.named(secretSampleOf(secret).name) !== undefined);
      return (
        model !== undefined &&
        (model.home === 'consumer') !== (cluster.name === names.consumer) &&
        !secretSampleOf(secret).terminating
      );
    });
    const copy = copies[at % Math.max(1, copies.length)];
    if (copy === undefined) return;
    const { namespace, name, labels = {}, annotations = {} } = metadataOf(copy);
    const free = Array.from({ length: MOST_BACKUPS }, (_, index) => ({
      namespace,
      name: `backup-${index}-of-${name}`,
    })).find((key) => cluster.objects.get(SECRETS, key) === undefined);
    if (free === undefined) return;
    const kept = Object.fromEntries(Object.entries(labels).filter(([label]) => label !== 'example.com/for'));
    const backup: JsonObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { ...free, labels: kept, annotations },
      data: copy['data'] ?? {},
    };
    cluster.objects.create(SECRETS, backup, { fieldManager: 'somebody' });
    this.#know({ cluster, resource: SECRETS, key: free });
  }

  /** Records it as made. Returns its uid. */
  #know({ cluster, resource, key }: Pick<Bystander, 'cluster' | 'resource' | 'key'>): string {
    const made = cluster.objects.get(resource, key);
    if (made === undefined) throw new Error(`${key.name} was made, and is not there`);
    const { uid } = metadataOf(made);
    this.#known.set(idOf(cluster, resource, key), { cluster, resource, key, uid, content: contentOf(resource, made) });
    if (!this.#watched.has(cluster)) {
      this.#watched.add(cluster);
      cluster.onChange((change) => {
        this.#look(cluster, change);
      });
    }
    return uid;
  }

  #look(cluster: SimCluster, { type, resource, key, object }: ObjectChange): void {
    const id = idOf(cluster, resource, key);
    const known = this.#known.get(id);
    if (known === undefined) return;
    // A backup of the cluster did not have it, and another object has its name by now.
    if (metadataOf(object).uid !== known.uid) {
      this.#known.delete(id);
      return;
    }
    const what = `${resource.resource} ${key.namespace}/${key.name} of ${cluster.name}`;
    if (type === 'DELETED') {
      this.#known.delete(id);
      if (!isGoing(cluster, known)) this.#parts.violate(INVARIANT, `${what} was deleted, and is nobody's copy`);
    } else if (contentOf(resource, object) !== known.content) {
      this.#known.delete(id);
      this.#parts.violate(INVARIANT, `${what} was changed, and is nobody's copy`);
    }
  }
}

/** Its API or its namespace goes, and it goes along. */
function isGoing(cluster: SimCluster, { resource, key }: Bystander): boolean {
  const namespace = cluster.objects.get({ group: '', resource: 'namespaces' }, { namespace: '', name: key.namespace });
  const isNamespaceGoing =
    namespace === undefined ||
    (namespace['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined;
  return isNamespaceGoing || (resource.group !== '' && cluster.withdraws(resource));
}

function metadataOf(object: JsonObject): Metadata {
  return object['metadata'] as unknown as Metadata;
}

function contentOf({ group }: Resource, object: JsonObject): string {
  return JSON.stringify(group === '' ? object['data'] : object['spec']);
}

function idOf(
  { name: cluster }: SimCluster,
  { group, resource }: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${cluster} ${resource}.${group} ${namespace}/${name}`;
}
