import { type Controller, controller, type Setup } from '@hawser/controller';
import { type Binding, connectionOf, malformation } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { getIfExists, type KubeObject } from '@hawser/client';
import type { Links, ProviderLink } from '@hawser/kbind-connection';
import type { WriterShares } from '@hawser/konnector-sync';
import type { SchemaPolicy } from '@hawser/schemagate';
import { createHeldMetric, type HeldMetric } from '@hawser/servicebinding';
import type { Action } from './actions.js';
import { Actor } from './act.js';
import { BindingCaches } from './binding-caches.js';
import { apisOf, isNeeded, rivalOf, titleOf } from './coverage.js';
import { decide } from './decide.js';
import { countHeld } from './held-objects.js';
import type { APIObserved, Observed } from './observed.js';
import { readRules } from './related/rules.js';
import { RunningRelated } from './related/running-related.js';
import { Routes } from './router.js';
import { type BoundSync, RunningSyncs } from './running-syncs.js';
import { SchemaHolds } from './schema-holds.js';

export interface BindingOptions {
  /** The links to providers, from the controller of Connections. */
  readonly links: Links;
  /** Policy for changed schemas if a binding sets none. Default `Safe`: breaking changes are held. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Concurrent object writes per API. Default 24. */
  readonly concurrency?: number | undefined;
  /** Shared by all syncs of a process. */
  readonly writers?: WriterShares | undefined;
}

/** The controller of ClusterBindings and Bindings. */
export interface BindingController extends Controller<'consumer'> {
  /** The running syncs of all bindings. */
  readonly syncs: readonly BoundSync[];
}

/**
 * Serves the ClusterBindings and Bindings of `core.kbind.io` (spec/kbind-v2.md §14 to §17, §20): installs the CRDs of
 * their APIs, keeps the objects in step, and undoes this when a binding goes.
 * The key of a ClusterBinding is its name, that of a Binding `namespace/name`.
 */
export function createBindingController(options: BindingOptions): BindingController {
  let running: RunningBindings | undefined;
  const inner = controller('kbind-binding', (setup: Setup<'consumer'>) => {
    const made = new RunningBindings(setup, options);
    running = made;
    return {
      concurrency: 4,
      observe: (key: string, signal: AbortSignal) => made.observe(key, signal),
      decide,
      act: (action: Action, signal: AbortSignal) => made.actor.act(action, signal),
      about: ({ binding }: Observed) => made.about(binding),
    };
  });
  return {
    name: inner.name,
    get syncs() {
      return running?.syncs.all() ?? [];
    },
    start: (context) => inner.start(context),
    stop: () => inner.stop(),
  };
}

class RunningBindings {
  readonly actor: Actor;
  readonly syncs: RunningSyncs;
  readonly #setup: Setup<'consumer'>;
  readonly #links: Links;
  readonly #caches: BindingCaches;
  readonly #routes: Routes;
  readonly #related: RunningRelated;
  readonly #holds: SchemaHolds;
  readonly #heldMetric: HeldMetric;

  constructor(setup: Setup<'consumer'>, { links, schemaPolicy = 'Safe', concurrency, writers }: BindingOptions) {
    const { clusters, scope, clock } = setup;
    this.#setup = setup;
    this.#links = links;
    // Related objects must not include a kubeconfig Secret of any Connection.
    this.#caches = new BindingCaches(setup, () => this.#related.keys);
    const bindings = (): readonly Binding[] => this.#caches.all();
    this.#routes = new Routes({ bindings, crd: (name) => this.#caches.crds.get(name) });
    this.syncs = new RunningSyncs({ setup, routes: this.#routes, concurrency, writers });
    this.#related = new RunningRelated({ setup, bindings, connections: () => this.#caches.connections.list() });
    this.#holds = new SchemaHolds(clusters.consumer.client, schemaPolicy, () => clock.monotonic());
    this.#heldMetric = scope.own(createHeldMetric(setup.metrics));
    this.actor = this.#makeActor();
    const stopAll = (link?: ProviderLink): Promise<void> => this.#stopAll(link);
    scope.own(() => stopAll());
    scope.own(links.onClose(stopAll));
    scope.own(
      links.onChange((connection) => {
        for (const key of this.#caches.naming(connection)) setup.look(key, 'normal');
      }),
    );
  }

  #makeActor(): Actor {
    const { clusters, clock } = this.#setup;
    return new Actor({
      consumer: clusters.consumer.client,
      caches: this.#caches,
      syncs: this.syncs,
      routes: this.#routes,
      links: this.#links,
      related: this.#related,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    });
  }

  async #stopAll(link: ProviderLink | undefined): Promise<void> {
    await Promise.all([this.syncs.stopAll(link), this.#related.stopAll(link)]);
  }

  async observe(key: string, signal: AbortSignal): Promise<Observed> {
    const kind = key.includes('/') ? 'Binding' : 'ClusterBinding';
    const binding = this.#caches.get(key);
    const problem = binding === undefined ? undefined : malformation(kind, binding);
    const listed = binding === undefined ? [] : apisOf(binding);
    const name = problem === undefined ? binding?.spec.connectionRef.name : undefined;
    const link = name === undefined ? undefined : this.#links.get(name);
    const connection = name === undefined ? undefined : this.#caches.connections.get(name);
    const bound = (binding?.status?.boundAPIs ?? []).map((api) => api.name);
    const left = [...new Set([...this.syncs.apis(key), ...bound])].filter((api) => !listed.includes(api));
    const isGoing = binding?.metadata.deletionTimestamp !== undefined;
    if (binding !== undefined && problem === undefined) {
      this.syncs.follow(key, binding);
      this.#related.follow(key, binding, isGoing);
    }
    const base = { key, binding, link, connection };
    const apis = await Promise.all(
      listed.map((api) => this.#observeAPI(api, base, isGoing ? 'going' : 'bound', signal)),
    );
    this.#heldMetric.set(
      `${kind} ${key}`,
      apis.flatMap(({ hold }) => (hold === undefined ? [] : [hold.reason])),
    );
    return {
      ...base,
      kind,
      malformed: problem === undefined ? undefined : `${problem.path} ${problem.message}`,
      apis,
      left: await Promise.all(left.map((api) => this.#observeAPI(api, base, 'left', signal))),
      related: {
        refused: binding === undefined || problem !== undefined ? [] : readRules(binding).problems,
        readings: this.#related.read(key),
        held: this.#related.held(key),
      },
      now: this.#setup.clock.now(),
    };
  }

  about(binding: Binding | undefined) {
    return (binding?.metadata.namespace === undefined ? this.#caches.clusterBindings : this.#caches.bindings).about(
      binding,
    );
  }

  async #observeAPI(
    name: string,
    { key, binding, link, connection }: Pick<Observed, 'key' | 'binding' | 'link' | 'connection'>,
    standing: 'bound' | 'going' | 'left',
    signal: AbortSignal,
  ): Promise<APIObserved> {
    const { client } = this.#setup.clusters.consumer;
    const provided = link?.offers.get({ name });
    const exported = connection?.status?.exportedAPIs?.find((api) => api.name === name);
    // An unmarked CRD is in no cache.
    const crd =
      this.#caches.crds.get(name) ??
      (binding === undefined
        ? undefined
        : await getIfExists<CustomResourceDefinition>(client, customResourceDefinitions, { name }, { signal }));
    const all = this.#caches.all();
    const rival = binding === undefined ? undefined : rivalOf(binding, name, all);
    const owner = crd === undefined ? undefined : connectionOf(crd);
    const isOurs = crd !== undefined && owner === connection?.metadata.name;
    const serves = (object: KubeObject): boolean => this.#routes.serves(key, name, object, standing === 'left');
    const isMoving = (object: KubeObject): boolean => this.#routes.isMoving(key, name, object);
    const held =
      standing === 'bound' || crd === undefined
        ? undefined
        : await countHeld(client, crd, { namespace: binding?.metadata.namespace, serves, isMoving }, signal);
    return {
      name,
      exported,
      provided,
      crd,
      rival: rival === undefined ? undefined : { title: titleOf(rival.binding), takesAll: rival.takesAll },
      needed: binding !== undefined && isNeeded(binding, name, all),
      abandoned: owner !== undefined && this.#caches.isAbandoned(name, owner),
      hold:
        isOurs && provided !== undefined && binding !== undefined && connection !== undefined
          ? await this.#holds.read(
              { live: crd, provided, annotated: binding, connection: connection.metadata.name },
              signal,
            )
          : undefined,
      sync: this.syncs.read(key, name),
      held: held?.own,
      heldByOthers: held?.others,
      moving: held?.moving,
    };
  }
}
