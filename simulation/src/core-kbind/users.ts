import type { JsonObject } from '@hawser/json';
import { objectOf } from '../sample.js';
import type { SimCluster } from '../sim-cluster.js';
import type { People, PeopleParts } from './people.js';
import type { Routing } from './routing.js';
import {
  APIS,
  CONSUMER,
  connectionTo,
  PLACE,
  type Place,
  type Provider,
  type Slot,
  isRouted,
  providersOf,
} from './scenario.js';
import { OBJECT_UID, SERVED_BY, SYNCER, thingOf } from './thing.js';

export interface UsersParts extends PeopleParts {
  readonly people: People;
  readonly routing: Routing;
}

const DELETION_POLICY = 'core.kbind.io/deletion-policy';
const BACK_MS = 3_000;

/** The owners of objects. They check their wishes again and again. */
export class Users {
  readonly #parts: UsersParts;

  constructor(parts: UsersParts) {
    this.#parts = parts;
  }

  /** Creates a missing object. */
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
    const { wishes, people, routing } = this.#parts;
    const slot = this.#slot(object);
    if (wishes.of(object).wanted === undefined) return;
    // Without a binding to keep it in step, the copy may stay.
    if (!routing.isCovered(slot)) wishes.copyMayStay(object);
    for (const provider of providersOf(slot.api))
      if (!people.coversAt(slot, provider)) wishes.copyMayStay(object, provider);
    wishes.drop(object, orphan);
    this.#apply(slot);
  }

  /** Changes its label: an object with a copy does not move by it. */
  relabel(object: number, place: Place): void {
    const { wishes } = this.#parts;
    wishes.relabel(object, place);
    this.#apply(this.#slot(object));
  }

  /** A person on the provider changes the copy. */
  tamper(object: number): void {
    const { wishes } = this.#parts;
    const slot = this.#slot(object);
    const home = this.#parts.routing.home(slot);
    if (home === undefined) return;
    const provider = this.#parts.cluster(home);
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
      this.#annotateConnection(slot);
      this.#prove(slot);
    }
  }

  /** The consumer has an older state again: its pending deletions go on, and a copy without proof stays. */
  consumerIsOlder(): void {
    const { wishes, routing } = this.#parts;
    routing.isOlder();
    for (const slot of wishes.slots) {
      const current = this.#at(this.#parts.cluster(CONSUMER), slot);
      const object = current === undefined ? undefined : thingOf(current);
      const isHeld = object?.finalizers.includes(SYNCER) === true;
      for (const provider of providersOf(slot.api))
        if (!isHeld || routing.home(slot) !== provider) wishes.copyMayStay(slot.object, provider);
      if (object?.terminating !== true) continue;
      wishes.giveUp(slot.object, { object: true });
      if (object.annotations[DELETION_POLICY] === 'Orphan') wishes.copyMayStay(slot.object);
      wishes.renew(slot.object);
    }
  }

  /** A provider has an older state again: it has copies of objects that were since deleted or recreated. */
  providerIsOlder(name: Provider): void {
    const { wishes, routing, cluster } = this.#parts;
    for (const slot of wishes.slots) {
      if (!providersOf(slot.api).includes(name)) continue;
      const [object, copy] = [this.#at(cluster(CONSUMER), slot), this.#at(cluster(name), slot)];
      const isTheirs =
        object !== undefined &&
        routing.home(slot) === name &&
        copy !== undefined &&
        !thingOf(object).terminating &&
        // Otherwise it may get its copy at another provider.
        thingOf(object).finalizers.includes(SYNCER) &&
        thingOf(copy).annotations[OBJECT_UID] === thingOf(object).uid;
      if (!isTheirs) wishes.copyMayStay(slot.object, name);
    }
  }

  /** As the message of a held object advises. */
  #annotateConnection(slot: Slot): void {
    const { routing, cluster } = this.#parts;
    const consumer = cluster(CONSUMER);
    const home = routing.isLost(slot) ? routing.home(slot) : undefined;
    const current = this.#at(consumer, slot);
    if (home === undefined || current === undefined) return;
    this.#parts.asPeople(consumer, () => {
      const metadata = current['metadata'] as { readonly annotations?: object };
      const annotations = { ...metadata.annotations, [SERVED_BY]: connectionTo(home) };
      consumer.objects.update(resourceOf(slot), { ...current, metadata: { ...metadata, annotations } });
    });
  }

  #prove(slot: Slot): void {
    const { wishes, routing, cluster } = this.#parts;
    const { wanted, mayStay } = wishes.of(slot.object);
    const home = routing.home(slot);
    if (wanted === undefined || mayStay.size === 0 || home === undefined) return;
    if (!routing.isCovered(slot) || routing.isLetGo(slot)) return;
    const [object, copy] = [this.#at(cluster(CONSUMER), slot), this.#at(cluster(home), slot)];
    if (object === undefined || copy === undefined) return;
    const [one, other] = [thingOf(object), thingOf(copy)];
    const isProven =
      one.finalizers.includes(SYNCER) &&
      !one.terminating &&
      other.annotations[OBJECT_UID] === one.uid &&
      one.value === other.value;
    if (!isProven) return;
    for (const provider of providersOf(slot.api))
      if (provider === home || this.#at(cluster(provider), slot) === undefined) wishes.isProven(slot.object, provider);
  }

  #want(object: number): void {
    this.#parts.wishes.want(object);
    this.#apply(this.#slot(object));
  }

  #apply(slot: Slot): void {
    const { wishes, cluster } = this.#parts;
    const consumer = cluster(CONSUMER);
    const { wanted, orphan, place } = wishes.of(slot.object);
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
      const labels = isRouted(slot.api) ? { [PLACE]: place } : undefined;
      if (current === undefined) {
        const object = objectOf({ ...slot, binding: 0 }, api, wanted);
        consumer.objects.create(resource, labelled(object, labels), options);
      } else if (
        thingOf(current).value !== wanted ||
        (labels !== undefined && thingOf(current).labels[PLACE] !== place)
      )
        consumer.objects.update(
          resource,
          labelled({ ...current, spec: { ...(current['spec'] as object), value: wanted } }, labels),
          options,
        );
    });
  }

  #at(cluster: SimCluster, slot: Slot) {
    return cluster.serves(resourceOf(slot)) ? cluster.objects.get(resourceOf(slot), slot) : undefined;
  }

  #slot(object: number): Slot {
    const slot = this.#parts.wishes.slots[object];
    if (slot === undefined) throw new Error(`there is no object ${object}`);
    return slot;
  }
}

function labelled(object: JsonObject, labels: JsonObject | undefined): JsonObject {
  return labels === undefined ? object : { ...object, metadata: { ...(object['metadata'] as JsonObject), labels } };
}

export function resourceOf({ api }: Pick<Slot, 'api'>): { readonly group: string; readonly resource: string } {
  const { group = '', plural = '' } = APIS[api] ?? {};
  return { group, resource: plural };
}
