import type { ObjectChange } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import type { VirtualTime } from '../virtual-time.js';
import { at } from './in-step.js';
import type { People, PeopleParts } from './people.js';
import { type Provider, PROVIDERS, type Slot, connectionTo, isRouted, providersOf } from './scenario.js';
import { CONSUMER } from './scenario.js';
import { OBJECT_UID, SERVED_BY, SYNCER, type Thing, thingOf } from './thing.js';

export interface RoutingParts extends PeopleParts {
  readonly time: VirtualTime;
  readonly people: People;
  readonly violate: (invariant: string, what: string) => void;
  /** The provider to which a command is moving an object. */
  readonly movesTo: (object: number) => Provider | undefined;
}

const TO = 'hawser.dev/move-to';
const READY = 'hawser.dev/move-ready';
const FROM = 'hawser.dev/moved-from';
const UNDO = 'hawser.dev/move-undo';
const MARKS = [TO, FROM, UNDO];
/** By then, requests from before a restore have arrived, and knowledge from then is forgotten. */
const OLDER_COUNTS_MS = 600_000;

/** For objects of a routed API: possible places of their copies, and the serving copy. */
export class Routing {
  readonly #parts: RoutingParts;
  /** uid → cluster of all objects that ever were in the place of a copy. */
  readonly #homes = new Map<string, string>();
  /** Cluster and object uid of copies that once were ready. */
  readonly #ready = new Set<string>();
  /** uid of an object → the provider last noted on it. */
  readonly #noted = new Map<string, Provider>();
  #olderAt = -Infinity;

  constructor(parts: RoutingParts) {
    this.#parts = parts;
  }

  /** The provider whose copy serves an object: as noted on it, now or until a webhook removed that, or by its label. */
  home(slot: Slot): Provider | undefined {
    if (!isRouted(slot.api)) return providersOf(slot.api)[0];
    const object = this.#object(slot);
    const served = object === undefined ? undefined : this.#servedBy(slot, object);
    if (served !== undefined || object?.finalizers.includes(SYNCER) === true) return served;
    const { place } = this.#parts.wishes.of(slot.object);
    return PROVIDERS.find((provider) => this.#parts.people.leadsFor(slot, provider)?.place === place);
  }

  /** Whether a binding keeps it in step. */
  isCovered(slot: Slot): boolean {
    const { people } = this.#parts;
    const home = this.home(slot);
    return home !== undefined && people.coversAt(slot, home);
  }

  /** Whether the binding that keeps it in step is being deleted. */
  isLetGo(slot: Slot): boolean {
    const home = this.home(slot);
    return home !== undefined && this.#parts.people.isLettingGoAt(slot, home);
  }

  /** Whether an object notes a copy there, or a possible one, besides the serving one. */
  isMoving(slot: Slot, provider: string): boolean {
    const { annotations = {} } = this.#object(slot) ?? {};
    return MARKS.some((mark) => annotations[mark] === connectionTo(provider as Provider));
  }

  /** Whether a move has unfinished work, whatever aborted it. */
  isLeft(slot: Slot): boolean {
    const { annotations = {} } = this.#object(slot) ?? {};
    return [FROM, UNDO].some((mark) => annotations[mark] !== undefined);
  }

  isOlder(): void {
    this.#olderAt = this.#parts.time.monotonic();
  }

  /** Whether an object does not say where it is served, and no copy of it does: people have to say it. */
  isLost(slot: Slot): boolean {
    const object = this.#object(slot);
    if (!isRouted(slot.api) || object?.finalizers.includes(SYNCER) !== true || homeOf(object) !== undefined)
      return false;
    return this.#holderOf(slot, object) === undefined;
  }

  /** Records any change in a cluster. */
  see(cluster: string, { object, previous }: ObjectChange): void {
    const thing = thingOf(object);
    const noted = previous === undefined ? undefined : homeOf(thingOf(previous));
    if (cluster === CONSUMER && noted !== undefined) this.#noted.set(thing.uid, noted);
    this.#homes.set(thing.uid, cluster);
    if (isReady(object)) this.#ready.add(`${cluster} ${thing.annotations[OBJECT_UID] ?? ''}`);
  }

  /** The system, or a command, has written to an object. */
  lookAtObject(slot: Slot, now: Thing, before: Thing): void {
    if (!isRouted(slot.api)) return;
    const description = `${now.namespace}/${now.name}`;
    const home = homeOf(now);
    if (home !== homeOf(before)) this.#lookAtHome(slot, description, { now, before });
    const ready = now.annotations[READY];
    if (ready !== undefined && ready !== before.annotations[READY]) {
      const pair = `${providerAt(ready) ?? ''} ${now.uid}`;
      // Without a report from the serving copy, another one need not report either.
      if (before.status.copy === undefined) this.#ready.add(pair);
      if (!this.#ready.has(pair))
        this.#parts.violate('a move waits until the copy is ready', `${description}: ${ready} is said to be`);
    }
    const { copy } = now.status;
    const served = this.#servedBy(slot, now);
    if (copy !== undefined && copy !== before.status.copy && this.#homes.get(copy) !== served)
      this.#parts.violate(
        'one copy serves',
        `${description} has a status of ${this.#homes.get(copy) ?? 'nothing'}, and is served by ${served ?? 'nothing'}`,
      );
  }

  /** The system has made a copy. */
  mayAppear(slot: Slot, provider: Provider): boolean {
    if (this.#wasRestored()) return true;
    const object = this.#object(slot);
    if (object === undefined) return false;
    // Where bindings lead to one provider alone, an object need not say so.
    const noted = this.#notedOn(object);
    const isFree = this.#parts.cluster(CONSUMER).webhooks.strips || this.#parts.people.leadsAlone(slot.api, provider);
    return noted === provider || (noted === undefined && isFree) || this.isMoving(slot, provider);
  }

  /** Whether a copy may go although the object stays wanted: it was left behind, and another one is ready. */
  mayGo(slot: Slot, provider: string, copy: Thing): boolean {
    const object = this.#object(slot);
    if (object === undefined || !isRouted(slot.api) || copy.annotations[OBJECT_UID] !== object.uid) return false;
    const home = this.#servedBy(slot, object);
    if (home === undefined || home === provider || !this.isMoving(slot, provider)) return false;
    return object.annotations[FROM] !== connectionTo(provider as Provider) || this.#ready.has(`${home} ${object.uid}`);
  }

  #lookAtHome(slot: Slot, description: string, { now, before }: { readonly now: Thing; readonly before: Thing }): void {
    const { people, wishes, movesTo, violate, cluster } = this.#parts;
    const [home, former] = [homeOf(now), this.#servedBy(slot, before)];
    if (home === undefined) {
      const isStripped = cluster(CONSUMER).webhooks.strips;
      if (now.finalizers.includes(SYNCER) && !isStripped)
        violate('objects say where they are served', `${description} does not any more`);
    } else if (home === former) {
      // It says so again.
    } else if (before.finalizers.includes(SYNCER)) {
      if (movesTo(slot.object) !== home || before.annotations[READY] !== connectionTo(home))
        violate('objects stay where they are', `${description} goes from ${former ?? 'nothing'} to ${home}`);
    } else if (!people.mayLead(slot, home, wishes.of(slot.object).place))
      violate(
        'objects go where bindings lead',
        `${description}, labelled ${wishes.of(slot.object).place}, goes to ${home}`,
      );
  }

  #servedBy(slot: Slot, object: Thing): Provider | undefined {
    return this.#notedOn(object) ?? (object.finalizers.includes(SYNCER) ? this.#holderOf(slot, object) : undefined);
  }

  #notedOn(object: Thing): Provider | undefined {
    return homeOf(object) ?? (object.finalizers.includes(SYNCER) ? this.#noted.get(object.uid) : undefined);
  }

  #holderOf(slot: Slot, { uid }: Thing): Provider | undefined {
    return PROVIDERS.find((provider) => at(this.#parts.cluster(provider), slot)?.annotations[OBJECT_UID] === uid);
  }

  #wasRestored(): boolean {
    return this.#parts.time.monotonic() - this.#olderAt < OLDER_COUNTS_MS;
  }

  #object(slot: Slot): Thing | undefined {
    return at(this.#parts.cluster(CONSUMER), slot);
  }
}

/** The provider noted on an object. */
function homeOf({ annotations }: Thing): Provider | undefined {
  return providerAt(annotations[SERVED_BY]);
}

function providerAt(connection: string | undefined): Provider | undefined {
  return PROVIDERS.find((provider) => connectionTo(provider) === connection);
}

function isReady(object: JsonObject): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
