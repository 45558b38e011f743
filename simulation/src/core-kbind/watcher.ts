import type { ObjectChange } from '@hawser/apiserver';
import { equal } from '@hawser/json';
import type { Foreigners } from './foreigners.js';
import type { People } from './people.js';
import type { Related } from './related.js';
import type { Routing } from './routing.js';
import {
  ACTIVATIONS,
  APIS,
  type Activation,
  CONSUMER,
  OWNED,
  type Provider,
  type Scenario,
  type Slot,
  isRouted,
  providersOf,
  takesObjects,
} from './scenario.js';
import { type Thing, thingOf } from './thing.js';
import type { Wishes } from './wishes.js';

export interface WatcherParts {
  readonly scenario: Scenario;
  readonly routing: Routing;
  readonly wishes: Wishes;
  readonly people: People;
  readonly foreigners: Foreigners;
  readonly related: Related;
  readonly violate: (invariant: string, what: string) => void;
}

/** Compares the system's changes with people's wishes, as they happen. */
export class Watcher {
  readonly #parts: WatcherParts;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  /** The system, and no person, has changed an object in a cluster. */
  look(cluster: string, change: ObjectChange): void {
    const { group, resource } = change.resource;
    const api = APIS.findIndex((one) => one.group === group && one.plural === resource);
    if (api >= 0) {
      if (cluster === CONSUMER) this.#lookAtObject(api, change);
      else this.#lookAtCopy(cluster, api, change);
      return;
    }
    switch (resource) {
      case 'secrets':
      case 'configmaps':
        this.#parts.related.look(cluster, change);
        return;
      case 'customresourcedefinitions':
        this.#lookAtCrd(cluster, change);
        return;
      case 'namespaces':
      case 'connections':
      case 'clusterbindings':
      case 'bindings':
        if (begins(change)) this.#unasked(`${resource} ${change.key.namespace}/${change.key.name} of ${cluster}`);
    }
  }

  #lookAtObject(api: number, change: ObjectChange): void {
    const { type, object, previous } = change;
    const [now, before] = [thingOf(object), thingOf(previous ?? object)];
    const description = `${now.namespace}/${now.name} of the consumer with value ${before.value}`;
    const slot = this.#slot(api, now);
    if (slot === undefined || type === 'ADDED') this.#parts.violate('objects are of users', `${description}: ${type}`);
    else if (begins(change)) {
      const activation = ACTIVATIONS[slot.activation ?? -1];
      const isGoing = activation !== undefined && takesObjects(activation) && this.#isGoing(activation, slot);
      if (before.value > this.#parts.wishes.of(slot.object).objectGivenUp && !isGoing) this.#unasked(description);
    } else if (now.value !== before.value)
      this.#parts.violate('objects are of users', `${description} has value ${now.value} now`);
    if (slot !== undefined && type === 'MODIFIED') this.#parts.routing.lookAtObject(slot, now, before);
  }

  #lookAtCopy(cluster: string, api: number, change: ObjectChange): void {
    const { type, object, previous } = change;
    if (this.#parts.foreigners.look(change)) return;
    const [now, before] = [thingOf(object), thingOf(previous ?? object)];
    const description = `the copy ${now.namespace}/${now.name} in ${cluster} with value ${before.value}`;
    const slot = this.#slot(api, now);
    const provider = cluster as Provider;
    const leads = slot === undefined ? undefined : this.#parts.people.leadsFor(slot, provider);
    if (slot === undefined || leads === undefined || !providersOf(api).includes(provider)) {
      this.#parts.violate('copies are where bindings lead', `${description}: ${type}`);
      return;
    }
    if (type === 'ADDED' && isRouted(api) && !this.#parts.routing.mayAppear(slot, provider))
      this.#parts.violate(
        'copies are where bindings lead',
        `${description} is made, and its object is not served there`,
      );
    const { copyGivenUp, ever } = this.#parts.wishes.of(slot.object);
    if (begins(change)) {
      const isAsked = Math.abs(before.value) <= copyGivenUp || this.#isGoing(leads, slot);
      if (!isAsked && !this.#parts.routing.mayGo(slot, provider, before)) this.#unasked(description);
    } else if (now.value !== before.value && !ever.has(Math.abs(now.value)))
      this.#parts.violate("content is somebody's", `${description} says ${now.value}, which nobody wrote there`);
  }

  #lookAtCrd(cluster: string, change: ObjectChange): void {
    const { key } = change;
    if (cluster !== CONSUMER || key.name === `${OWNED.plural}.${OWNED.group}`) {
      if (isWritten(change)) this.#parts.violate('CRDs of people stay as they are', `${key.name} of ${cluster}`);
      return;
    }
    const api = APIS.findIndex(({ plural, group }) => key.name === `${plural}.${group}`);
    if (api < 0 || !begins(change)) return;
    const isAsked = this.#parts.scenario.activations.some(
      (one, index) => takesObjects(one) && this.#parts.people.wish(index).going.has(api),
    );
    if (!isAsked) this.#unasked(`CRD ${key.name}`);
  }

  #isGoing(activation: Activation, { api }: Slot): boolean {
    return this.#parts.people.wish(ACTIVATIONS.indexOf(activation)).going.has(api);
  }

  #slot(api: number, { namespace, name }: Thing): Slot | undefined {
    return this.#parts.wishes.slots.find((one) => one.api === api && one.namespace === namespace && one.name === name);
  }

  #unasked(what: string): void {
    this.#parts.violate('nothing goes unasked', `${what} goes`);
  }
}

/** The moment that counts as the loss of an object. */
function begins({ type, object, previous }: ObjectChange): boolean {
  const before = previous === undefined ? undefined : thingOf(previous);
  if (type === 'DELETED') return before?.terminating !== true;
  return thingOf(object).terminating && before?.terminating === false;
}

/** Whether anything but its status has changed. */
function isWritten(change: ObjectChange): boolean {
  const { object, previous } = change;
  if (previous === undefined) return true;
  const written = (one: typeof object): readonly unknown[] => [
    one['spec'],
    thingOf(one).labels,
    thingOf(one).annotations,
  ];
  return begins(change) || !equal(written(object), written(previous));
}
