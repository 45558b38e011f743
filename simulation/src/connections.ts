import { annotations, hawserAnnotations, labels } from '@hawser/kube-bind';
import type { Model, Slot } from './model.js';
import type { Names } from './names.js';
import { UNCLAIMED } from './growing-claims.js';
import { SECRETS, changedSecret, claimedSecret, privateSecret, secretSampleOf } from './secret-sample.js';
import type { SimCluster } from './sim-cluster.js';

/** One of that many copies has a connection Secret. */
const EVERY = 3;
/**
 * Beside each of them: an unclaimed Secret and, if consumers share namespaces, the copy of another consumer's Secret.
 */
export const STRANGERS = { unclaimed: UNCLAIMED.provider, neighbours: 'credentials-of-a-neighbour' } as const;

/**
 * Secrets that operators of providers make for some copies, for users to connect; and the other objects beside them.
 */
export class Connections {
  readonly model: Model;
  readonly #names: Names;
  readonly #areNamespacesShared: boolean;

  constructor(model: Model, names: Names, areNamespacesShared: boolean) {
    this.model = model;
    this.#names = names;
    this.#areNamespacesShared = areNamespacesShared;
  }

  /** Keeps one with the contents of the copy. */
  keep({ objects }: SimCluster, namespace: string, object: number, value: number): void {
    const slot = this.#slotOf(object);
    if (slot === undefined) return;
    const binding = this.#names.bindings[slot.binding]!;
    const current = objects.get(SECRETS, { namespace, name: slot.name });
    if (current === undefined) {
      objects.create(SECRETS, claimedSecret({ ...slot, namespace }, binding, value), { fieldManager: 'operator' });
      this.#besideIt(objects, namespace);
    } else if (secretSampleOf(current).value !== value)
      objects.update(SECRETS, changedSecret(current, value), { fieldManager: 'operator' });
    this.model.want(object, value);
  }

  remove({ objects }: SimCluster, namespace: string, object: number): void {
    const slot = this.#slotOf(object);
    if (slot === undefined || objects.get(SECRETS, { namespace, name: slot.name }) === undefined) return;
    // Before the request: it is gone with the answer.
    this.model.unwant(object);
    objects.delete(SECRETS, { namespace, name: slot.name });
  }

  /** The existing ones, each by its copy. */
  list({ objects }: SimCluster): readonly { readonly namespace: string; readonly object: number }[] {
    return objects
      .list(SECRETS)
      .map(secretSampleOf)
      .filter(({ name }) => this.model.named(name) !== undefined);
  }

  #slotOf(object: number): Slot | undefined {
    return object % EVERY === 0 ? this.model.slots[object] : undefined;
  }

  #besideIt(objects: SimCluster['objects'], namespace: string): void {
    if (objects.get(SECRETS, { namespace, name: STRANGERS.unclaimed }) === undefined)
      objects.create(SECRETS, privateSecret(STRANGERS.unclaimed, namespace));
    if (!this.#areNamespacesShared || objects.get(SECRETS, { namespace, name: STRANGERS.neighbours }) !== undefined)
      return;
    const [, neighbour] = this.#names.consumers;
    const secret = privateSecret(STRANGERS.neighbours, namespace);
    const marks = {
      [annotations.consumerNamespace]: namespace,
      [annotations.consumerUID]: `uid-of-${neighbour}`,
      [hawserAnnotations.consumerIdentity]: neighbour,
    };
    objects.create(SECRETS, {
      ...secret,
      metadata: { name: STRANGERS.neighbours, namespace, labels: { [labels.owner]: 'consumer' }, annotations: marks },
    });
  }
}
