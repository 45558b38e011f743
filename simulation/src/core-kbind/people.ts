import { StatusError } from '@hawser/apiserver';
import { equal, type JsonObject } from '@hawser/json';
import { crdOf } from '../sample.js';
import type { SimCluster } from '../sim-cluster.js';
import type { VirtualTime } from '../virtual-time.js';
import type { SelectorWay } from './plan.js';
import {
  ACTIVATIONS,
  APIS,
  type Activation,
  CONNECTIONS,
  CONSUMER,
  CRDS,
  OWNED,
  PLACE,
  PROVIDERS,
  type Place,
  type Provider,
  SECRETS,
  SHARE,
  type Scenario,
  type Slot,
  bindingsOf,
  connectionTo,
  isRouted,
  listsOwned,
  takesObjects,
} from './scenario.js';
import { thingOf } from './thing.js';
import type { Wishes } from './wishes.js';

export interface PeopleParts {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly wishes: Wishes;
  readonly cluster: (name: string) => SimCluster;
  /** Acts as people do. Retries later if a server refuses. */
  readonly asPeople: (cluster: SimCluster, act: () => void) => void;
}

interface Wish {
  bound: boolean;
  /** Deleted in a way that keeps everything. */
  orphans: boolean;
  adopts: boolean;
  readonly apisLeft: Set<number>;
  readonly rulesLeft: Set<number>;
  /** Deleted, and not yet recreated: all objects of these APIs go. */
  going: ReadonlySet<number>;
  /** Whether a person had it adopt unmarked objects. */
  hasAdopted: boolean;
  selector: SelectorWay | undefined;
  /** When it last overlapped with other selectors, and when it last selected nothing; in virtual milliseconds. */
  wideAt: number;
  awayAt: number;
}

interface Access {
  wanted: boolean;
  /** Target of the Secret's kubeconfig. */
  leadsTo: Provider | 'garbage';
  rotation: number;
  /** Number of tokens handed out since the first. */
  token: number;
}

const KONNECTOR = 'kbind';
/** Time until all have forgotten older selectors and bindings. */
const OUTDATED_MS = 600_000;
const OBJECT_SELECTOR = 'hawser.dev/object-selector';
const UNBIND_POLICY = 'hawser.dev/unbind-policy';
/** The CRDs of the providers. */
const OFFERED: typeof APIS = [...APIS, OWNED];

/** Wishes of platform teams on the consumer, and of API owners on the providers. They check them again and again. */
export class People {
  readonly #parts: PeopleParts;
  readonly #wishes: readonly Wish[] = ACTIVATIONS.map(() => ({
    bound: true,
    orphans: false,
    adopts: false,
    apisLeft: new Set(),
    rulesLeft: new Set(),
    going: new Set(),
    hasAdopted: false,
    selector: undefined,
    wideAt: -Infinity,
    awayAt: 0,
  }));
  readonly #accesses = new Map<Provider, Access>(
    PROVIDERS.map((provider) => [provider, { wanted: true, leadsTo: provider, rotation: 0, token: 0 }]),
  );
  readonly #fields = OFFERED.map(() => 0);
  readonly #withdrawn = new Set<number>();

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  wish(activation: number): Readonly<Omit<Wish, 'apisLeft' | 'rulesLeft'>> & {
    readonly apisLeft: ReadonlySet<number>;
    readonly rulesLeft: ReadonlySet<number>;
  } {
    return this.#wish(activation);
  }

  fields(api: number): number {
    return this.#fields[api] ?? 0;
  }

  leadsTo(provider: Provider): Provider | 'garbage' {
    return this.#access(provider).leadsTo;
  }

  /** Whether the binding of an API is to keep its objects in step. */
  covers(activation: number | undefined, api: number): boolean {
    if (activation === undefined) return false;
    const { bound, going, apisLeft } = this.#wish(activation);
    return bound && !going.has(api) && !apisLeft.has(api) && this.#binding(activation) !== undefined;
  }

  /** The binding that leads objects of that namespace to a provider. */
  leadsFor({ api, namespace, activation }: Slot, provider: Provider): Activation | undefined {
    if (!isRouted(api)) return activation === undefined ? undefined : ACTIVATIONS[activation];
    return this.#parts.scenario.activations.find(
      (one) => one.apis.includes(api) && one.provider === provider && (one.namespace ?? namespace) === namespace,
    );
  }

  /** Whether no binding of that API leads to another provider. */
  leadsAlone(api: number, provider: Provider): boolean {
    return ACTIVATIONS.every((one, index) => {
      const binding = one.apis.includes(api) && one.provider !== provider ? this.#binding(index) : undefined;
      return binding === undefined || (thingOf(binding).terminating && thingOf(binding).finalizers.length === 0);
    });
  }

  /** Whether the binding to that provider is to keep it in step. */
  coversAt(slot: Slot, provider: Provider): boolean {
    const leads = this.leadsFor(slot, provider);
    return leads !== undefined && this.covers(ACTIVATIONS.indexOf(leads), slot.api);
  }

  /** Whether the binding to that provider is being deleted, although another one may be wanted by now. */
  isLettingGoAt(slot: Slot, provider: Provider): boolean {
    const leads = this.leadsFor(slot, provider);
    const binding = leads === undefined ? undefined : this.#binding(ACTIVATIONS.indexOf(leads));
    return binding !== undefined && thingOf(binding).terminating;
  }

  /** Whether a person had the binding to that provider adopt unmarked objects. */
  hasAdopted(slot: Slot, provider: Provider): boolean {
    const leads = this.leadsFor(slot, provider);
    return leads !== undefined && this.#wish(ACTIVATIONS.indexOf(leads)).hasAdopted;
  }

  /** Whether a new object with that label may go there, by current selectors or recent ones. */
  mayLead(slot: Slot, provider: Provider, place: Place): boolean {
    const leads = this.leadsFor(slot, provider);
    if (leads === undefined) return false;
    if (leads.place === place) return true;
    const since = this.#parts.time.monotonic() - OUTDATED_MS;
    const isWide = (one: Activation): boolean => {
      const { selector, wideAt } = this.#wish(ACTIVATIONS.indexOf(one));
      return selector === 'all of both' || wideAt >= since;
    };
    if (place === 'nowhere' || !isWide(leads)) return false;
    // A ClusterBinding comes before a Binding.
    const first = this.#parts.scenario.activations.find(
      (one) => one !== leads && one.namespace === undefined && one.apis.includes(slot.api),
    );
    if (first === undefined) return true;
    const { bound, selector, awayAt } = this.#wish(ACTIVATIONS.indexOf(first));
    return !bound || selector === 'none' || awayAt >= since;
  }

  select(activation: number, selector: SelectorWay | undefined): void {
    const wish = this.#wish(activation);
    if (wish.selector === 'all of both') wish.wideAt = this.#parts.time.monotonic();
    if (wish.selector === 'none') wish.awayAt = this.#parts.time.monotonic();
    wish.selector = selector;
    this.#applyBinding(activation);
  }

  unbind(activation: number, orphans: boolean): void {
    Object.assign(this.#wish(activation), { bound: false, orphans });
    this.#applyBinding(activation);
  }

  /** Bindings that a backup has restored, while their Connection waits for them to go. */
  stranded(): readonly number[] {
    return [...this.#parts.scenario.activations.entries()].flatMap(([index, { provider }]) => {
      const binding = this.#binding(index);
      const isMeantToStay = this.#wish(index).bound && binding !== undefined && !thingOf(binding).terminating;
      return isMeantToStay && this.#isDraining(provider) ? [index] : [];
    });
  }

  bind(activation: number): void {
    const wish = this.#wish(activation);
    wish.bound = true;
    wish.awayAt = this.#parts.time.monotonic();
    this.#applyBinding(activation);
  }

  /** For the binding that lists it. */
  shorten(api: number, isLeft: boolean): void {
    for (const [index, { apis }] of this.#parts.scenario.activations.entries()) {
      if (!apis.includes(api)) continue;
      const { apisLeft } = this.#wish(index);
      if (isLeft) apisLeft.add(api);
      else apisLeft.delete(api);
      for (const slot of this.#parts.wishes.slots) if (slot.api === api) this.#parts.wishes.copyMayStay(slot.object);
      this.#applyBinding(index);
    }
  }

  adopt(activation: number, adopts: boolean): void {
    const wish = this.#wish(activation);
    wish.adopts = adopts;
    wish.hasAdopted ||= adopts;
    this.#applyBinding(activation);
  }

  dropRule(activation: number, rule: number, isDropped: boolean): void {
    const { rulesLeft } = this.#wish(activation);
    if (isDropped) rulesLeft.add(rule);
    else rulesLeft.delete(rule);
    this.#applyBinding(activation);
  }

  /** Whether the Connection exists, and knows its provider. */
  isPinned(provider: Provider): boolean {
    const { objects } = this.#parts.cluster(CONSUMER);
    const connection = objects.get(CONNECTIONS, { namespace: '', name: connectionTo(provider) });
    const { remoteClusterUID = '' } = (connection?.['status'] ?? {}) as { readonly remoteClusterUID?: string };
    return this.#access(provider).wanted && remoteClusterUID !== '';
  }

  /** Needs a right kubeconfig: with another one, nothing could be deleted. */
  disconnect(provider: Provider): void {
    this.leadRight(provider);
    this.#access(provider).wanted = false;
    for (const [index, one] of this.#parts.scenario.activations.entries())
      if (one.provider === provider) this.unbind(index, false);
    this.#applyAccess(provider);
  }

  connect(provider: Provider): void {
    this.#access(provider).wanted = true;
    this.#applyAccess(provider);
    for (const [index, one] of this.#parts.scenario.activations.entries())
      if (one.provider === provider) this.bind(index);
  }

  /** Misleads a Connection that knows its provider. Another one would take the wrong cluster for its provider. */
  mislead(provider: Provider, way: 'other' | 'garbage'): void {
    if (!this.isPinned(provider)) return;
    const other = PROVIDERS.find((one) => one !== provider) ?? provider;
    this.#access(provider).leadsTo = way === 'other' ? other : way;
    this.#applyAccess(provider);
  }

  leadRight(provider: Provider): void {
    this.#access(provider).leadsTo = provider;
    this.#applyAccess(provider);
  }

  rotate(provider: Provider): void {
    this.#access(provider).rotation++;
    this.#applyAccess(provider);
  }

  /** The provider no longer accepts the token that it has handed out. */
  revoke(provider: Provider): void {
    this.#parts.cluster(provider).revoke(this.#tokenOf(provider));
  }

  handOut(provider: Provider): void {
    this.#access(provider).token++;
    for (const one of PROVIDERS) this.#applyAccess(one);
  }

  /**
   * Deletes it without its finalizers, while bindings name it. A new one at the wrong cluster would take that for its
   * provider.
   */
  loseConnection(provider: Provider): void {
    const consumer = this.#parts.cluster(CONSUMER);
    const key = { namespace: '', name: connectionTo(provider) };
    const current = consumer.up ? consumer.objects.get(CONNECTIONS, key) : undefined;
    if (current === undefined || thingOf(current).terminating) return;
    this.leadRight(provider);
    this.#parts.asPeople(consumer, () => {
      const metadata = current['metadata'] as JsonObject;
      consumer.objects.update(CONNECTIONS, { ...current, metadata: { ...metadata, finalizers: [] } });
      consumer.objects.delete(CONNECTIONS, key);
    });
  }

  withdraw(api: number, isWithdrawn: boolean): void {
    if (isWithdrawn) this.#withdrawn.add(api);
    else this.#withdrawn.delete(api);
    this.#applyCrd(api);
  }

  addField(api: number): void {
    this.#fields[api] = this.fields(api) + 1;
    this.#applyCrd(api);
  }

  reapply(): void {
    for (const api of OFFERED.keys()) this.#applyCrd(api);
    for (const provider of PROVIDERS) this.#applyAccess(provider);
    for (const index of this.#parts.scenario.activations.keys()) this.#applyBinding(index);
    this.#applyOwned();
  }

  /** The consumer has an older state again: its pending deletions of bindings go on. */
  consumerIsOlder(): void {
    // It may no longer know its providers.
    for (const access of this.#accesses) access[1].leadsTo = access[0];
    for (const [index, { apis }] of this.#parts.scenario.activations.entries()) {
      const binding = this.#binding(index);
      if (binding === undefined || !thingOf(binding).terminating) continue;
      if (thingOf(binding).annotations[UNBIND_POLICY] === 'Orphan') this.#mayStay(index);
      else this.#isGoing(index, apis);
    }
  }

  /** CRDs of the APIs that a provider, or a cluster in its place, has. */
  crdsOf(provider: string): readonly JsonObject[] {
    return OFFERED.flatMap((api, index) => {
      if (api.isRouted === true && !this.#parts.scenario.routes) return [];
      const isOffered = api.provider === provider || api.isRouted === true;
      // Both serve everything: objects for one must not come to the other.
      return isOffered || index < APIS.length ? [this.#crd(index, isOffered)] : [];
    });
  }

  #crd(index: number, isOffered: boolean): JsonObject {
    const api = OFFERED[index] ?? OWNED;
    const crd = crdOf(api, { fields: this.fields(index), limit: 1_000_000_000 }, { conditions: api.isRouted === true });
    const metadata = crd['metadata'] as JsonObject;
    const isExported = isOffered && !this.#withdrawn.has(index);
    return { ...crd, metadata: { ...metadata, labels: isExported ? { 'core.kbind.io/exported': 'true' } : {} } };
  }

  #applyCrd(index: number): void {
    for (const provider of PROVIDERS) {
      const wanted = this.crdsOf(provider).find((one) => nameOf(one) === nameOf(this.#crd(index, true)));
      if (wanted !== undefined) this.#apply(this.#parts.cluster(provider), CRDS, wanted);
    }
  }

  /** Applies the CRD that the consumer's own people have. */
  #applyOwned(): void {
    const crd = crdOf(OWNED, { fields: 7, limit: 1_000_000_000 });
    this.#apply(this.#parts.cluster(CONSUMER), CRDS, { ...crd, metadata: { name: nameOf(crd) } });
  }

  #applyAccess(provider: Provider): void {
    const consumer = this.#parts.cluster(CONSUMER);
    const { wanted, leadsTo, rotation } = this.#access(provider);
    const name = connectionTo(provider);
    const key = { namespace: KONNECTOR, name };
    const kubeconfig = leadsTo === 'garbage' ? 'no kubeconfig' : this.#kubeconfigOf(leadsTo, rotation);
    const isThere = consumer.objects.get(SECRETS, key) !== undefined;
    if (wanted || isThere)
      this.#applyWherever(consumer, SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        // No label makes it leave.
        metadata: { ...key, labels: { [SHARE]: 'up' } },
        data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
      });
    if (!wanted) {
      this.#delete(consumer, CONNECTIONS, { namespace: '', name });
      this.#delete(consumer, SECRETS, key);
      return;
    }
    this.#apply(consumer, CONNECTIONS, {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: 'Connection',
      metadata: { name },
      spec: {
        kubeconfigSecretRef: { ...key, key: 'kubeconfig' },
        autoBind: false,
        schema: { source: 'CRD', pullPolicy: 'Bound', updatePolicy: 'Always' },
      },
    });
  }

  #kubeconfigOf(provider: Provider, rotation: number): string {
    const { server } = this.#parts.cluster(provider).administrator;
    const name = `${provider}-${rotation}`;
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      contexts: [{ name, context: { cluster: name, user: name } }],
      clusters: [{ name, cluster: { server } }],
      users: [{ name, user: { token: this.#tokenOf(provider) } }],
    });
  }

  #tokenOf(provider: Provider): string {
    const { credentials } = this.#parts.cluster(provider).administrator;
    const { token } = this.#access(provider);
    return `${credentials.kind === 'token' ? credentials.token : ''}${token === 0 ? '' : `-${token}`}`;
  }

  #applyBinding(index: number): void {
    const one = activation(index);
    const consumer = this.#parts.cluster(CONSUMER);
    const resource = bindingsOf(one);
    const wish = this.#wish(index);
    if (!consumer.up || !consumer.serves(resource)) return;
    const current = this.#binding(index);
    const wanted = this.#manifest(one, wish);
    if (current !== undefined && thingOf(current).terminating) {
      // One whose selector selects nothing waits for people.
      if (one.place !== undefined) this.#correctSelector(current, resource, selectorOf(one.place, wish.selector));
      return;
    }
    if (wish.bound) {
      // One in deletion waits until no binding names it.
      if (current === undefined && this.#isDraining(one.provider)) return;
      if (current === undefined) this.#rebound(index);
      // A backup has restored it, with what it had.
      else wish.going = new Set();
      this.#apply(consumer, resource, wanted);
      return;
    }
    if (current === undefined) return;
    this.#apply(consumer, resource, wanted);
    if (wish.orphans) this.#mayStay(index);
    else
      this.#isGoing(
        index,
        one.apis.filter((api) => !wish.apisLeft.has(api)),
      );
    this.#delete(consumer, resource, { namespace: one.namespace ?? '', name: one.name });
  }

  #correctSelector(current: JsonObject, resource: { group: string; resource: string }, selector: string): void {
    const { annotations } = thingOf(current);
    if (annotations[OBJECT_SELECTOR] === selector) return;
    const metadata = {
      ...(current['metadata'] as JsonObject),
      annotations: { ...annotations, [OBJECT_SELECTOR]: selector },
    };
    this.#applyWherever(this.#parts.cluster(CONSUMER), resource, { ...current, metadata });
  }

  #manifest(one: Activation, wish: Wish): JsonObject {
    const { name, namespace, provider, apis, rules } = one;
    const listed = apis
      .filter((api) => !wish.apisLeft.has(api))
      .map((api) => ({ name: `${APIS[api]?.plural ?? ''}.${APIS[api]?.group ?? ''}` }));
    const owned = listsOwned(one) ? [{ name: `${OWNED.plural}.${OWNED.group}` }] : [];
    return {
      apiVersion: 'core.kbind.io/v1alpha1',
      kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        annotations: {
          [UNBIND_POLICY]: wish.orphans && !wish.bound ? 'Orphan' : '',
          ...(one.place === undefined ? {} : { [OBJECT_SELECTOR]: selectorOf(one.place, wish.selector) }),
        },
      },
      spec: {
        connectionRef: { name: connectionTo(provider) },
        apis: [...listed, ...owned],
        conflictPolicy: wish.adopts ? 'Adopt' : 'Fail',
        relatedResources: rules.filter((_, rule) => !wish.rulesLeft.has(rule)) as unknown as JsonObject[],
      },
    };
  }

  #rebound(index: number): void {
    const { wishes } = this.#parts;
    const wish = this.#wish(index);
    for (const slot of wishes.slots)
      if (concerns(index, slot) && wish.going.has(slot.api)) {
        wishes.giveUp(slot.object, { object: takesObjects(activation(index)) });
        wishes.renew(slot.object);
      }
    wish.going = new Set();
  }

  #isGoing(index: number, apis: readonly number[]): void {
    this.#wish(index).going = new Set(apis);
  }

  #mayStay(index: number): void {
    for (const slot of this.#parts.wishes.slots)
      if (concerns(index, slot)) this.#parts.wishes.copyMayStay(slot.object, activation(index).provider);
  }

  #isDraining(provider: Provider): boolean {
    const { objects } = this.#parts.cluster(CONSUMER);
    const connection = objects.get(CONNECTIONS, { namespace: '', name: connectionTo(provider) });
    return connection !== undefined && thingOf(connection).terminating;
  }

  #binding(index: number): JsonObject | undefined {
    const one = activation(index);
    const consumer = this.#parts.cluster(CONSUMER);
    const resource = bindingsOf(one);
    return consumer.serves(resource)
      ? consumer.objects.get(resource, { namespace: one.namespace ?? '', name: one.name })
      : undefined;
  }

  /** Like `kubectl apply`: keeps the fields of others. */
  #apply(cluster: SimCluster, resource: { group: string; resource: string }, wanted: JsonObject): void {
    if (!cluster.up || !cluster.serves(resource)) return;
    const { name, namespace = '' } = wanted['metadata'] as { readonly name: string; readonly namespace?: string };
    const current = cluster.objects.get(resource, { namespace, name });
    if (current === undefined || !thingOf(current).terminating) this.#applyWherever(cluster, resource, wanted);
  }

  /** Applies also to an object in deletion. */
  #applyWherever(cluster: SimCluster, resource: { group: string; resource: string }, wanted: JsonObject): void {
    if (!cluster.up) return;
    const { name, namespace = '' } = wanted['metadata'] as { readonly name: string; readonly namespace?: string };
    const current = cluster.objects.get(resource, { namespace, name });
    this.#parts.asPeople(cluster, () => {
      if (current === undefined) {
        cluster.objects.create(resource, wanted, { fieldManager: 'people' });
        return;
      }
      const next = merged(current, wanted);
      if (!equal(current, next)) cluster.objects.update(resource, next, { fieldManager: 'people' });
    });
  }

  #delete(
    cluster: SimCluster,
    resource: { group: string; resource: string },
    key: { readonly namespace: string; readonly name: string },
  ): void {
    if (!cluster.up || !cluster.serves(resource)) return;
    const current = cluster.objects.get(resource, key);
    if (current === undefined || thingOf(current).terminating) return;
    this.#parts.asPeople(cluster, () => {
      cluster.objects.delete(resource, key);
    });
  }

  #wish(index: number): Wish {
    const wish = this.#wishes[index];
    if (wish === undefined) throw new Error(`there is no binding ${index}`);
    return wish;
  }

  #access(provider: Provider): Access {
    const access = this.#accesses.get(provider);
    if (access === undefined) throw new Error(`there is no ${provider}`);
    return access;
  }
}

/** Carries out people's wishes; a server's refusal is no failure of the simulation. */
export function tries(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

function merged(current: JsonObject, wanted: JsonObject): JsonObject {
  const [has, wants] = [current['metadata'] as JsonObject, wanted['metadata'] as JsonObject];
  const metadata = {
    ...has,
    ...(wants['labels'] === undefined ? {} : { labels: wants['labels'] }),
    ...(wants['annotations'] === undefined
      ? {}
      : { annotations: { ...(has['annotations'] as JsonObject), ...(wants['annotations'] as JsonObject) } }),
  };
  const { spec } = wanted as { readonly spec?: JsonObject };
  return {
    ...current,
    ...wanted,
    metadata,
    ...(spec === undefined ? {} : { spec: { ...(current['spec'] as JsonObject), ...spec } }),
  };
}

/** Whether objects of a slot may belong to a binding. */
function concerns(index: number, { api, namespace, activation: own }: Slot): boolean {
  const one = activation(index);
  if (!isRouted(api)) return own === index;
  return one.apis.includes(api) && (one.namespace ?? namespace) === namespace;
}

function selectorOf(place: Place, way: SelectorWay | undefined): string {
  if (way === 'none') return `${PLACE} in nowhere`;
  return way === undefined ? `${PLACE}=${place}` : `${PLACE} in (a,b)`;
}

function activation(index: number): Activation {
  const one = ACTIVATIONS[index];
  if (one === undefined) throw new Error(`there is no binding ${index}`);
  return one;
}

function nameOf(object: JsonObject): string {
  return (object['metadata'] as { readonly name: string }).name;
}
