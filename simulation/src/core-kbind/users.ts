import { objectOf } from '../sample.js';
import type { SimCluster } from '../sim-cluster.js';
import type { VirtualTime } from '../virtual-time.js';
import type { People, PeopleParts } from './people.js';
import { APIS, CONSUMER, type Slot } from './scenario.js';
import { OBJECT_UID, SYNCER, thingOf } from './thing.js';

export interface UsersParts extends PeopleParts {
  readonly time: VirtualTime;
  readonly people: People;
}

const DELETION_POLICY = 'core.kbind.io/deletion-policy';
const BACK_MS = 3_000;

/** Who has objects. What they want is looked after again and again. */
export class Users {
  readonly #parts: UsersParts;

  constructor(parts: UsersParts) {
    this.#parts = parts;
  }

  /** Where there is none. */
  create(object: number): void {
    if (this.#parts.wishes.of(object).wanted === undefined) this.#want(object);
  }

  update(object: number): void {
    if (this.#parts.wishes.of(object).wanted !== undefined) this.#want(object);
  }

  recreate(object: number): void {
    this.drop(object);
    this.#parts.time.setTimeout(() => {
      this.create(object);
    }, BACK_MS);
  }

  drop(object: number, orphan = false): void {
    const { wishes, people } = this.#parts;
    const slot = this.#slot(object);
    if (wishes.of(object).wanted === undefined) return;
    // Of what no binding keeps in step the copy is nobody's business any more.
    if (!people.covers(slot.activation, slot.api)) wishes.copyMayStay(object);
    wishes.drop(object, orphan);
    this.#apply(slot);
  }

  /** Somebody on the provider changes the copy. */
  tamper(object: number): void {
    const { wishes } = this.#parts;
    const slot = this.#slot(object);
    const provider = this.#providerOf(slot);
    const copy = this.#at(provider, slot);
    if (copy === undefined || thingOf(copy).terminating || !wishes.of(object).ever.has(thingOf(copy).value)) return;
    this.#parts.asPeople(provider, () => {
      const spec = { ...(copy['spec'] as object), value: -thingOf(copy).value };
      provider.objects.update(resourceOf(slot), { ...copy, spec }, { fieldManager: 'somebody' });
    });
  }

  reapply(): void {
    for (const slot of this.#parts.wishes.slots) {
      this.#apply(slot);
      this.#prove(slot);
    }
  }

  /** The consumer has an older state again: what was going then goes on, and what a copy has no proof for any more stays. */
  consumerIsOlder(): void {
    const { wishes } = this.#parts;
    for (const slot of wishes.slots) {
      const current = this.#at(this.#parts.cluster(CONSUMER), slot);
      const object = current === undefined ? undefined : thingOf(current);
      if (object?.finalizers.includes(SYNCER) !== true) wishes.copyMayStay(slot.object);
      if (object?.terminating !== true) continue;
      wishes.giveUp(slot.object, { object: true });
      if (object.annotations[DELETION_POLICY] === 'Orphan') wishes.copyMayStay(slot.object);
      wishes.renew(slot.object);
    }
  }

  /** A provider has an older state again: copies are there of objects that were deleted since, or made anew. */
  providerIsOlder(name: string): void {
    for (const slot of this.#parts.wishes.slots) {
      if (APIS[slot.api]?.provider !== name) continue;
      const [object, copy] = [this.#at(this.#parts.cluster(CONSUMER), slot), this.#at(this.#providerOf(slot), slot)];
      const isTheirs =
        object !== undefined &&
        copy !== undefined &&
        !thingOf(object).terminating &&
        thingOf(copy).annotations[OBJECT_UID] === thingOf(object).uid;
      if (!isTheirs) this.#parts.wishes.copyMayStay(slot.object);
    }
  }

  #prove(slot: Slot): void {
    const { wishes, people, cluster } = this.#parts;
    const { wanted, copyMayStay } = wishes.of(slot.object);
    if (wanted === undefined || !copyMayStay || !people.covers(slot.activation, slot.api)) return;
    const [object, copy] = [this.#at(cluster(CONSUMER), slot), this.#at(this.#providerOf(slot), slot)];
    if (object === undefined || copy === undefined) return;
    const [one, other] = [thingOf(object), thingOf(copy)];
    if (
      one.finalizers.includes(SYNCER) &&
      !one.terminating &&
      other.annotations[OBJECT_UID] === one.uid &&
      one.value === other.value
    )
      wishes.isProven(slot.object);
  }

  #want(object: number): void {
    this.#parts.wishes.want(object);
    this.#apply(this.#slot(object));
  }

  #apply(slot: Slot): void {
    const { wishes, cluster } = this.#parts;
    const consumer = cluster(CONSUMER);
    const { wanted, orphan } = wishes.of(slot.object);
    const resource = resourceOf(slot);
    if (!consumer.up || !consumer.serves(resource) || consumer.withdraws(resource)) return;
    const current = consumer.objects.get(resource, slot);
    if (current !== undefined && thingOf(current).terminating) return;
    this.#parts.asPeople(consumer, () => {
      const options = { fieldManager: 'user' };
      if (wanted === undefined) {
        if (current === undefined) return;
        const metadata = current['metadata'] as { readonly annotations?: object };
        if (orphan)
          consumer.objects.update(
            resource,
            {
              ...current,
              metadata: { ...metadata, annotations: { ...metadata.annotations, [DELETION_POLICY]: 'Orphan' } },
            },
            options,
          );
        consumer.objects.delete(resource, slot);
        return;
      }
      const api = APIS[slot.api];
      if (api === undefined) return;
      if (current === undefined)
        consumer.objects.create(resource, objectOf({ ...slot, binding: 0 }, api, wanted), options);
      else if (thingOf(current).value !== wanted)
        consumer.objects.update(
          resource,
          { ...current, spec: { ...(current['spec'] as object), value: wanted } },
          options,
        );
    });
  }

  #at(cluster: SimCluster, slot: Slot) {
    return cluster.serves(resourceOf(slot)) ? cluster.objects.get(resourceOf(slot), slot) : undefined;
  }

  #providerOf({ api }: Slot): SimCluster {
    return this.#parts.cluster(APIS[api]?.provider ?? '');
  }

  #slot(object: number): Slot {
    const slot = this.#parts.wishes.slots[object];
    if (slot === undefined) throw new Error(`there is no object ${object}`);
    return slot;
  }
}

export function resourceOf({ api }: Pick<Slot, 'api'>): { readonly group: string; readonly resource: string } {
  const { group = '', plural = '' } = APIS[api] ?? {};
  return { group, resource: plural };
}
