import type { ObjectChange } from '@hawser/apiserver';
import { equal, type JsonObject } from '@hawser/json';
import type { SimCluster } from '../sim-cluster.js';
import type { VirtualTime } from '../virtual-time.js';
import type { People, PeopleParts } from './people.js';
import type { RelatedWay } from './plan.js';
import { RELATED, type RelatedSlot } from './related-slots.js';
import { ACTIVATIONS, CONSUMER, NAMESPACES, SHARE, bindingsOf } from './scenario.js';
import { thingOf } from './thing.js';

interface Asked {
  wanted: number | undefined;
  /** Whether it has the label by which its rule selects. */
  selected: boolean;
  readonly ever: Set<string>;
  /** Copies up to this value may go. */
  givenUp: number;
  /** uids of foreign objects in the place of the copy. */
  readonly occupants: Set<string>;
  isOccupied: boolean;
  /** It may be the copy of a deleted binding: without its original, nothing shows who wants it gone. */
  mayStay: boolean;
}

interface Finding {
  readonly invariant: string;
  readonly what: string;
}

export interface RelatedParts extends Omit<PeopleParts, 'wishes'> {
  readonly time: VirtualTime;
  readonly people: People;
  readonly violate: (invariant: string, what: string) => void;
}

const MINE = 'mine';
const OCCUPIED_MS = 120_000;
/** Objects that every rule selects, and that must not leave. */
const PROTECTED = [
  { namespace: 'kube-system', name: 'system' },
  { namespace: 'kbind', name: 'tempting' },
];

/** Secrets and ConfigMaps that travel with the objects, and those that do not. */
export class Related {
  readonly #parts: RelatedParts;
  readonly #asked: readonly Asked[] = RELATED.map(() => ({
    wanted: 1,
    selected: true,
    ever: new Set(['1']),
    givenUp: 0,
    occupants: new Set(),
    isOccupied: false,
    mayStay: false,
  }));
  #last = 1;

  constructor(parts: RelatedParts) {
    this.#parts = parts;
  }

  take(index: number, way: RelatedWay): void {
    const slot = RELATED[index];
    if (slot === undefined) return;
    const asked = this.#of(slot);
    switch (way) {
      case 'change':
      case 'make':
        if (way === 'change' || asked.wanted === undefined) this.#want(asked);
        break;
      case 'delete':
        Object.assign(asked, { wanted: undefined, givenUp: this.#last });
        break;
      case 'leave out':
        if (slot.label === undefined) return;
        Object.assign(asked, { selected: false, givenUp: this.#last });
        break;
      case 'select':
        asked.selected = true;
        break;
      case 'tamper':
        this.#tamper(slot);
        return;
      case 'occupy':
        this.#occupy(slot);
        return;
    }
    this.#apply(slot);
  }

  reapply(): void {
    for (const slot of RELATED) {
      this.#apply(slot);
      this.#prove(slot);
    }
    for (const name of [CONSUMER, ...new Set(ACTIVATIONS.map(({ provider }) => provider))]) this.#applyProtected(name);
  }

  /** Objects that no rule selects any more go. */
  dropRule(activation: number, rule: number): void {
    for (const slot of RELATED)
      if (slot.activation === activation && slot.rule === rule) this.#of(slot).givenUp = this.#last;
  }

  /** The binding goes with all its related objects; with `orphans`, these stay. */
  unbind(activation: number, orphans: boolean): void {
    for (const slot of RELATED)
      if (slot.activation === activation) {
        const asked = this.#of(slot);
        asked.givenUp = this.#last;
        asked.mayStay ||= orphans;
      }
  }

  /** A cluster has an older state again: its selection may differ from now. */
  isOlder(name: string): void {
    for (const slot of RELATED) {
      if (slot.activation === undefined) continue;
      if (name === CONSUMER || slot.away === name) this.#of(slot).mayStay = true;
      const found = this.#at(slot.home, slot);
      const isLeftOut =
        slot.home === name &&
        found !== undefined &&
        slot.label !== undefined &&
        thingOf(found).labels[SHARE] !== slot.label;
      if (!isLeftOut && !(name === CONSUMER && this.#rulesDiffer(slot.activation))) continue;
      const asked = this.#of(slot);
      asked.givenUp = this.#last;
      if (asked.wanted !== undefined) this.#want(asked);
    }
  }

  /** The system has changed a Secret or ConfigMap. */
  look(cluster: string, { type, resource: { resource }, key, object, previous }: ObjectChange): void {
    const what = `${resource} ${key.namespace}/${key.name} of ${cluster}`;
    const here = (slot: RelatedSlot): boolean =>
      slot.resource === resource && slot.namespace === key.namespace && slot.name === key.name;
    const isProtected = key.namespace === 'kbind' || PROTECTED.some(({ namespace }) => namespace === key.namespace);
    const original = RELATED.find((slot) => here(slot) && slot.home === cluster);
    if (original !== undefined || (isProtected && type !== 'ADDED')) {
      // A finalizer holds a kubeconfig.
      const goesWithIt = isProtected && (type === 'DELETED' || equal(object['data'], previous?.['data']));
      if (!goesWithIt) this.#parts.violate('originals are left alone', `${what}: ${type}`);
      return;
    }
    const slot = RELATED.find((one) => here(one) && one.away === cluster && one.activation !== undefined);
    if (slot === undefined) {
      this.#parts.violate('nothing leaves that no rule selects', `${what}: ${type}`);
      return;
    }
    const asked = this.#of(slot);
    const before = thingOf(previous ?? object);
    if (asked.occupants.has(before.uid)) {
      this.#parts.violate('what is of others stays as it is', `${what}: ${type}`);
      return;
    }
    if (type !== 'DELETED') {
      if (!asked.ever.has(contentOf(object) ?? '') && contentOf(object) !== MINE)
        this.#parts.violate("content is somebody's", `${what} says ${contentOf(object) ?? 'nothing'}`);
      return;
    }
    const value = Number(contentOf(object));
    if (this.isSelected(slot) && !(value <= asked.givenUp) && contentOf(object) !== MINE)
      this.#parts.violate('nothing goes unasked', `${what} with value ${value} goes`);
  }

  isSelected(slot: RelatedSlot): boolean {
    if (slot.activation === undefined) return false;
    const { bound, going, rulesLeft } = this.#parts.people.wish(slot.activation);
    const { wanted, selected } = this.#of(slot);
    return bound && going.size === 0 && !rulesLeft.has(slot.rule) && wanted !== undefined && selected;
  }

  *differences(): Generator<Finding> {
    for (const slot of RELATED) {
      if (slot.activation === undefined) continue;
      const asked = this.#of(slot);
      const copy = this.#at(slot.away, slot);
      const content = copy === undefined ? undefined : contentOf(copy);
      const description = `the copy of ${slot.resource} ${slot.namespace}/${slot.name} of ${slot.home} in ${slot.away}`;
      if (copy !== undefined && asked.occupants.has(thingOf(copy).uid)) {
        if (!asked.isOccupied) yield { invariant: 'the simulation itself', what: `${description} is still occupied` };
        continue;
      }
      if (this.isSelected(slot) && content !== String(asked.wanted))
        yield {
          invariant: 'related objects are in step',
          what: `${description} says ${content ?? 'nothing'}, wanted is ${String(asked.wanted)}`,
        };
      else if (!this.isSelected(slot) && copy !== undefined && !asked.mayStay)
        yield { invariant: 'related objects go', what: `${description} is selected by no rule, and is still there` };
    }
  }

  /** Its current binding has written the copy. */
  #prove(slot: RelatedSlot): void {
    const asked = this.#of(slot);
    const activation = ACTIVATIONS[slot.activation ?? -1];
    if (!asked.mayStay || activation === undefined || !this.isSelected(slot)) return;
    const { namespace = '', name } = activation;
    const binding = this.#parts.cluster(CONSUMER).objects.get(bindingsOf(activation), { namespace, name });
    const copy = this.#at(slot.away, slot);
    // One in deletion may let go of it as it is.
    if (binding === undefined || thingOf(binding).terminating) return;
    if (copy === undefined || contentOf(copy) !== String(asked.wanted)) return;
    if (thingOf(copy).annotations['core.kbind.io/related-binding'] === thingOf(binding).uid) asked.mayStay = false;
  }

  #want(asked: Asked): void {
    asked.wanted = ++this.#last;
    asked.ever.add(String(asked.wanted));
  }

  #apply(slot: RelatedSlot): void {
    const cluster = this.#parts.cluster(slot.home);
    const { wanted, selected, occupants, isOccupied } = this.#of(slot);
    if (cluster.up) {
      const current = this.#at(slot.home, slot);
      if (wanted === undefined) {
        if (current !== undefined) this.#delete(cluster, slot);
      } else
        this.#put(cluster, slot, {
          labels: selected && slot.label !== undefined ? { [SHARE]: slot.label } : {},
          content: String(wanted),
        });
    }
    const away = this.#parts.cluster(slot.away);
    const copy = this.#at(slot.away, slot);
    if (!isOccupied && copy !== undefined && occupants.has(thingOf(copy).uid) && away.up) this.#delete(away, slot);
  }

  /** Objects that rules select, and that must not pass. */
  #applyProtected(name: string): void {
    const cluster = this.#parts.cluster(name);
    if (!cluster.up) return;
    const label = name === CONSUMER ? 'up' : 'down';
    for (const key of PROTECTED)
      for (const resource of ['secrets', 'configmaps'] as const)
        if (name !== CONSUMER || resource === 'secrets' || key.namespace === 'kube-system')
          this.#put(cluster, { resource, ...key }, { labels: { [SHARE]: label }, content: 'protected' });
  }

  #tamper(slot: RelatedSlot): void {
    const away = this.#parts.cluster(slot.away);
    const copy = this.#at(slot.away, slot);
    if (copy === undefined || !away.up || this.#of(slot).occupants.has(thingOf(copy).uid)) return;
    this.#parts.asPeople(away, () => {
      away.objects.update(resourceOf(slot), { ...copy, data: dataOf(slot, MINE) }, { fieldManager: 'somebody' });
    });
  }

  #occupy(slot: RelatedSlot): void {
    const away = this.#parts.cluster(slot.away);
    const asked = this.#of(slot);
    if (slot.activation === undefined || !away.up || this.#at(slot.away, slot) !== undefined) return;
    asked.isOccupied = true;
    this.#put(away, slot, { labels: {}, content: 'of somebody' });
    const made = this.#at(slot.away, slot);
    if (made !== undefined) asked.occupants.add(thingOf(made).uid);
    this.#parts.time.setTimeout(() => {
      asked.isOccupied = false;
      this.#apply(slot);
    }, OCCUPIED_MS);
  }

  #put(
    cluster: SimCluster,
    slot: Pick<RelatedSlot, 'resource' | 'namespace' | 'name'>,
    { labels, content }: { readonly labels: JsonObject; readonly content: string },
  ): void {
    const { namespace, name } = slot;
    this.#parts.asPeople(cluster, () => {
      if (cluster.objects.get(NAMESPACES, { namespace: '', name: namespace }) === undefined)
        cluster.objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const current = cluster.objects.get(resourceOf(slot), { namespace, name });
      const [kind, data] = [slot.resource === 'secrets' ? 'Secret' : 'ConfigMap', dataOf(slot, content)];
      if (current === undefined)
        cluster.objects.create(
          resourceOf(slot),
          { apiVersion: 'v1', kind, metadata: { namespace, name, labels }, data },
          { fieldManager: 'people' },
        );
      else if (!equal(current['data'], data) || !equal(thingOf(current).labels, labels))
        cluster.objects.update(
          resourceOf(slot),
          { ...current, metadata: { ...(current['metadata'] as JsonObject), labels }, data },
          { fieldManager: 'people' },
        );
    });
  }

  #delete(cluster: SimCluster, slot: RelatedSlot): void {
    this.#parts.asPeople(cluster, () => {
      cluster.objects.delete(resourceOf(slot), slot);
    });
  }

  /** Whether the existing binding has other rules than people want, or is in deletion. */
  #rulesDiffer(index: number): boolean {
    const activation = ACTIVATIONS[index];
    if (activation === undefined) return false;
    const { objects } = this.#parts.cluster(CONSUMER);
    const { namespace = '', name, rules } = activation;
    const resource = bindingsOf(activation);
    const found = this.#parts.cluster(CONSUMER).serves(resource)
      ? objects.get(resource, { namespace, name })
      : undefined;
    if (found === undefined || thingOf(found).terminating) return true;
    const { relatedResources = [] } = found['spec'] as { readonly relatedResources?: readonly unknown[] };
    return relatedResources.length !== rules.length;
  }

  #at(cluster: string, slot: RelatedSlot): JsonObject | undefined {
    return this.#parts.cluster(cluster).objects.get(resourceOf(slot), slot);
  }

  #of({ index }: RelatedSlot): Asked {
    const asked = this.#asked[index];
    if (asked === undefined) throw new Error(`there is no related object ${index}`);
    return asked;
  }
}

function resourceOf({ resource }: Pick<RelatedSlot, 'resource'>): {
  readonly group: string;
  readonly resource: string;
} {
  return { group: '', resource };
}

function dataOf({ resource }: Pick<RelatedSlot, 'resource'>, content: string): JsonObject {
  return { content: resource === 'secrets' ? Buffer.from(content).toString('base64') : content };
}

function contentOf({ kind, data }: JsonObject): string | undefined {
  const content = (data as { readonly content?: string } | undefined)?.content;
  return content === undefined || kind === 'ConfigMap' ? content : Buffer.from(content, 'base64').toString();
}
