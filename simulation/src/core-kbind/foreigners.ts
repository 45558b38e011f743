import type { ObjectChange } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { objectOf } from '../sample.js';
import type { People, PeopleParts } from './people.js';
import type { ForeignWay } from './plan.js';
import type { Routing } from './routing.js';
import { APIS, CONSUMER, NAMESPACES, type Provider, type Slot, providersOf } from './scenario.js';
import { CLUSTER_UID, OBJECT_UID, type Thing, thingOf } from './thing.js';
import { resourceOf } from './users.js';

interface Foreign {
  readonly slot: Slot;
  readonly provider: Provider;
  readonly way: ForeignWay;
  isOver: boolean;
}

export interface ForeignersParts extends PeopleParts {
  readonly people: People;
  readonly routing: Routing;
  readonly violate: (invariant: string, what: string) => void;
}

const FOREIGN = 5_000_000;
const KEPT = 'kept-';
const marks: Readonly<Record<ForeignWay, JsonObject>> = {
  unmarked: {},
  'of another cluster': { [CLUSTER_UID]: 'another-cluster', [OBJECT_UID]: 'another-object' },
  'of kube-bind': { 'kube-bind.io/cluster-namespace': 'cluster-another', 'kube-bind.io/consumer-uid': 'another' },
};

/**
 * Objects on the providers that are no copies of ours: none is written or deleted, except unmarked ones that a person
 * had adopted.
 */
export class Foreigners {
  readonly #parts: ForeignersParts;
  /** Foreign objects by uid. */
  readonly #foreign = new Map<string, Foreign>();

  constructor(parts: ForeignersParts) {
    this.#parts = parts;
  }

  /** Makes a foreign object in the place of a copy, if it is free. Returns how its owner deletes it. */
  occupy(slot: Slot, way: ForeignWay, where = providersOf(slot.api)[0]): (() => void) | undefined {
    if (where === undefined) return undefined;
    const provider = this.#parts.cluster(where);
    const api = APIS[slot.api];
    const resource = resourceOf(slot);
    if (api === undefined || !provider.up || !provider.serves(resource)) return undefined;
    if (provider.objects.get(resource, slot) !== undefined) return undefined;
    let foreign: Foreign | undefined;
    this.#parts.asPeople(provider, () => {
      if (provider.objects.get(NAMESPACES, { namespace: '', name: slot.namespace }) === undefined)
        provider.objects.create(NAMESPACES, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: slot.namespace },
        });
      const object = objectOf({ ...slot, binding: 0 }, api, FOREIGN + slot.object);
      const metadata = { ...(object['metadata'] as JsonObject), annotations: marks[way] };
      const made = provider.objects.create(resource, { ...object, metadata }, { fieldManager: 'somebody' });
      foreign = { slot, provider: where, way, isOver: false };
      this.#foreign.set(thingOf(made).uid, foreign);
    });
    return () => {
      if (foreign !== undefined) foreign.isOver = true;
      this.reapply();
    };
  }

  /** A person clones a copy, with all its marks: gets it, changes its name, and applies it. */
  keep(slot: Slot): void {
    const home = this.#parts.routing.home(slot);
    if (home === undefined) return;
    const provider = this.#parts.cluster(home);
    const resource = resourceOf(slot);
    const copy = provider.up && provider.serves(resource) ? provider.objects.get(resource, slot) : undefined;
    const key = { namespace: slot.namespace, name: `${KEPT}${slot.name}` };
    if (copy === undefined || provider.objects.get(resource, key) !== undefined) return;
    const { labels, annotations } = copy['metadata'] as {
      readonly labels?: JsonObject;
      readonly annotations?: JsonObject;
    };
    this.#parts.asPeople(provider, () => {
      provider.objects.create(resource, { ...copy, metadata: { ...key, labels, annotations } });
    });
  }

  /** Deletes what is no longer needed, unless it was adopted. */
  reapply(): void {
    for (const [uid, { slot, isOver, provider: where }] of this.#foreign) {
      const provider = this.#parts.cluster(where);
      const resource = resourceOf(slot);
      if (!isOver || !provider.up || !provider.serves(resource)) continue;
      const found = provider.objects.get(resource, slot);
      if (found === undefined || thingOf(found).uid !== uid || this.#isTakenOver(thingOf(found))) continue;
      this.#parts.asPeople(provider, () => {
        provider.objects.delete(resource, slot);
      });
    }
  }

  isForeign(thing: Thing): boolean {
    return this.#foreign.has(thing.uid) && !this.#isTakenOver(thing);
  }

  /** The system has changed an object on a provider. Returns whether it is no copy. */
  look({ type, object, previous }: ObjectChange): boolean {
    const [now, before] = [thingOf(object), thingOf(previous ?? object)];
    if (now.name.startsWith(KEPT)) {
      if (isChanged(type, now, before)) this.#parts.violate('what others keep stays as it is', `${now.name}: ${type}`);
      return true;
    }
    const foreign = this.#foreign.get(before.uid);
    if (foreign === undefined || this.#isTakenOver(before)) return false;
    const { slot, provider, way } = foreign;
    const mayTake = way === 'unmarked' && this.#parts.people.hasAdopted(slot, provider);
    const goes = type === 'DELETED' || (now.terminating && !before.terminating);
    if (isChanged(type, now, before) && (goes || !mayTake))
      this.#parts.violate(
        'what is of others stays as it is',
        `${now.namespace}/${now.name}, which is ${way}: ${goes ? 'deleted' : 'written to'}`,
      );
    return true;
  }

  /** Whether it bears the marks of this consumer. */
  #isTakenOver({ annotations }: Thing): boolean {
    const home = this.#parts.cluster(CONSUMER).objects.get(NAMESPACES, { namespace: '', name: 'kube-system' });
    return home !== undefined && annotations[CLUSTER_UID] === thingOf(home).uid;
  }
}

/** Compares the parts that people write: operators report in its status, and hold it. */
function isChanged(type: string, now: Thing, before: Thing): boolean {
  if (type === 'ADDED') return false;
  if (type === 'DELETED') return !before.terminating;
  const written = ({ terminating, labels, annotations, value }: Thing): string =>
    JSON.stringify([terminating, labels, annotations, value]);
  return written(now) !== written(before);
}
