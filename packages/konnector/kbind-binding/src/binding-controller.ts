import { type Controller, controller, type Setup, toOwnKey } from '@hawser/controller';
import { type Binding, type Connection, connectionOf, labels, malformation, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { getIfExists } from '@hawser/client';
import type { Links, ProviderLink } from '@hawser/kbind-connection';
import type { WriterShares } from '@hawser/konnector-sync';
import type { SchemaPolicy } from '@hawser/schemagate';
import type { Action } from './actions.js';
import { Actor } from './act.js';
import { apisOf, heirsOf, rivalOf } from './coverage.js';
import { decide } from './decide.js';
import { countHeld } from './held-objects.js';
import type { APIObserved, Observed } from './observed.js';
import { readRules } from './related/rules.js';
import { RunningRelated } from './related/running-related.js';
import { type BoundSync, RunningSyncs } from './running-syncs.js';
import { SchemaHolds } from './schema-holds.js';

export interface BindingOptions {
  /** The ways to providers, of the controller of Connections. */
  readonly links: Links;
  /** What becomes of changed schemas where a binding does not say. Default `Safe`: breaking ones wait. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Objects written at the same time, of each API. Default 24. */
  readonly concurrency?: number | undefined;
  /** Shared by all syncs of a process. */
  readonly writers?: WriterShares | undefined;
}

/** The controller of ClusterBindings and Bindings. */
export interface BindingController extends Controller<'consumer'> {
  /** Of all bindings. */
  readonly syncs: readonly BoundSync[];
}

/**
 * Serves the ClusterBindings and Bindings of `core.kbind.io` (spec/kbind-v2.md §14 to §17, §20): installs the CRDs of their APIs, keeps the objects in step, and takes all of that back when a binding goes. The key of a ClusterBinding is its
 * name, that of a Binding `namespace/name`.
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
  readonly #clusterBindings;
  readonly #bindings;
  readonly #connections;
  readonly #crds;
  readonly #related: RunningRelated;
  readonly #holds: SchemaHolds;

  constructor(setup: Setup<'consumer'>, { links, schemaPolicy = 'Safe', concurrency, writers }: BindingOptions) {
    const { clusters, watch, scope, clock } = setup;
    const { consumer } = clusters;
    this.#setup = setup;
    this.#links = links;
    /** One that changes may leave objects to others. */
    const related = (binding: Binding): readonly string[] => [toOwnKey(binding), ...this.#sharing(binding)];
    this.#clusterBindings = watch<Binding>(
      consumer,
      { resource: resources.clusterBindings, kind: 'ClusterBinding' },
      related,
    );
    this.#bindings = watch<Binding>(consumer, { resource: resources.bindings, kind: 'Binding' }, related);
    this.#connections = watch<Connection>(
      consumer,
      { resource: resources.connections, kind: 'Connection' },
      // Related objects must not be what any Connection connects with.
      ({ metadata }) => [...this.#naming(metadata.name), ...this.#related.keys],
    );
    this.#crds = watch<CustomResourceDefinition>(
      consumer,
      {
        resource: customResourceDefinitions,
        kind: 'CustomResourceDefinition',
        labelSelector: `${labels.managed}=true`,
      },
      ({ metadata }) => this.#listing(metadata.name),
    );
    this.syncs = new RunningSyncs({ setup, concurrency, writers });
    this.#related = new RunningRelated({
      setup,
      bindings: () => [...this.#clusterBindings.list(), ...this.#bindings.list()],
      connections: () => this.#connections.list(),
    });
    this.#holds = new SchemaHolds(consumer.client, schemaPolicy, () => clock.monotonic());
    this.actor = new Actor({
      consumer: consumer.client,
      caches: { clusterBindings: this.#clusterBindings, bindings: this.#bindings, crds: this.#crds },
      syncs: this.syncs,
      related: this.#related,
      now: () => clock.now(),
    });
    const stopAll = async (link?: ProviderLink): Promise<void> => {
      await Promise.all([this.syncs.stopAll(link), this.#related.stopAll(link)]);
    };
    scope.own(() => stopAll());
    scope.own(links.onClose(stopAll));
    scope.own(
      links.onChange((connection) => {
        for (const key of this.#naming(connection)) setup.look(key, 'normal');
      }),
    );
  }

  async observe(key: string, signal: AbortSignal): Promise<Observed> {
    const kind = key.includes('/') ? 'Binding' : 'ClusterBinding';
    const binding = (kind === 'Binding' ? this.#bindings : this.#clusterBindings).get(key);
    const problem = binding === undefined ? undefined : malformation(kind, binding);
    const listed = binding === undefined ? [] : apisOf(binding);
    const name = problem === undefined ? binding?.spec.connectionRef.name : undefined;
    const link = name === undefined ? undefined : this.#links.get(name);
    const connection = name === undefined ? undefined : this.#connections.get(name);
    const bound = (binding?.status?.boundAPIs ?? []).map((api) => api.name);
    const left = [...new Set([...this.syncs.apis(key), ...bound])].filter((api) => !listed.includes(api));
    const isGoing = binding?.metadata.deletionTimestamp !== undefined;
    if (binding !== undefined && problem === undefined) {
      this.syncs.follow(key, binding);
      this.#related.follow(key, binding, isGoing);
    }
    const base = { key, binding, link, connection };
    return {
      ...base,
      kind,
      malformed: problem === undefined ? undefined : `${problem.path} ${problem.message}`,
      apis: await Promise.all(listed.map((api) => this.#observeAPI(api, base, isGoing, signal))),
      left: await Promise.all(left.map((api) => this.#observeAPI(api, base, true, signal))),
      related: {
        refused: binding === undefined || problem !== undefined ? [] : readRules(binding).problems,
        readings: this.#related.read(key),
        held: this.#related.held(key),
      },
      now: this.#setup.clock.now(),
    };
  }

  about(binding: Binding | undefined) {
    return (binding?.metadata.namespace === undefined ? this.#clusterBindings : this.#bindings).about(binding);
  }

  async #observeAPI(
    name: string,
    { key, binding, link, connection }: Pick<Observed, 'key' | 'binding' | 'link' | 'connection'>,
    counts: boolean,
    signal: AbortSignal,
  ): Promise<APIObserved> {
    const { client } = this.#setup.clusters.consumer;
    const provided = link?.offers.get({ name });
    const exported = connection?.status?.exportedAPIs?.find((api) => api.name === name);
    // What nobody has marked is in no cache.
    const crd =
      this.#crds.get(name) ??
      (binding === undefined
        ? undefined
        : await getIfExists<CustomResourceDefinition>(client, customResourceDefinitions, { name }, { signal }));
    const all = [...this.#clusterBindings.list(), ...this.#bindings.list()];
    const rival = binding === undefined ? undefined : rivalOf(binding, name, all);
    const heirs = binding === undefined ? [] : heirsOf(binding, name, all);
    const isOurs = crd !== undefined && connectionOf(crd) === connection?.metadata.name;
    return {
      name,
      exported,
      provided,
      crd,
      rival: rival === undefined ? undefined : describe(rival),
      heirs,
      hold:
        isOurs && provided !== undefined && binding !== undefined && connection !== undefined
          ? await this.#holds.read({ live: crd, provided, said: binding, connection: connection.metadata.name }, signal)
          : undefined,
      sync: this.syncs.read(key, name),
      held:
        counts && crd !== undefined
          ? await countHeld(client, crd, { namespace: binding?.metadata.namespace, except: heirs }, signal)
          : undefined,
    };
  }

  #naming(connection: string): readonly string[] {
    return this.#where(
      (binding) => (binding.spec as Partial<Binding['spec']> | undefined)?.connectionRef?.name === connection,
    );
  }

  #listing(api: string): readonly string[] {
    return this.#where((binding) => apisOf(binding).includes(api));
  }

  #sharing(binding: Binding): readonly string[] {
    const apis = new Set(apisOf(binding));
    return this.#where((other) => apisOf(other).some((api) => apis.has(api)));
  }

  #where(matches: (binding: Binding) => boolean): readonly string[] {
    return [...this.#clusterBindings.list(), ...this.#bindings.list()].filter(matches).map(toOwnKey);
  }
}

function describe({ metadata: { namespace, name } }: Binding): string {
  return namespace === undefined ? `ClusterBinding ${name}` : `Binding ${namespace}/${name}`;
}
