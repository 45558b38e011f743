import { StatusError } from '@hawser/apiserver';
import type { ObjectKind } from './object-kinds.js';
import type { JsonObject } from '@hawser/json';
import type { Model, Slot } from './model.js';
import type { Binding, Names } from './names.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface UsersParts {
  readonly time: VirtualTime;
  readonly model: Model;
  readonly names: Names;
  readonly consumer: () => SimCluster;
  readonly provider: (name: string) => SimCluster;
  readonly objectKind: ObjectKind;
  /** Whether its API exists, and no person is about to unbind it. */
  readonly usable: (binding: number) => boolean;
}

const TRY_AGAIN_MS = 1_000;

/**
 * The users of the consumer cluster, for objects of one kind. They see at once whether the API server accepted a
 * request, and the model knows only accepted ones.
 */
export class Users {
  readonly #parts: UsersParts;
  /** When all wanted objects last existed. */
  #complete: { readonly consumer: SimCluster; readonly losses: number } | undefined;

  constructor(parts: UsersParts) {
    this.#parts = parts;
  }

  create(object: number): void {
    const { model, objectKind } = this.#parts;
    const { slot, binding } = this.#at(object);
    if (!this.#usable(slot)) return;
    const value = model.nextValue();
    if (
      this.#tries((consumer) =>
        consumer.objects.create(objectKind.resourceOf(binding), objectKind.objectOf(slot, binding, value), {
          fieldManager: 'user',
        }),
      )
    )
      model.want(object, value);
  }

  update(object: number): void {
    const { model, objectKind } = this.#parts;
    const { slot, binding } = this.#at(object);
    const current = this.#current(slot, binding);
    if (current === undefined || objectKind.sampleOf(current).terminating) return;
    const value = model.nextValue();
    if (
      this.#tries((consumer) =>
        consumer.objects.update(objectKind.resourceOf(binding), objectKind.changed(current, value), {
          fieldManager: 'user',
        }),
      )
    )
      model.want(object, value);
  }

  delete(object: number): void {
    const { model, objectKind } = this.#parts;
    const { slot, binding } = this.#at(object);
    const current = this.#current(slot, binding);
    if (current === undefined || objectKind.sampleOf(current).terminating) return;
    const { wanted } = model.of(object);
    // Before the request: an object without finalizers is gone with the answer.
    model.unwant(object);
    if (
      !this.#tries((consumer) => consumer.objects.delete(objectKind.resourceOf(binding), slot)) &&
      wanted !== undefined
    )
      model.want(object, wanted);
  }

  recreate(object: number): void {
    this.delete(object);
    this.#createWhenFree(object, 300);
  }

  /** A person on the provider changes what the konnector wrote. */
  tamper(object: number): void {
    const { objectKind } = this.#parts;
    const { slot, binding } = this.#at(object);
    const provider = this.#parts.provider(binding.provider);
    if (!provider.up) return;
    const copy = provider.objects
      .list(objectKind.resourceOf(binding))
      .find(
        (candidate) =>
          objectKind.sampleOf(candidate).name === slot.name && objectKind.sampleOf(candidate).object === object,
      );
    if (copy === undefined || objectKind.sampleOf(copy).terminating) return;
    provider.objects.update(objectKind.resourceOf(binding), objectKind.changed(copy, -object), {
      fieldManager: 'somebody',
    });
  }

  /** Constant work of a pipeline: restores missing wanted objects from manifests. */
  reapply(): void {
    const { model, objectKind } = this.#parts;
    const consumer = this.#parts.consumer();
    // Nothing has gone since everything was there.
    if (this.#complete?.consumer === consumer && this.#complete.losses === consumer.losses) return;
    let complete = true;
    for (const slot of model.wanted()) {
      const { binding } = this.#at(slot.object);
      const { wanted } = model.of(slot.object);
      if (wanted === undefined || this.#current(slot, binding) !== undefined) continue;
      complete = false;
      if (this.#usable(slot))
        this.#tries((consumer) =>
          consumer.objects.create(objectKind.resourceOf(binding), objectKind.objectOf(slot, binding, wanted), {
            fieldManager: 'user',
          }),
        );
    }
    this.#complete = complete ? { consumer, losses: consumer.losses } : undefined;
  }

  #createWhenFree(object: number, tries: number): void {
    const { time, model } = this.#parts;
    time.setTimeout(() => {
      if (model.of(object).wanted !== undefined) return;
      this.create(object);
      if (tries > 0 && model.of(object).wanted === undefined) this.#createWhenFree(object, tries - 1);
    }, TRY_AGAIN_MS);
  }

  #at(object: number): { readonly slot: Slot; readonly binding: Binding } {
    const slot = this.#parts.model.slots[object]!;
    return { slot, binding: this.#parts.names.bindings[slot.binding]! };
  }

  #usable(slot: Slot): boolean {
    return this.#parts.usable(slot.binding) && this.#parts.consumer().up;
  }

  #current(slot: Slot, binding: Binding): JsonObject | undefined {
    if (!this.#usable(slot)) return undefined;
    return this.#parts.consumer().objects.get(this.#parts.objectKind.resourceOf(binding), slot);
  }

  /** Whether the server accepted it. Not if the name is taken or the API is missing, and the user knows. */
  #tries(request: (consumer: SimCluster) => unknown): boolean {
    try {
      request(this.#parts.consumer());
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }
}
